import { html } from "../../html/Html.js"
import type * as en from "../en/time.js"
import { plural } from "./words.js"

export const time: typeof en.time = {
  months: "Januar Februar März April Mai Juni Juli August September Oktober November Dezember".split(" "),
  weekdays: "Sonntag Montag Dienstag Mittwoch Donnerstag Freitag Samstag".split(" "),
  dayOfMonth: (day, month) => `${day}. ${month}`,
  dayOfYear: (day, month, year) => `${day}. ${month} ${year}`,
  ofWeekday: (weekday, date) => `${weekday}, ${date}`,
  at: (date, hour) => `${date} um ${hour}`,
  yesterday: "gestern",
  today: "heute",
  tomorrow: "morgen",
  justNow: "gerade eben",
  ago: (duration) => html`vor ${duration}`,
  minutes: (count) => `${count} min`,
  hours: (count) => `${count} h`,
  hoursAndMinutes: (hours, minutes) => `${hours} h ${minutes} min`,
  days: (count) => plural(count, "Tag", "Tage"),
  daysAgo: (count) => `vor ${plural(count, "Tag", "Tagen")}`
}
