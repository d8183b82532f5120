import type { History } from "@place-access/domain/retention-choice"
import { type Html, html, type Text } from "../../html/Html.js"
import { browserName } from "./words.js"

/** The texts that pages of several folders share: the frame around every page, forms, comparisons and errors. */
export const frame = {
  skip: "Skip to the content",
  sections: "Main",
  today: "Today",
  timeline: "Timeline",
  // On a phone there is no room for the first word, “Connected”. The stylesheet hides this word and writes the second
  // word with a capital letter.
  connections: html`<span class="roomy">Connected </span>apps`,
  places: "Places",
  devices: "Devices",
  accessLog: html`<span class="roomy">Access </span>log`,
  developers: "Developers",
  review: "Review",
  admin: "Admin",
  settings: "Settings",
  signOut: "Sign out",
  noAddress: (href: string): Html =>
    html`Your account has no e-mail address, because somebody else confirmed the one that it had.
      <a href="${href}">Set another one</a>: without an address you cannot sign in again.`,
  documentation: "Documentation",
  notKept: "Nothing has changed yet. Please do it again: what you had entered or chosen was not kept.",
  /** The title of a page that says why the service refused a form. */
  refused: (title: Text): Html => html`Error: ${title}`,
  fields: {
    problems: "There is a problem",
    outdated: "Something changed since you opened this page, so nothing was saved. Check the form and save again.",
    outdatedAnew:
      "Something changed since you opened this page, so nothing was saved. The form shows what is saved now. Make your change again.",
    expired:
      "You signed in or confirmed anew after you had opened this form, so nothing was saved. Check the form and send it again.",
    newPassword: "At least 10 characters. Four words that do not belong together are easy to keep and hard to guess.",
    noEmail: "Enter an address such as name@example.com",
    email: "Email",
    password: "Password"
  },
  keep: { 30: "30 days", 90: "90 days", 365: "365 days", forever: "For ever" } satisfies Record<
    Exclude<History.Keep, null> | "forever",
    string
  >,
  starting: {
    title: "The service is starting",
    text: "This takes some seconds. The page then appears by itself."
  },
  browser: (name: string): string => browserName(name),
  comparison: { changed: "Changed", removed: "Will be removed", added: "New" },
  errors: {
    titles: {
      400: "This request cannot be used",
      401: "Sign in first",
      403: "This is not allowed",
      404: "This page does not exist",
      405: "This page cannot be used in this way",
      409: "This conflicts with the current state",
      413: "This is too large",
      415: "This is not a form",
      429: "Too many tries",
      500: "Something went wrong on our side",
      503: "We are not available right now"
    },
    stale: "This form has expired",
    staleAdvice: "Go back, reload the page and fill it in again",
    noCookie: "This page needs a cookie",
    unknown: "Something went wrong",
    // For some statuses, a text that replaces the message of the API, because the message is of no use to the reader of
    // a page, or repeats the title. The message of a limit of the account (429) is not replaced.
    advice: {
      405: "Go back, and use the page's own links and buttons",
      413: "What you sent is larger than this page takes. Choose a smaller file, or fewer words",
      415: "Go back, reload the page and fill in the form again",
      429: "Wait a little, then try again",
      500: "Try again. If it happens again, tell us",
      503: "Try again in a moment"
    },
    number: (id: string): Html => html`If you ask us about it, give us this number: <code>${id}</code>`,
    frontPage: "Go to the front page"
  },
  // The messages of the API that people can see on pages, without the full stop. The API sends these messages in
  // English.
  messages: {
    stale: "This form has expired. Go back, reload the page and fill it in again",
    noCookie:
      "Your browser did not send the cookie that this form needs. Allow cookies for this service, reload the page and fill it in again",
    tooManyFields: "The form has too many fields",
    noPage: "No such page",
    noAccount: "No such account",
    noApp: "No such app",
    noConnection: "No such connection",
    noConsentRequest: "No such consent request",
    noDelivery: "No such delivery",
    noDevice: "No such device",
    noEndpoint: "No such endpoint",
    noExport: "No such export",
    noImport: "No such import",
    noInvitation: "No such invitation",
    noLink: "No such link",
    noLogo: "No such logo",
    noMember: "No such member",
    noPasskey: "No such passkey",
    noPlace: "No such place",
    noTestPerson: "No such test person",
    noPurpose: "No such purpose",
    noReceipt: "No such receipt",
    noRule: "No such rule",
    noSession: "No such session",
    noSubscription: "No such subscription",
    unknownRole: "The role is unknown",
    noDate: "The first day must be a date",
    noPause: "The form names no length of a pause",
    unknownPlace: "The form names a place that does not exist",
    foreignPage: "The call did not come from a page of this service: its Origin header says so",
    noOrigin:
      "The call did not come from a page of this service: it came without an Origin header, which browsers send with every call that changes something",
    unreadable: "The request could not be read",
    endedEarly: "The body ended too early",
    noFile: "The body is not a form with a file",
    nul: "The address holds a NUL character",
    mustBeDate: "must be a date",
    beforeFirstDay: "must not be before the first day",
    oneOfFour: "choose one of the four"
  }
}
