import { type Html, html } from "../../html/Html.js"
import { number, plural } from "./words.js"

/** The texts of the pages of reviewers, and the texts that these pages share with the pages of admins. */
export const review = {
  title: "Review",
  titleOf: (name: string): string => `Review: ${name}`,
  titleOfPurpose: (purpose: string, app: string): string => `Review: ${purpose} of ${app}`,
  tabs: { waiting: "Waiting", flags: "Volume flags", leaks: "Leaked keys", apps: "All apps" },
  newest: "Newest",
  older: "Older",
  longestWaiting: "Longest waiting",
  more: "More",
  none: "None",
  apps: {
    title: "Review: all apps",
    lead: "Everybody’s apps, the newest first, with the decisions about them.",
    empty: "There are no apps yet.",
    app: "App",
    state: "State",
    developer: "Developer",
    created: "Created",
    narrowed: "Narrowed"
  },
  about: {
    heading: "About the app",
    developer: "Developer",
    logo: "Logo",
    webPage: "Web page",
    requested: "Requested scopes",
    allowed: "Allowed scopes",
    redirects: "Redirect URIs",
    noRedirects: "Nothing registered yet",
    created: "Created",
    revoked: "Revoked",
    onHold: "On hold",
    onHoldText: (at: Html): Html => html`Since ${at}, because the account of its holder is suspended.`,
    noScope: "No scope",
    sensitive: "Sensitive"
  },
  hints: {
    heading: "Look twice",
    manyCalls: (purpose: Html, perDay: number): Html =>
      html`The purpose ${purpose} announces ${number(perDay)} calls a day and user, more than one every five minutes.`,
    otherHosts: (webPage: Html, hosts: Html): Html =>
      html`Users return to another host than that of the web page, ${webPage}:${hosts}.`,
    noWebPage: "The app has no web page on which users could read who asks.",
    shortDescription: (words: number, scopes: number): string =>
      `The description has ${plural(words, "word", "words")} for ${plural(scopes, "scope", "scopes")}.`,
    noPurpose: (scopes: Html): Html => html`No purpose says what these sensitive scopes are for:${scopes}.`
  },
  history: {
    heading: "Decisions so far",
    empty: "Nothing was decided about this app yet.",
    when: "When",
    decision: "Decision",
    about: "About",
    note: "Note",
    by: "By",
    kinds: { approved: "Approved", rejected: "Rejected", narrowed: "Narrowed", revoked: "Revoked" },
    purpose: (key: Html): Html => html`Purpose ${key}`,
    app: (name: string): string => `The app ${name}`,
    leftNoScope: "Left: no scope",
    left: (scopes: ReadonlyArray<string>): string => `Left: ${scopes.join(", ")}`,
    changes: "Changes",
    inForceThen: "In force then",
    askedFor: "Asked for"
  },
  decision: {
    heading: "Decide",
    own: "You are in the team of this app, so another reviewer decides about it.",
    mailed: "The developer gets an e-mail with your note.",
    yours: "Your decision",
    note: "Note to the developer",
    noteHint: "To reject, say what has to change. To approve, you can leave it empty.",
    approve: "Approve",
    reject: "Reject",
    notRecorded: "Your decision was not recorded",
    changed: "The developer changed it after you opened this page. Read it again, then decide.",
    expired:
      "This form had expired, because you signed in or confirmed anew. Your note is in the form again: decide once more.",
    meanwhile: (reason: Html): Html => html`Meanwhile ${reason}.`,
    waitsSince: (at: Html): Html => html`Waits for a decision since ${at}.`,
    administer: "Administer this app",
    changes: "Changes to decide on",
    changesText: "The app is in production. Users see what is in force until you approve.",
    purposes: "Purposes",
    noPurposes: "The app has no purpose, so it cannot ask for exact locations.",
    firstApp:
      "If you approve, the app goes into production: everybody can connect it. If you reject, it goes back to the sandbox.",
    changedApp:
      "If you approve, the changes are in force at once. If you reject, the earlier version stays in force, and the app goes on working.",
    firstPurpose: "If you approve, users read it in exactly these words, and the app can use it in production.",
    changedPurpose:
      "If you approve, the new wording replaces the one in force. If you reject, the earlier wording stays in force.",
    purpose: (key: Html): Html => html`Purpose ${key}`,
    ofApp: {
      revoked: (app: string, developer: Html): Html => html`Of ${app}, which is revoked, by ${developer}.`,
      sandbox: (app: string, developer: Html): Html => html`Of ${app}, which is in the sandbox, by ${developer}.`,
      in_review: (app: string, developer: Html): Html => html`Of ${app}, which is in review, by ${developer}.`,
      production: (app: string, developer: Html): Html => html`Of ${app}, which is in production, by ${developer}.`
    },
    wording: "Wording",
    lastNote: "Note of the last decision",
    archived: (at: Html): Html => html`Its developer archived it ${at}: apps can no longer use it.`,
    staysInForce: "The approved wording stays in force until a new one is approved."
  },
  wording: {
    users: "Users read",
    scopes: "Scopes",
    expected: "Expected",
    volume: (calls: number): string => `${plural(calls, "call", "calls")} a day and user`,
    inReview: "In review",
    newest: "Newest",
    approved: "Approved",
    inForce: "In force"
  },
  preview: {
    inForce: "In force",
    proposed: "If you approve",
    theInForce: "The consent page: in force",
    theProposed: "The consent page: if you approve",
    alsoInForce: "Consent page: in force",
    alsoProposed: "Consent page: if you approve",
    title: (app: string): string => `Consent page of ${app}`,
    versions: "Versions of the consent page",
    noRedirect: "The app has no redirect URI, so it cannot ask users yet.",
    explained:
      "This is the page for a user who was never connected, when the app asks for everything that it can have. Nothing on it can be pressed. The account is yours; the places are examples.",
    origins: "The app can send users back to each of these; the page shows the one that it asks for:",
    hidden: "Not on the page, because no approved purpose covers it, or because an admin took it away:"
  },
  queue: {
    title: "Review: waiting",
    lead: "Purposes and apps that wait for a decision, the longest waiting first.",
    empty: "Nothing waits for a decision.",
    changedApp: "Changes to an app in production",
    newApp: "App, into production",
    editedPurpose: "Edit of an approved purpose",
    newPurpose: "New purpose",
    since: (at: Html, developer: Html): Html => html`Waits since ${at}. From ${developer}.`,
    app: (state: Html): Html => html`The app: ${state}`
  },
  flags: {
    title: "Review: volume flags",
    lead: "Connections about which an app asked for exact locations more than twice as often in a day as its purpose expects, the newest first. No call was refused for it.",
    empty: "No app has asked unusually often.",
    app: "App",
    connection: "Connection",
    purpose: "Purpose",
    asked: "Asked",
    expected: "Expected",
    when: "When",
    times: (count: number): string => plural(count, "time", "times"),
    aDay: (count: number): string => `${number(count)} a day`,
    fromTo: (from: Html, to: Html): Html => html`${from} to<br />${to}`
  },
  leaks: {
    title: "Review: leaked keys",
    lead: "Connections whose spent refresh token or code somebody used again, the newest first. Each connection ended at once, and its user got an e-mail. Several connections of one app mean that the app leaks its tokens.",
    empty: "No spent token or code was used again.",
    app: "App",
    connection: "Connection",
    key: "Reused key",
    when: "When",
    refreshToken: "A refresh token",
    code: "A code",
    ended: "A token or code of a connection that had ended before"
  }
}
