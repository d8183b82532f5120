import type { Connection } from "@place-access/domain/connection"
import type { Export } from "@place-access/domain/exports"
import type { Place } from "@place-access/domain/places"
import { type Html, html } from "../../html/Html.js"
import { imports } from "./timeline.js"
import { minutesAndSeconds, number, plural } from "./words.js"

/** The texts of the pages about connected apps, and about exports and imports. */
export const portal = {
  connections: {
    title: "Connected apps",
    lead: "These apps can ask about you. You can pause, change and end each of them at any time.",
    none: "No app is connected. Connections begin in the app: it sends you here to decide.",
    ended: "Ended",
    endedForSafety: "Ended for your safety",
    details: "Details",
    requests: "Its requests",
    open: "See details or disconnect",
    nothing: "Nothing",
    notNow: "Not now",
    sandbox: "Sandbox",
    onHold: "On hold",
    onHoldText: "This service has put the app on hold for everybody: it gets no answers and no events at the moment.",
    /**
     * Why a connection ended. The list of connections shows the reason after the time; the history and its receipts
     * show the reason in place of the text that says who made the change.
     */
    reasons: {
      user_disconnected: "you disconnected it",
      app_revoked_token: "the app ended it",
      admin_revoked: "the app was closed permanently",
      expired: "the time that you allowed was over",
      refresh_token_reused: "a token of the app was used twice, so it may have been stolen",
      code_reused: "a code of the app was used twice, so it may have been stolen"
    } satisfies Record<Connection.EndReason, string>,
    facts: {
      can: "Can",
      now: "At the moment",
      connected: "Connected",
      ended: "Ended",
      endedAt: (at: Html, reason: Html): Html => html`${at}: ${reason}`,
      ends: "Ends",
      onDisconnect: "When you disconnect it",
      lastUsed: "Last used",
      never: "Never",
      canAskAbout: "Can ask about",
      couldAskAbout: "Could ask about",
      noPlace: "None of your places",
      archived: (place: string): string => `${place} (archived, past visits only)`,
      /** Follows the names of places. */
      areas: "areas that it chooses",
      onlyAreas: "Areas that it chooses",
      exactLocation: "Exact location",
      exactUntil: (at: Html): Html => html`Until ${at}`,
      exactEnded: (at: Html): Html => html`Ended ${at}`,
      exactInGrace: (at: Html, until: Html): Html => html`Ended ${at}; the app can ask you to renew it until ${until}`
    }
  },
  connection: {
    about: "This connection",
    disconnect: (app: string): string => `Disconnect ${app}`,
    webPage: "Web page",
    history: "What you agreed, and when",
    can: "What it can do",
    could: "What it could do",
    noPhone: {
      text: html`<strong>No phone sends your location now.</strong> Until one does, the app learns no new location. It
        can read stored history, as far as you allowed it.`,
      setUp: "Set up your phone"
    },
    used: {
      heading: "How often it asked",
      lead: (since: Html): Html => html`The answers that it got in the last 90 days, since ${since}:`,
      never: "Not once",
      times: (count: number): string => plural(count, "time", "times"),
      places: "Without your exact location",
      exact: (purpose: string): string => `Your exact location: ${purpose}`,
      log: "See every request in your access log"
    },
    consequences: {
      asks: (app: string): string => `From that moment ${app} can ask nothing, and we send nothing to it.`,
      rules: "Its rules stop permanently.",
      places: "You no longer share any place with it.",
      kept: "It keeps what it learned before. Your access log keeps its requests.",
      undo: "To undo this, connect the app again from the app itself. You then decide everything again."
    },
    places: {
      heading: "Places it can ask about",
      field: "The places",
      none: (page: string): Html => html`You have no places. <a href="${page}">Create one</a> to share it.`,
      allArchived: (page: string): Html =>
        html`All your places are archived. <a href="${page}">Create a new one</a> to share it.`,
      legend: "Shared places",
      earlier: (place: string): string => `Visits from before it was shared too, for ${place}`,
      save: "Save places"
    },
    rules: {
      heading: "Its notifications",
      none: "Nothing at the moment.",
      why: "Why it was notified, or not",
      remove: "Remove this rule",
      removed: (app: string): string =>
        `This rule then no longer notifies ${app}. You cannot bring the rule back; ${app} can create a new one.`,
      oldest: "Oldest rules",
      more: "More rules"
    },
    addresses: {
      heading: "Addresses that the app named for notifications",
      lead: (app: string): string =>
        `${app} named these addresses itself. What its rules notify about you is also sent there, except by rules that have an address of their own.`,
      since: (host: Html, at: Html): Html => html`${host}, since ${at}`,
      remove: "Remove this address",
      removed: (app: string): string =>
        `Nothing more is then sent to this address. You cannot bring the address back; ${app} can name it again.`
    }
  },
  reloading: {
    stop: "Do not reload",
    stopped: "This page does not reload itself.",
    start: "Reload by itself"
  },
  exports: {
    title: "Take your data along",
    lead: "Download one file with everything that this service has about you.",
    elsewhere: (page: string): Html =>
      html`To bring an archive into another account, sign in there and <a href="${page}">import the file</a>. Your
        places and your locations come back. Apps do not: you allowed them something in this account, and only you can
        allow it again in the other one.`,
    ask: {
      text: (isMailed: boolean): string =>
        isMailed
          ? "We create the archive in the background, which takes seconds to minutes. We write you an e-mail when it is ready. You can download it for 7 days; then we delete it."
          : "We create the archive in the background, which takes seconds to minutes. You can download it here for 7 days; then we delete it.",
      button: "Create an archive"
    },
    open: {
      heading: "Your archive is being created",
      made: (percent: number): string => `${percent}% done`,
      close: (isMailed: boolean): string =>
        isMailed
          ? "You can close this page: we write you an e-mail when it is ready."
          : "You can close this page and come back to it later.",
      reloads: (seconds: number): string => `Until then, this page reloads itself every ${seconds} seconds.`,
      stop: "Stop",
      stopHint: "The archive is then not created. Nothing of yours is deleted."
    },
    ready: {
      heading: "Your archive is ready",
      asOf: "As of",
      size: "Size",
      until: "You can download it until",
      secret: "The file shows everywhere you were. Keep it where nobody else can read it.",
      download: "Download",
      remove: "Delete this archive now",
      removeHint: "Your data stays. You can then ask for a newer archive."
    },
    kib: (size: number): string => `${size} KiB`,
    mib: (size: number): string => `${size.toFixed(1)} MiB`,
    contents: {
      heading: "What is in it",
      own: "your account, your places and how they were moved, your phones",
      locations: "every location that your phones sent, also as GPX for maps and sports programs; your visits",
      apps: "the apps that you allowed something, what you allowed and when, and the e-mails about it that we still keep",
      log: "your access log, the rules of your apps, and each time that a rule fired",
      format: html`No passwords, tokens or keys are in it: nobody can sign in with it. It is a zip file of JSON and GPX
        files, and <code>manifest.json</code> in it lists them.`
    },
    earlier: "Earlier archives",
    earlierOne: (at: Html, state: Html): Html => html`${at}: ${state}`,
    earlierFault: (at: Html, state: Html, fault: Html): Html => html`${at}: ${state}. ${fault}`,
    states: {
      requested: "Waiting",
      making: "In progress",
      ready: "Ready",
      failed: "Could not be created",
      expired: "Deleted after 7 days",
      deleted: "Deleted"
    } satisfies Record<Export.ExportState, string>
  },
  imports
}

