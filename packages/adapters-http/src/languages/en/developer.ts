import type { App } from "@place-access/domain/apps"
import type { Connection } from "@place-access/domain/connection"
import type { ListedRule, RuleEvaluation } from "@place-access/domain/rules"
import { type Html, html } from "../../html/Html.js"
import { number, plural } from "./words.js"

/**
 * The texts of the pages on which developers see their apps. The texts about purposes and webhooks are in separate
 * files.
 */
export const developer = {
  yourApps: "Your apps",
  /** The names of an app's properties: they are labels of fields and headings of rows. */
  parts: {
    name: "Name",
    description: "Description",
    homepage: "Web page",
    logo: "Logo",
    theLogo: "The logo",
    scopes: "Scopes",
    redirects: "Redirect URIs",
    none: "None"
  },
  versions: { inForce: "In force", waits: "Waits for a reviewer" },
  badges: {
    revoked: "Revoked",
    onHold: "On hold",
    states: { sandbox: "Sandbox", in_review: "In review", production: "Production" } satisfies Record<
      App.AppStatus,
      string
    >,
    sensitive: "Sensitive"
  },
  noteWithDecision: "Note with the decision",
  /**
   * The problems of a form that a person opened before somebody else changed the saved values. Each text continues a
   * sentence that begins with the name of the field.
   */
  outdated: {
    text: (saved: string): string => `is as your form had it; the saved value is: ${saved}`,
    textNone: "is as your form had it; no value is saved",
    list: (posted: string): string => `are shown as they are saved now; your form had: ${posted}`,
    listNone: "are shown as they are saved now; your form had none",
    address: (posted: string): string => `is shown as it is saved now; your form had: ${posted}`,
    addressNone: "is shown as it is saved now; your form had none",
    allEvents: "are shown as they are saved now; your form had none ticked, which means all events"
  },
  tabs: {
    overview: "Overview",
    users: "Users",
    calls: "Request log",
    webhooks: "Webhooks",
    deliveries: "Delivery log",
    testPeople: "Test people",
    team: "Team"
  },
  figures: {
    heading: (days: number): string => `The last ${days} days`,
    users: "Users now",
    usersMost: (most: number): string => `of the newest ${number(most)} connections`,
    connected: "New connections",
    calls: "Calls",
    errors: "Errors",
    errorShare: (share: string): string => `${share}% of the calls`,
    rateUse: "Rate limit used at most",
    rateShare: (percent: number): string => `${number(percent)}%`,
    rateText: (limited: number): string =>
      limited === 0 ? "by one user, no call refused" : `by one user, ${plural(limited, "call", "calls")} refused`,
    firings: "Rules fired",
    day: "Day",
    number: "Number",
    percent: "Percent",
    caption: (what: Html): Html => html`${what}, by day`,
    hint: "Counted once a second. A crash can lose a second, so do not write bills from these numbers. A day begins at midnight in your time zone.",
    splitHours:
      "Calls are counted by hours of UTC, and midnight in your time zone is within such an hour: an hour that contains midnight counts for the earlier day.",
    log: "See the request log"
  },
  calls: {
    title: (app: string): string => `${app}: request log`,
    lead: "The app’s own calls of the last 7 days, the newest first, with the request ids of their answers. The log has no user, no query and no address.",
    all: "All calls",
    refused: "Errors only",
    which: "Which calls",
    empty: "No call is in the log yet. It takes a second until one appears.",
    noneRefused: "No call was refused.",
    at: "At",
    endpoint: "Call",
    status: "Status",
    error: "Error",
    requestId: "Request id",
    older: "Older",
    newest: "Newest",
    unlisted: (count: number): string =>
      `${plural(count, "call", "calls")} of the last 7 days came too fast to be listed. ${count === 1 ? "It is" : "They are"} counted.`
  },
  apps: {
    lead: html`An app asks users for permission, reads answers about their places, and gets events when something
      happens. How, the <a href="/docs">documentation</a> explains; it begins with a
      <a href="/docs/quick-start">quick start</a>.`,
    empty: "You have no apps yet. The first one makes you a developer.",
    created: (at: Html): Html => html`Created ${at}`,
    create: "Create an app",
    createLead: "It begins in the sandbox, where only you can connect it.",
    createApp: "Create app",
    oldest: "Oldest",
    more: "More",
    nameHint: "Users see it at consent.",
    descriptionHint: "What the app does for its users, in a sentence or two.",
    homepageHint: "Optional.",
    scopesHint: "The most that users can allow your app. Ask for little: users decline what they do not understand.",
    cannotBeUsed: (reason: Html): Html => html`cannot be used: ${reason}`
  },
  app: {
    next: "Next: register the addresses to which users return. That also gives you the client secret.",
    credentials: "Credentials",
    clientId: "Client id",
    clientSecret: "Client secret",
    clientSecretText:
      "Shown once, when it is issued. When you issue another one, the old one works for another 24 hours.",
    redirectsHint:
      "One per line. Users return to exactly these addresses: https, http on localhost, or a private scheme such as com.example.app:/back.",
    saveRedirects: "Save the redirect URIs",
    register: "Register and issue a secret",
    about: "About the app",
    addLogo: "Add a logo",
    changeLogo: "Change the logo",
    save: "Save",
    authorize: "Authorize address",
    authorizeText: html`Send your user’s browser here. Put the SHA-256 of a fresh verifier (base64url) in place of
      <code>CODE_CHALLENGE</code>, and 8 to 512 characters nobody can guess in place of <code>STATE</code>.`,
    authorizeUrl: "Address to copy",
    authorizeNone: "An address must ask for at least one scope, and the app can ask for none at the moment.",
    authorizeLeftOut: (scopes: Html): Html =>
      html`Not in the address, because each of them needs a purpose that the app may use: ${scopes}.`,
    revoked: "Revoked",
    revokedText: (at: Html): Html =>
      html`The app was revoked ${at}, which is final. Its tokens and client secrets do not work, and its users are
      disconnected.`,
    onHold: (at: Html): Html =>
      html`<strong>The app has been on hold since ${at}</strong>, because the account of its holder is suspended. It
        gets no answers and no events, and nobody can connect it. When the suspension ends, everything works again.`,
    waitsSince: (at: Html): Html => html`It waits since ${at}.`,
    changes: "Changes that wait for review",
    changesWait: (at: Html): Html =>
      html`They wait since ${at}. You get a mail when a reviewer has decided. Until then users see what is in force.`,
    withdrawText:
      "If you withdraw the changes, the approved version stays in force. To withdraw one part, set it back in the forms below.",
    withdraw: "Withdraw these changes",
    ownersWithdraw:
      "Only owners can withdraw these changes, because they include redirect URIs. You can set the other parts back in the forms below.",
    narrowed: html`<strong>An admin narrowed the app.</strong> Of the scopes that you declare it can use, for live
      tokens too:`,
    narrowedToNone: "none",
    submit: "Submit the app for review",
    standing: {
      sandbox: {
        title: "In the sandbox",
        text: "Apart from test people, only its holder can connect the app: the person in whose name it is registered. Submit it when it is ready: a reviewer looks at its name, description, web page, logo and scopes. Purposes are reviewed separately."
      },
      in_review: {
        title: "In review",
        text: "A reviewer looks at the app. You get an e-mail with the decision. Until then, apart from test people, only its holder can connect it, and you cannot add scopes."
      },
      production: {
        title: "In production",
        text: "Everybody can connect the app. You can change it at any time. A new name, description, web page, logo, scope or redirect URI on a new host waits for a reviewer; until then the approved version stays in force."
      }
    } satisfies Record<App.AppStatus, object>,
    cannotBeChanged: (reason: Html): Html => html`cannot be changed like this: ${reason}`,
    cannotBeRegistered: (reason: Html): Html => html`cannot be registered: ${reason}`,
    /**
     * A mistake in one line of a field with several lines. `fault` is the rest of the sentence and begins with a verb.
     */
    inLine: (line: number, fault: Html): Html => html`in line ${line} ${fault}`,
    redirectsWait: "We send no user there until a reviewer approves it."
  },
  logo: {
    titleOf: (app: string): string => `Logo of ${app}`,
    heading: "Logo",
    lead: "Users see it beside the app’s name when they are asked for permission.",
    newWaits: "A new logo waits for a reviewer; until then users see the one in force.",
    present: "Present logo",
    newLogo: "A new logo",
    hint: (from: number, to: number, kib: number): string =>
      `A PNG file: square, ${from} to ${to} pixels wide, at most ${kib} KiB, not animated.`,
    upload: "Upload",
    removeText: "Without a logo users see the name alone, from now on. To undo this, upload the logo again.",
    remove: "Remove the logo",
    choose: "choose one",
    cannotBeUsed: "cannot be used",
    tooLarge: (kib: number): string => `must be at most ${kib} KiB`
  },
  secrets: {
    heading: "Client secrets that work",
    issued: (at: Html): Html => html`Issued ${at}`,
    issuedUntil: (at: Html, until: Html): Html => html`Issued ${at}, ends ${until}`,
    newest: "Newest",
    endEarlierNow: "End the earlier secrets now",
    endEarlierText:
      "A server of yours that still uses one of them cannot get or refresh tokens from now on. The newest secret, connections and access tokens stay. This cannot be undone.",
    endEarlier: "End the earlier secrets",
    leaked: "Somebody else may have the secret",
    replaceText:
      "You get a new secret, and every other one ends at once. Until your servers have the new one, they cannot get or refresh tokens. Connections and access tokens stay; an access token lives for an hour at most. This cannot be undone.",
    replace: "Replace the secret now",
    title: "Client secret",
    titleOf: (app: string): string => `Client secret of ${app}`,
    shownOnce: "This is shown once.",
    keep: "Keep it on your server, never in an app that users install.",
    secret: "Secret",
    kept: "I have kept it",
    earlierWorks: "The secret before it works for another 24 hours.",
    earlierEnded: "Every other secret of the app has ended."
  },
  users: {
    title: (app: string): string => `${app}: users`,
    lead: html`Everybody who connected the app, the newest first, ended connections included. You know users by the
      <code>sub</code> that your app gets and by the <code>external_user_id</code> that it sent.`,
    empty: "Nobody has connected the app yet. Send a user to the authorize address under Overview.",
    newest: "Newest",
    older: "Older",
    user: "User",
    state: "State",
    scopes: "Scopes",
    connected: "Connected",
    ends: "Ends",
    rules: "Rules",
    ended: "Ended",
    reasons: {
      user_disconnected: "The user ended it",
      app_revoked_token: "Your app ended it",
      admin_revoked: "The app was revoked",
      expired: "The time that the user allowed was over",
      refresh_token_reused: "A refresh token was used twice, so it may have been stolen",
      code_reused: "A code was used twice, so it may have been stolen"
    } satisfies Record<Connection.EndReason, string>,
    lapsed: "Sensitive lapsed",
    live: "Live",
    noScope: "None",
    notNow: "Not now",
    endedAt: (at: Html): Html => html`Ended ${at}`,
    noEnd: "No end date",
    sensitiveUntil: (at: Html): Html => html`Sensitive until ${at}`,
    sensitiveLapsed: (at: Html): Html => html`Sensitive lapsed ${at}`,
    renewable: (lapsed: Html, until: Html): Html => html`Sensitive lapsed ${lapsed}, renewable until ${until}`
  },
  rules: {
    title: (app: string): string => `${app}: rules of a user`,
    heading: (sub: string): Html => html`Rules of <code>${sub}</code>`,
    lead: html`What the last readings of the user’s phone did to each rule, as
      <code>GET /v1/rules/…/evaluations</code> tells the app. The user’s access log says that you looked.`,
    empty: "The app has no rules on this connection that it can read.",
    newer: "Newer rules",
    oldest: "Oldest rules",
    newest: (at: Html, outcome: Html, text: Html): Html => html`Newest check: ${at}, ${outcome}, ${text}.`,
    checks: (count: number): string =>
      count === 0
        ? "The rule"
        : count === 1
          ? "The rule and its last check"
          : `The rule and its last ${plural(count, "check", "checks")}`,
    rule: "Rule",
    states: {
      active: "Active",
      inactive: "Not open yet",
      disabled: "Disabled",
      finished: "Finished"
    } satisfies Record<ListedRule["state"], string>,
    ownAddress: "own address (deprecated)",
    paused: html`<strong>The user has paused the app.</strong> Until the pause ends, no rule fires, and neither you nor
      the app can read what the last readings did to a rule.`,
    silentDisabled: "Nothing is shown while the rule is disabled.",
    silentZone: "No reading was checked yet, or more than twenty zone rules of this connection began within an hour.",
    silentPlace: "No reading was checked yet.",
    measured: "Measured",
    received: "Received",
    decision: "Decision",
    event: "Event",
    outcomes: {
      seeded: "the first clear reading: never fires",
      boundary: "too near the edge to decide",
      no_change: "the same side, no dwell due",
      crossed: "a direction that the rule does not ask about",
      stale: "arrived over 15 minutes after its capture, or captured before the rule began",
      cooling_down: "under 2 minutes after the last firing",
      settling: "crossed: waits settle_s for a contradiction",
      contradicted: "back within settle_s: the crossing does not count",
      outside_window: "captured outside the window",
      late: "arrived over a day after the window closed",
      out_of_order: "older than a reading that was checked before",
      fired: "an event was sent"
    } satisfies Record<RuleEvaluation.RuleOutcome, string>
  }
}

