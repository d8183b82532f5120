import { type Html, html } from "../../html/Html.js"
import { number, plural } from "./words.js"

/** A person's own days, visits, and the deletion of a part of a day. */
export const timeline = {
  heading: "My timeline",
  titleOf: (date: string): string => `Timeline of ${date}`,
  nothingKnown: "Nothing is known of this day.",
  isCut: "This day has very many locations. Its end is shown.",
  isIncomplete: "Some visits of this day are not computed yet. Reload the page in a minute.",
  download: "Download this day (GPX)",
  aside: "Other days and this day's data",
  dayBefore: "The day before",
  dayAfter: "The day after",
  stillThere: (duration: Html): Html => html`${duration}, still there`,
  atLeast: (duration: Html, at: Html): Html => html`${duration}, until ${at} at least`,
  until: (duration: Html, at: Html): Html => html`${duration}, until ${at}`,
  since: (at: Html): Html => html`Since ${at}`,
  near: (town: string): string => `Near ${town}`,
  stop: "A stop",
  stopNear: (town: string): string => `A stop near ${town}`,
  makePlace: "Make it a place",
  way: "On the way",
  wayLength: (duration: Html, distance: Html): Html => html`${duration}, ${distance}`,
  deleted: (duration: Html): Html => html`You deleted ${duration}`,
  gap: (duration: Html): Html => html`Nothing known for ${duration}`,
  metres: (metres: number): string => `${metres} m`,
  kilometres: (kilometres: number): string => `${kilometres.toFixed(1)} km`,
  totals: {
    heading: "Totals",
    visits: (duration: Html, count: number): Html => html`${duration}, ${plural(count, "visit", "visits")}`,
    locations: "Locations"
  },
  saw: {
    heading: "Which app saw what",
    nobody: "No app asked on this day.",
    requests: (count: number): string => `${plural(count, "request", "requests")} in all`
  },
  calendar: {
    month: (name: string, year: number): string => `${name} ${year}`,
    around: "Days around this one",
    before: "The month before",
    after: "The month after",
    locations: (count: number): string => `${number(count)} locations`,
    weekdays: {
      monday: { short: "Mon", long: "Monday" },
      tuesday: { short: "Tue", long: "Tuesday" },
      wednesday: { short: "Wed", long: "Wednesday" },
      thursday: { short: "Thu", long: "Thursday" },
      friday: { short: "Fri", long: "Friday" },
      saturday: { short: "Sat", long: "Saturday" },
      sunday: { short: "Sun", long: "Sunday" }
    }
  },
  erase: {
    labels: { from: "From", until: "Until" },
    part: "Delete a part of this day",
    parts: {
      morning: "Until 12:00…",
      afternoon: "12:00 to 18:00…",
      evening: "From 18:00…"
    },
    button: "Delete…",
    wholeDay: "Delete the whole day…",
    hint: "You see first what would be deleted.",
    title: "Delete a part of your history",
    question: "Delete this part of your history?",
    stretch: (from: Html, until: Html): Html => html`${from} until ${until}`,
    going: (locations: number, visits: number): string =>
      `${plural(locations, "location", "locations")} and ${plural(visits, "visit", "visits")} that ended then are deleted for good. Nobody can bring them back.`,
    visits: (from: Html): Html =>
      html`A visit that reaches into this time ends at ${from}. What your phone sends later of this time is not kept.`,
    rules: "Rules of apps begin anew, and events of this time that were not sent yet are not sent.",
    known: "What apps already know",
    nobodyAsked: "No app asked in that time.",
    asked: "These apps asked in that time. What they learned stays with them:",
    requests: (app: Html, count: number): Html => html`${app}, ${plural(count, "request", "requests")}`,
    later: "Apps that asked later may also have asked about this time. Archives that you made before still have it.",
    forGood: "Delete for good",
    cancel: "Cancel"
  },
  visits: {
    heading: (place: string): string => `Visits to ${place}`,
    none: "No visit is known.",
    noneBefore: "No visit is known before these.",
    arrived: "Arrived",
    left: "Left",
    duration: "Duration",
    stillThere: "Still there",
    notBefore: (heard: Html): Html => html`Not known. The last location is from ${heard}`,
    atLeast: (duration: Html): Html => html`${duration} at least`,
    older: "Older",
    newest: "The newest"
  }
}
