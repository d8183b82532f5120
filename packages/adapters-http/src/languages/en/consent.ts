import type { ConsentRequest } from "@place-access/domain/consent"
import type { ConsentRefused } from "@place-access/domain/connection"
import { type Html, html } from "../../html/Html.js"
import { plural } from "./words.js"

/** A number of days that a person can choose; `never`: no end date. */
type Days = number | "never"

/**
 * The texts of the page on which a person decides what an app may do, and of the pages that are shown when no decision
 * is possible.
 */
export const consent = {
  titles: {
    new: (app: string): string => `Connect ${app}`,
    change: (app: string): string => `Change ${app}`,
    renew_sensitive: (app: string): string => `Renew ${app}`
  } satisfies Record<ConsentRequest.Mode, unknown>,
  brokenLink: {
    title: "This link does not work",
    text: "The app that sent you here made a mistake. Nothing was shared with it.",
    forDeveloper: "For the app’s developer"
  },
  refusals: {
    unknown: { title: "This request does not exist", text: "Go back to the app and start again." },
    expired: {
      title: "This page is too old",
      text: "It was opened more than an hour ago. Go back to the app and start again."
    },
    decided: {
      title: "You have decided already",
      text: "Go back to the app. If it asks again, you can decide again."
    },
    sandbox: {
      title: "This app is still being tested",
      text: "Until it is in production, only its holder can connect it: the person in whose name it is registered. If that is you, sign in with that account."
    },
    app_revoked: { title: "This app cannot be connected", text: "It was closed permanently." },
    app_suspended: {
      title: "This app cannot be connected at the moment",
      text: "It is on hold. Try again later. If you connected it before, that connection stays."
    },
    outdated: { title: "Something has changed in the meantime", text: "Go back to the app and start again." }
  } satisfies Record<ConsentRefused["reason"], unknown>,
  toFrontPage: "Go to the front page",
  signedInAs: (email: string): string => `You are signed in as ${email}.`,
  switchAccount: "Use another account",
  confirmFirst: {
    title: "Confirm your e-mail address first",
    text: (email: string): string =>
      `You are signed in as ${email}. Before an app can be connected, we must know that this address is yours: we write there about everything that apps do.`,
    mail: "Mail me a link",
    thenBack: "Then come back to this page, within an hour.",
    goOn: "I have confirmed it: go on"
  },
  labels: {
    decision: "Your decision",
    scope: "What the app can do",
    place: "The places",
    earlier: "Past visits",
    standard_days: "How long",
    sensitive_days: "How long for exact location",
    label: "Name of the new place",
    kind: "Kind of the new place",
    lat: "Latitude",
    lon: "Longitude",
    radius_m: "Radius"
  },
  headings: {
    connect: (app: string): string => `Connect ${app}?`,
    change: (app: string): string => `Change what ${app} can do?`,
    renew: (app: string): string => `Let ${app} go on using your exact location?`
  },
  changedMeanwhile: "Something has changed since you opened this page. Please read it again.",
  who: {
    label: "Who is asking",
    from: (developer: string): string => `From ${developer}.`,
    fromWithPage: (developer: string, address: string): Html =>
      html`From ${developer} (<a href="${address}" rel="noopener noreferrer" target="_blank">web page</a>).`,
    goBack: (origin: string): Html => html`You go back to <code>${origin}</code>.`,
    connectedSince: (at: Html): Html => html`Connected since ${at}.`,
    account: (name: string, email: string | null): string =>
      `Your account: ${name}${email === null ? "" : ` (${email})`}.`
  },
  sandbox: "Sandbox: only its holder can connect it",
  inReview: "In review: only its holder can connect it",
  /** `others`: how many more people than the named person work on the app. `team`: the address of the team's page. */
  readers: {
    one: (name: string): string => `${name} also works on this app and can read what you share.`,
    more: (name: string, others: number, team: string): Html =>
      html`${name} and <a href="${team}" target="_blank" rel="noopener">${plural(others, "other", "others")}</a> also
        work on this app and can read what you share.`
  },
  noPhone: (devices: string): Html =>
    html`<strong>No phone has sent your location yet.</strong> You can decide all the same; until one does, the app does
      not learn where you are. It can read history that you imported, as far as you allow it.
      <a href="${devices}" target="_blank" rel="noopener">Set up your phone</a> in a new tab: this page keeps for an
      hour. The mail that follows Allow leads there, too.`,
  /** The page shows this text after the sentence that says how long the app stays paused. */
  pauseStays: (connections: string): Html =>
    html`If you allow something here, the pause stays: the app learns nothing about where you are or were until the
      pause ends. You can end the pause under
      <a href="${connections}" target="_blank" rel="noopener">Connected apps</a>, in a new tab.`,
  length: (days: Days): string => (days === "never" ? "No end date" : plural(days, "day", "days")),
  ends: (at: Html): Html => html`Ends ${at}`,
  untilDisconnected: "Until you disconnect the app",
  takeBack: (connections: string, accessLog: string): Html =>
    html`You can take everything back at any time under
      <a href="${connections}" target="_blank" rel="noopener">Connected apps</a>. Your
      <a href="${accessLog}" target="_blank" rel="noopener">access log</a> lists every request.`,
  cancelChangesNothing: "If you cancel, nothing changes.",
  cancel: "Cancel",
  allow: "Allow",
  scopes: {
    heading: "What the app can do",
    standard: "About the places you share",
    areas: "About areas that the app chooses",
    areasHint: "The app picks these areas itself. They can lie anywhere, also around places that you do not tick.",
    sensitive: "Your exact location",
    sensitiveHint:
      "This shows where you are on the map, not only which of your places you are at. What the app says it is for:",
    asNow: "As now",
    ended: "Ended",
    new: "New"
  },
  leaving: {
    heading: "No longer requested",
    text: "The app has this now. It loses this when you allow the rest:",
    badge: "Will be removed"
  },
  durations: {
    heading: "Until when",
    connection: "The connection as a whole",
    connectionEnds: (at: Html): Html => html`At present the connection ends: ${at}.`,
    connectionHasNoEnd: "At present the connection has no end date.",
    sensitive: "Your exact location",
    sensitiveEnds: (at: Html): Html => html`At present exact location ends: ${at}.`,
    sensitiveEnded: (at: Html): Html => html`Exact location ended: ${at}.`,
    sensitiveHint: "Counts only if you allow it above. The rest of the connection goes on afterwards."
  },
  places: {
    heading: "Which places it can ask about",
    added: (place: string): string => `${place} is added and ticked. Nothing is shared yet.`,
    none: "You have no places yet. Add one here, or share some later.",
    legend: "Your places",
    hint: "The app learns nothing about the places that you do not tick.",
    /** The hint when the app also asks for exact location, or about areas that it chooses. */
    hintByName: "The app does not get the names of places that you do not tick.",
    earlier: (place: string): string => `Also share past visits to ${place}`,
    /** The hint for an app with `location.place.lookup`. The choice about past visits does not limit this scope. */
    lookup:
      "For any moment in the past, the app can ask which ticked place you were at, even if you do not share past visits.",
    find: "Find a place",
    tickAll: "Tick all",
    untickAll: "Untick all",
    add: "Add a place",
    addThis: "Add this place",
    cannotBeAdded: (reason: Html): Html => html`cannot be added: ${reason}`
  },
  renewal: {
    what: "What you renew",
    noPurpose: (app: string): string => `${app} may no longer use this for any purpose, so you cannot renew it:`,
    length: "Your exact location, counted from now",
    notNow: "Not now",
    stop: "Stop sharing",
    renew: "Renew",
    uses: {
      heading: "What it was used for",
      none: (app: string): string => `${app} has not used your exact location in the last 90 days.`,
      howOften: (app: string, since: Html): Html =>
        html`How often ${app} asked for it and got an answer in the last 90 days, since ${since}:`,
      times: (count: number): string => (count === 0 ? "Not once" : plural(count, "time", "times")),
      log: "See every request in your access log"
    },
    stays: {
      heading: "What stays as it is",
      badge: "Not asked",
      canAlso: "It can also",
      nothingElse: "Nothing else",
      places: "Places",
      noPlaces: "None",
      connection: "The connection",
      rules: "Its rules",
      rulesGoOn: "Go on"
    },
    consequences: {
      nothingChanges: "Nothing changes.",
      hasNotHad: (since: Html): Html => html`The app has not had your exact location since ${since}.`,
      hasUntil: (until: Html): Html => html`The app has your exact location until ${until}.`,
      losesIt: "The app loses your exact location at once.",
      doesNotGetItBack: "The app does not get it back, unless it asks again and you allow it.",
      isDisconnected: "Nothing else is shared with it, so it is disconnected.",
      restGoesOn: "The rest of the connection goes on.",
      renewed: "The app has your exact location until the date that you choose.",
      renewedAgain: "The app has your exact location again, until the date that you choose."
    }
  },
  /** The duration, as a part of the line that the page's script writes. */
  lengthInSummary: (days: Days): string => (days === "never" ? "no end date" : plural(days, "day", "days")),
  /** The page's script replaces each name in braces by a value. */
  script: {
    nothing: "Nothing is ticked yet",
    permission: "1 permission",
    permissions: "{count} permissions",
    noPlaces: "no places",
    learnsNothing: "no places: the app does not learn where you are yet",
    place: "1 place",
    places: "{count} places",
    pastVisits: "past visits",
    exactLocation: "exact location {length}",
    found: "{count} of {all} places, ticked ones included"
  }
}