/** The texts of the page about an app's test people. */
export const testPeople = {
  labels: {
    name: "Name",
    lat: "Latitude of Home",
    lon: "Longitude of Home",
    scopes: "Scopes",
    trip: "Trip",
    place: "Place",
    minutes: "Minutes",
    late_minutes: "Minutes late",
    accuracy_m: "Accuracy in metres",
    file: "File"
  },
  titleOf: (app: string): string => `Test people of ${app}`,
  lead: "A test person has places, a phone and a connection to your app. You send the phone on a trip, and everything behind it is real: rules fire, and your endpoints get signed webhooks.",
  empty: "No test person yet.",
  unavailable: (reason: Html): Html => html`The app can have no test people: ${reason}.`,
  notInProduction:
    "An app in production has no test people. Create another app to test with: it begins in the sandbox.",
  noMore: (most: number): string => `An app can have ${most} test people. Remove one to create another.`,
  add: "Create a test person",
  addText:
    "With two places, Home and Work, both shared with your app, and a connection for 90 days. Nobody can sign in as a test person. When your app goes to production, its test people are removed.",
  nameHint: "For you, to tell test people apart.",
  homeHint: "In degrees. Work is about 3 km east of it.",
  scopesHint: "What the person allows your app. A sensitive scope needs a purpose of the app.",
  make: "Create test person",
  cannotBeMade: (reason: Html): Html => html`cannot be created: ${reason}`,
  made: "Created",
  places: "Places",
  ended: "Ended",
  lastReading: "Newest reading",
  noReading: "None yet",
  trip: "Simulate a trip",
  tripText:
    "Nothing waits: the readings carry times in the past, and the last one is now. A reading that is more than 15 minutes old fires no rule. So the arrival of a long stay fires nothing, and its end fires the rules about stays.",
  kinds: {
    arrive: "Arrive: from 500 m outside to the centre",
    leave: "Leave: from the centre to 500 m outside",
    stay: "Stay: arrive, and stay until now"
  },
  minutesHint: "How long a stay is: 5 to 720. The other trips ignore it.",
  quality: "Late or inaccurate readings",
  lateHint: "How many minutes after its end the trip is uploaded: 0 to 1,440. More than 15: no rule fires.",
  accuracyHint:
    "1 to 10,000. A reading decides nothing when its accuracy is worse than its distance from the edge of the place.",
  simulate: "Start the trip",
  log: "Send a recorded log",
  logText: (readings: number, mib: number): string =>
    `A file of recorded positions (GPX, KML, GeoJSON, TCX, FIT, CSV, an OwnTracks log or a Google Timeline) with up to ${number(readings)} readings and ${mib} MiB. It is moved in time, so that its last reading is now.`,
  chooseLog: "must be chosen first",
  logTooLarge: (mib: number): string => `must be at most ${mib} MiB`,
  sendLog: "Send the log",
  sent: (readings: number): string => `The phone sent ${plural(readings, "reading", "readings")}.`,
  began: (at: Html): Html => html`The first was captured ${at}.`,
  stored: (accepted: number): string => `New: ${number(accepted)}.`,
  toDeliveries: "See the deliveries",
  cannotTravel: (reason: Html): Html => html`is not possible: ${reason}`,
  remove: "Remove this test person",
  removeText: "The connection and its tokens end at once, and everything of the person is deleted.",
  removeButton: "Remove test person",
  madeTitle: "Your test person",
  shownOnce: "The tokens are shown once.",
  shownOnceText: "They are what your app would get after a real consent. If you lose them, create another person.",
  accessToken: "Access token, for an hour",
  refreshToken: "Refresh token",
  phoneToken: "Token of the phone",
  tryIt: "Try it",
  kept: "I have kept them"
}
