import { type Html, html } from "../../html/Html.js"
import { plural } from "./words.js"

/** The words for times and for lengths of time. */
export const time = {
  months: "January February March April May June July August September October November December".split(" "),
  weekdays: "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" "),
  dayOfMonth: (day: number, month: string): string => `${day} ${month}`,
  dayOfYear: (day: number, month: string, year: number): string => `${day} ${month} ${year}`,
  ofWeekday: (weekday: string, date: string): string => `${weekday} ${date}`,
  at: (date: string, hour: string): string => `${date} at ${hour}`,
  yesterday: "yesterday",
  today: "today",
  tomorrow: "tomorrow",
  justNow: "just now",
  ago: (duration: Html): Html => html`${duration} ago`,
  minutes: (count: number): string => `${count} min`,
  hours: (count: number): string => `${count} h`,
  hoursAndMinutes: (hours: number, minutes: number): string => `${hours} h ${minutes} min`,
  days: (count: number): string => plural(count, "day", "days"),
  daysAgo: (count: number): string => `${plural(count, "day", "days")} ago`
}
