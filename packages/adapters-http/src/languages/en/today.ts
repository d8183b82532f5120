import { type Html, html } from "../../html/Html.js"
import { number, plural } from "./words.js"

/** The texts of the page Today, the first page of a signed-in person. */
export const today = {
  title: "Today",
  steps: {
    heading: "Three steps, and apps can ask",
    done: "Done",
    place: "A place",
    placeText: "Draw a circle around your home or your work. Apps learn only what you allow.",
    addPlace: "Add a place",
    phone: "A phone",
    phoneText: "Install a free app on your phone. It sends us where you are.",
    addPhone: "Add a phone",
    app: "An app",
    appText:
      "Open the app that wants to know where you are, and choose to connect it. It leads you here, and you decide what it can ask."
  },
  suggestion: {
    name: { home: "Home", work: "Work", other: "Place" },
    label: (name: Html): Html => html`A suggestion: ${name}`,
    nights: (count: number, last: Html, name: Html): Html =>
      html`You spent ${plural(count, "night", "nights")} at one spot (last there ${last}). Call it ${name}?`,
    days: (count: number, last: Html, name: Html): Html =>
      html`You spent ${plural(count, "day", "days")} at one spot (last there ${last}). Call it ${name}?`,
    onlyYou: "Only you see this. Apps learn nothing of a place until you share it.",
    look: "Look at it first",
    call: (name: Html): Html => html`Call it ${name}`
  },
  askedOften: {
    heading: (app: string): string => `${app} asked unusually often`,
    text: (calls: number, until: Html, expected: number): Html =>
      html`${number(calls)} times in a day, up to ${until}. It had said that ${number(expected)} a day is the most it
      needs.`,
    see: "See what it asked"
  },
  silent: {
    heading: (phone: string): string => `${phone} is silent`,
    never: "It has never sent a location.",
    last: (ago: Html): Html => html`It last sent something ${ago}.`,
    advice:
      "Apps that ask get old answers, or “unknown”. Often the phone's battery saver has stopped the app: open it once.",
    setUp: "How to set the phone up"
  },
  unconfirmed: {
    heading: "Your address is not confirmed",
    text: "We send no mail there, and you cannot connect an app, until you open the link that we mail you.",
    confirm: "Confirm my address"
  },
  paused: {
    all: (count: number): string => (count === 1 ? "Your app is paused" : "Your apps are paused"),
    some: (count: number, all: number): string =>
      `${number(count)} of ${number(all)} apps ${count === 1 ? "is" : "are"} paused`,
    resume: (count: number): string => (count === 1 ? "Resume it" : "Resume them")
  },
  where: {
    heading: "Where you are",
    headingPast: "Where you were last",
    elsewhere: "At none of your places",
    unknown: "Not known",
    since: (at: Html): Html => html`Since ${at}.`,
    nothing: "No location has arrived that says it.",
    by: (ago: Html): Html => html`By a location from ${ago}.`,
    span: (from: Html, until: Html): Html => html`From ${from} until ${until} at least.`,
    at: (at: Html): Html => html`Time: ${at}.`,
    silentSince: (ago: Html): Html => html`The last location is from ${ago}: nothing is known since.`,
    timeline: "My timeline"
  },
  phone: {
    heading: "Your phone",
    states: { fresh: "Sending", late: "Late", silent: "Silent", never: "Nothing sent yet" },
    nothing: "It has not sent a location yet.",
    sent: (ago: Html, at: Html): Html => html`It sent its location ${ago}, ${at}.`,
    one: "Your phone",
    all: (count: number): string => `All ${number(count)} phones`
  },
  ending: {
    heading: "Ends soon",
    connection: (app: string, at: Html): Html => html`${app} can ask until ${at}`,
    exact_location: (app: string, at: Html): Html => html`${app} can see your exact location until ${at}`,
    look: "Look at it"
  },
  /**
   * The texts of the card about the access log. An entry is a request of an app, a notification to an app, or a look by
   * a developer, so the texts count “entries”.
   */
  asked: {
    heading: "Who asked or was told",
    nobody: "No app has asked or was told anything in the last 14 days.",
    notToday: "Not today",
    times: (count: number): string => `${plural(count, "entry", "entries")} today`,
    caption: (app: string): string => `${app}, the last 14 days`,
    log: "What they asked and learned",
    day: "Day",
    entries: "Entries"
  }
}