/** The texts of the pages about a person's places. */
export const places = {
  title: "Places",
  lead: "A place is a circle on the map with a name. Apps learn only what you allow.",
  none: "You have no places yet. Create the first one below.",
  allArchived: "All your places are archived. Create a new one below.",
  kinds: {
    home: "home",
    work: "work",
    school: "school",
    gym: "gym",
    shop: "shop",
    restaurant: "restaurant",
    transit: "transit",
    health: "health",
    other: "other"
  } satisfies Record<Place.PlaceKind, string>,
  add: { heading: "Add a place", button: "Add place" },
  noMore: (most: number): string => `You can have ${most} places. Archive one to add another.`,
  archived: "Archived",
  archivedPlace: (kind: Html, at: Html): Html => html`(${kind}, archived ${at})`,
  sharedWith: "Shared with",
  noApp: "No app",
  lastThere: "Last there",
  notLately: "Not in your last 100 visits",
  never: "No visit yet",
  since: (at: Html): Html => html`Since ${at}`,
  near: "Near",
  centre: "Centre",
  radius: "Radius",
  change: "Change",
  archive: {
    button: (place: string): string => `Archive ${place}`,
    text: "Apps can no longer ask whether you are there, and their rules on the place end permanently. Apps with which the place is shared can still see your past visits there, as far as you allowed it, until you disconnect them. Past visits keep the name of the place. You cannot undo this."
  },
  refused: (reason: Html): Html => html`cannot be added: ${reason}`,
  edit: {
    title: (place: string): string => `Change ${place}`,
    hint: "A new name shows everywhere, for past visits too. When you move or resize the place, rules on it begin anew with the next location of your phone.",
    save: "Save"
  }
}

/**
 * The texts of the access log's pages. The texts for what an app did and for the result are texts of the API
 * (`access-log/EntryWords.ts`), which the domain translates.
 */
export const accessLog = {
  title: "Access log",
  lead: "Every request of every app about you and everything that apps were to be told, the newest first. Each entry is written before the app gets its answer. Repeats are one line.",
  filter: {
    app: "App",
    allApps: "All apps",
    purpose: "Purpose",
    allPurposes: "All purposes",
    from: "From",
    to: "To",
    show: "Show"
  },
  notOfList: "must be one of the list",
  nothingHere: "No app has asked anything here.",
  nothingYet: "No app has asked anything yet.",
  newest: "Newest",
  older: "Older",
  download: "Download as a table (CSV)",
  showEverything: "Show everything",
  showDetails: "Show technical details",
  hideDetails: "Hide technical details",
  fileHas: (most: number): string => `The file has the newest ${number(most)} entries of these.`,
  flagged: {
    heading: (app: string): string => `${app} asked unusually often`,
    text: (calls: number, from: Html, to: Html, purpose: string | null, expected: number): Html =>
      html`${plural(calls, "time", "times")} from ${from} to ${to} for
      ${purpose === null ? "a purpose that no longer exists" : `“${purpose}”`}, where it had said that
      ${number(expected)} a day is the most it needs. Those who run this service look into it. If you do not want it,
      disconnect the app.`
  },
  entries: (count: number): string => plural(count, "entry", "entries"),
  columns: { when: "When", request: "Request", learned: "What it learned", purpose: "Purpose" },
  /** The name of the column. On the narrow screen of a phone the name stands beside each cell. */
  learned: "Learned",
  span: (first: Html, last: Html): Html => html`${first} to<br />${last}`,
  withinAnHour: "within an hour",
  nothing: "Nothing about you",
  /**
   * A request or event from which the app learned nothing. The text is for lists that have no column for the result.
   */
  refused: (request: Html, result: Html): Html => html`${request}: ${result}`,
  results: { Answered: "answered", Refused: "refused", Withheld: "withheld", "Not answered": "not answered" },
  strips: {
    heading: (days: number): string => `The last ${number(days)} days`,
    bar: (app: string, day: Html, requests: number): Html => html`${app}, ${day}: ${number(requests)}`,
    hint: "Choose a bar to see what the app asked on that day."
  },
  /** The headings of the columns in the CSV file of the access log. */
  file: ["Time (UTC)", "App", "Request", "What it did", "Purpose", "Outcome", "Code", "What it learned", "Times"]
}

/** The texts about the rules by which apps are notified, and about what each reading of a phone did to a rule. */
export const rules = {
  title: (app: string): string => `A rule of ${app}`,
  heading: (app: string): string => `Notifications for ${app}`,
  readings: "The last readings of your phone",
  explained: (app: string, log: string): Html =>
    html`What each reading did to this rule, the last to arrive first. ${app} can read this list too, but never where
      you were. The notifications that it got are in <a href="${log}">your access log</a>.`,
  none: "This rule has checked no reading yet.",
  measured: "Measured",
  did: "What it did",
  span: (first: Html, last: Html): Html => html`${first} to<br />${last}`,
  states: { inactive: "Not yet", disabled: "Not now", finished: "Over" },
  condition: {
    enter: (place: Html): Html => html`When you arrive at ${place}`,
    exit: (place: Html): Html => html`When you leave ${place}`,
    dwell: (place: Html, minutes: number): Html => html`When you stay ${number(minutes)} minutes at ${place}`
  },
  /** The condition of a rule that waits for some seconds before it notifies the app (`settle_s`). */
  settles: (condition: Html, seconds: number): Html =>
    html`${condition} (${plural(seconds, "second", "seconds")} later, unless it was a wrong position)`,
  /** The condition of a rule for a stay that also fires when the phone sends nothing for a while. */
  silent: (condition: Html, seconds: number): Html =>
    html`${condition} (or ${minutesAndSeconds(seconds)} later, when your phone was last seen there and sends nothing)`,
  /** The area of a rule: the app chose it, so the user reads where it lies. */
  area: (name: Html, app: string, radiusM: number, at: Html): Html =>
    html`${name}, an area that ${app} chose: ${number(radiusM)} m around ${at}`,
  /** The centre of an area, with the name of a town that is near. */
  nearTown: (at: string, town: string): string => `${at} (near ${town})`,
  window: (condition: Html, from: Html | null, until: Html | null): Html =>
    html`${condition}${from !== null && html`, from ${from}`}${until !== null && html`, until ${until}`}`,
  /** A rule that was imported with an address that is no endpoint of the app. */
  sentOnlyTo: (rule: Html, host: Html): Html => html`${rule} (sent only to ${host})`,
  /** What the person did, as the first words of some sentences of `outcomes`. */
  happened: {
    enter: "You came in",
    exit: "You went out",
    dwell: (minutes: number): string => `You had stayed ${number(minutes)} minutes`
  },
  outcomes: {
    seeded: "The first clear reading: it only shows where you begin.",
    boundary: "Too near the edge to decide whether you were there.",
    outsideWindow: "Outside the time for which the rule is valid.",
    late: "Your phone sent it more than a day after the rule had ended: ignored.",
    outOfOrder: "Older than a reading that was checked before: ignored.",
    noChange: { enter: "No change.", exit: "No change.", dwell: "No change, or not long enough yet." },
    crossed: {
      enter: (app: string): string => `You went out, which this rule does not watch. ${app} got no notification.`,
      exit: (app: string): string => `You came in, which this rule does not watch. ${app} got no notification.`,
      dwell: (app: string): string =>
        `You came in or went out; this rule watches only stays. ${app} got no notification.`
    },
    beforeRule: (happened: Html, app: string): Html =>
      html`${happened} before this rule began: ${app} got no notification.`,
    sentLate: (happened: Html, later: Html, app: string): Html =>
      html`${happened}, but your phone sent it ${later} later: ${app} got no notification.`,
    coolingDown: (happened: Html, app: string): Html =>
      html`${happened}, less than 2 minutes after the last time: ${app} got no second notification.`,
    settling: (happened: Html, seconds: number, app: string): Html =>
      html`${happened}: ${app} gets a notification when no reading of the next
      ${seconds === 1 ? "second" : `${number(seconds)} seconds`} says otherwise.`,
    contradicted: (app: string): string =>
      `Back where you were before: the last crossing was probably a wrong position. ${app} got no notification.`,
    fired: (happened: Html, app: string): Html => html`${happened}: we prepared a notification for ${app}.`
  },
  /** How much later something happened. The count is always greater than one, so only the plural is needed. */
  later: {
    minutes: (count: number): string => `${number(count)} minutes`,
    hours: (count: number): string => `${number(count)} hours`,
    days: (count: number): string => `${number(count)} days`
  },
  legend: {
    inside: "inside",
    outside: "outside",
    fired: "notified",
    late: "too late to notify",
    edge: "too near the edge",
    cooled: "less than 2 minutes after the last time"
  }
}
