import type { NoticeKind } from "@place-access/domain/accounts"
import { type Html, html, type Text } from "../../html/Html.js"
import { plural } from "./words.js"

/** The texts of an account's settings: the list of settings, and the page of each setting. */
export const settings = {
  title: "Settings",
  save: "Save",
  groups: { data: "Your data", account: "Signing in", pages: "Pages and mails" },
  imports: {
    heading: "Bring earlier data in",
    text: "GPX, KML, FIT, CSV and others, a Google Timeline or Takeout, or an archive of this service.",
    open: "Import a file…"
  },
  history: {
    heading: "How long your history is kept",
    present: (age: Html): Html => html`Now: ${age}.`,
    open: "Choose…",
    text: "Your history is where your phones were, and when you came to your places and left. It is kept for ever unless you choose otherwise here. Apps that you allowed to look back see no further than you choose. What is older is deleted for good, every hour, and what a phone sends that is older is not stored.",
    log: "Your access log is kept separately: you can read the requests of apps for 400 days.",
    field: "How long",
    legend: "Keep my history for",
    none: "You have no history at the moment.",
    stored: "Stored",
    since: "Since",
    nextDeletion: "Next deletion",
    never: "Never, unless you choose a limit",
    hourly: (age: Text): Html => html`Every hour: what is ${age} old by then`,
    next: (at: Html, age: Text): Html => html`${at}: what is ${age} old by then`,
    /**
     * Counts records and not visits: a visit that a phone reported and that the service also derived has two records.
     */
    extent: (locations: number, visits: number): string =>
      `${plural(locations, "location", "locations")} and ${plural(visits, "record of a visit", "records of visits")}`
  },
  keepLess: {
    title: "Keep less of your history?",
    heading: (age: Text): Html => html`Keep ${age} only?`,
    going: (extent: Html, oldest: Html | null): Html =>
      html`<strong>${extent} would be deleted for good</strong>${oldest !== null && html`, the oldest from ${oldest}`}.
        Apps stop seeing them at once; nobody can bring them back.`,
    confirm: (age: Text): Html => html`Delete them and keep ${age}`,
    cancel: "Change nothing"
  },
  name: {
    heading: "Your name",
    present: (name: string): Html => html`Others read <strong>${name}</strong>.`,
    change: "Change my name…",
    lead: "Teams that you are in, and the people who review apps, read this name. If you hold an app, its consent page shows it too. Apps that you connect do not get it.",
    field: "Name"
  },
  timeZone: {
    heading: "Your time zone",
    unknown: "Your browser did not say where you are, so pages show times in UTC.",
    present: (zone: string): Html => html`Pages show times as in <strong>${zone}</strong>. Mails too.`,
    choose: "Choose another…",
    lead: (now: Html): Html =>
      html`By the zone that is chosen now it is ${now}. The days of your timeline begin at midnight of this zone.`,
    field: "Time zone"
  },
  language: {
    heading: "Your language",
    ofBrowser: "Pages are in your browser's language, if we have it.",
    present: (language: Html): Html => html`Pages and mails are in ${language}.`,
    choose: "Choose another…",
    lead: "The language of pages and mails. With your browser's language, each browser shows pages in its own, and mails are in the language of the first browser that you signed in with.",
    field: "Language",
    browser: "Browser's language"
  },
  mails: {
    heading: "Which mails you get",
    none: "Mails about your decisions and about the safety of your account, nothing else.",
    present: (kinds: Html): Html =>
      html`Beside mails about your decisions and about the safety of your account: ${kinds}.`,
    choose: "Choose mails…",
    lead: "Tick what you want to know about. Of each kind you get one mail a day at most; of apps that ask unusually often, one for each app.",
    legend: "Mail me when",
    /** The kinds of mails. `name`: the kind as a label. `inLine`: the kind in a list within a sentence. */
    kinds: {
      asked_often: {
        name: "An app asks unusually often",
        inLine: "an app asks unusually often",
        hint: "At least 50 requests in a day, and more than three times its busiest day of the two weeks before."
      },
      phone_silent: {
        name: "My phone is silent",
        inLine: "my phone is silent",
        hint: "It has sent no location for a day. One mail for each silence."
      },
      ends: {
        name: "Something ends",
        inLine: "something ends",
        hint: "Two days before a connection ends, or an app loses your exact location."
      },
      weekly: {
        name: "A summary of my week",
        inLine: "a summary of my week",
        hint: "On Monday morning: which apps asked, and how often."
      }
    } satisfies Record<NoticeKind, unknown>,
    always: {
      heading: "Always sent",
      text: "A sign-in from a new browser, a new password, address or second factor, and a receipt for each of your decisions about apps. Somebody who uses your account without you must not be able to switch these mails off."
    }
  },
  address: {
    heading: "Your e-mail address",
    text: (address: string, isMailed: boolean): string =>
      isMailed ? `${address}. You sign in with it, and we write there.` : `${address}. You sign in with it.`,
    open: "Change or confirm it…"
  },
  factor: {
    heading: "Your second factor",
    text: "A passkey or a one-time code beside your password, so that the password alone signs nobody in.",
    open: "Passkeys and codes…"
  },
  noMail: (page: string): Html =>
    html`Your e-mail address is not confirmed, so we send no mail there. <a href="${page}">Confirm your address</a>`,
  serviceSendsNone: "This service sends no mail.",
  export: { open: "Take my data along…" },
  password: {
    heading: "Your password",
    text: (isMailed: boolean): string =>
      isMailed
        ? "A new password signs out every other browser. We tell you by mail."
        : "A new password signs out every other browser.",
    open: "Change my password…",
    title: "Change your password",
    lead: "Every other browser is signed out. This one stays signed in.",
    present: "Your present password",
    wanted: "New password",
    change: "Change the password",
    forgotten: (page: string): Html => html`You do not know it any more? <a href="${page}">Set a new one by mail</a>`
  },
  /**
   * Says what is wrong with the typed present password. Each text is the second part of a sentence that begins with the
   * name of the field.
   */
  passwordFaults: {
    missing: "must be given",
    wrong: "is wrong",
    tooOften: "was tried too often. Try again later"
  },
  sessions: {
    heading: "Where you are signed in",
    text: "The browsers in which you are signed in, each with a button that signs it out.",
    open: "Show them",
    lead: "A browser that is not used is signed out after 14 days, and every browser 30 days after it signed in.",
    nowhereElse: "You are signed in nowhere else.",
    unknown: (page: string): Html =>
      html`Do you see a browser that you do not know? Sign it out, then <a href="${page}">change your password</a>, and
        look at your passkeys: with a passkey, somebody can sign in again.`,
    someBrowser: "A browser or a program",
    thisBrowser: "This browser",
    signedIn: "Signed in",
    address: "Network address at sign-in",
    addressUnknown: "Not known",
    lastUsed: "Last used, to the hour",
    now: "Now",
    signOut: "Sign out",
    signOutOf: (browser: Text): Html => html`Sign out ${browser}`,
    signOutOthers: "Sign out everywhere else"
  },
  deletion: {
    heading: "Delete your account",
    text: "Deletes all your data and disconnects every app. The next page says exactly what, before you decide.",
    open: "Delete my account…",
    lead: (address: string): string => `This deletes ${address} and everything in it, at once. It cannot be undone.`,
    goes: {
      heading: "What will be removed",
      apps: "Every app is disconnected at that moment: its tokens are dead, its rules stop, and what waits to be sent is not.",
      phones: "Your phones can send nothing more, and you are signed out everywhere.",
      data: "Your places, your whole history, visits, imported files, your access log, messages to you, and your name, address and password are removed within minutes. The last traces, of requests that were under way, are gone a day later."
    },
    stays: {
      heading: "What stays",
      learned: "Apps keep what they learned about you before. Ask them to delete it.",
      decisions: (nobody: string): string =>
        `What you decided or did as a reviewer or admin stays on record, with “${nobody}” in place of your name.`,
      teamwork: (nobody: string): string =>
        `What you did in the team of an app stays on record, with “${nobody}” in place of your name.`,
      backups: "Backups of this service, if there are any, until those who run it throw them away.",
      mail: "One e-mail tells you that it happened; then your address is forgotten. You can create a new account with it at any time.",
      noMail: "Your address is forgotten. You can create a new account with it at any time."
    },
    owned: {
      heading: "Your apps",
      text: "An app that has another owner goes on, in that person’s name. The others end with your account: revoked, without secrets, redirect URIs and webhook endpoints. The people who use them are disconnected.",
      inherited: "goes on with another owner",
      entirely: "only you could connect it; it is removed entirely",
      unused: "nobody uses it now; its name, description and purposes stay readable for those who did",
      used: (people: number): string =>
        `${plural(people, "person uses", "people use")} it now; its name, description and purposes stay readable for them`
    },
    lastAdmin: (accounts: string): Html =>
      html`<strong>You are the only admin.</strong> The service needs another one before you can go: give somebody else
        the role under <a href="${accounts}">Admin: accounts</a>. An operator can do it too, with the server's command.`,
    password: "Password",
    wordField: "The word",
    /** The word that the person types to confirm the deletion. */
    word: "delete",
    wordHint: (word: Html): Html => html`Type <strong>${word}</strong>.`,
    wordFault: (word: Html): Html => html`must be “${word}”`,
    confirm: "Delete my account for good",
    done: {
      heading: "Your account is deleted",
      text: "Apps can ask nothing more about you, and your phones can send nothing more. The rest is being removed now.",
      mail: "An e-mail confirms it.",
      phone: "You can remove the app that sent your location from your phone.",
      home: "Go to the front page"
    }
  }
}

/**
 * The page's confirmation after a form was posted. The keys are the values of the parameter `done` in the page's
 * address.
 */
export const notices = {
  "place-created": "The place was created. No app sees it until you share it.",
  "place-changed": "The place was changed.",
  "place-archived":
    "The place was archived. Apps can no longer ask whether you are there. Apps with which it is shared can still see your past visits there, until you disconnect them.",
  "import-started": "The file is uploaded. We read it in the background: you can close this page.",
  "imports-started": "The files are uploaded. We read them in the background: you can close this page.",
  "imports-asking":
    "The files are uploaded. We read them in the background, but a table waits for your answer: say which of its columns are read.",
  "import-undone": "The import is being undone. Its locations and visits disappear from your history within minutes.",
  "import-removed": "The import was removed. Your history keeps what it had stored.",
  "export-requested": "We create your archive now. You get an e-mail when it is ready.",
  "export-requested-no-mail": "We create your archive now. Come back to this page to download it.",
  "export-confirmed": "Confirmed. You can download the archive now.",
  "export-deleted": "The archive was deleted. Your data stays as it is.",
  "device-removed": "The device was removed. Your history keeps what it sent.",
  "device-changed": "Saved. The change takes effect with the device's next reading.",
  "password-changed": "Your password was changed.",
  "address-asked":
    "A mail to the new address is on its way. Open its link in this browser within 24 hours; until then nothing changes. No mail after some minutes? Look into the spam folder. We send at most three links to one address in 24 hours.",
  "address-asked-no-mail":
    "Nothing has changed yet. The link cannot arrive, because at present this service sends no mail.",
  "address-mailed":
    "A mail with a link is on its way. Open the link in this browser within 24 hours. No mail after some minutes? Look into the spam folder. We send at most three links in half an hour.",
  "address-confirmed": "Your address is confirmed.",
  "passkey-added": "The passkey was added.",
  "passkey-is-there": "The passkey was added. If you have not kept your recovery codes, create new ones below.",
  "passkey-removed": "The passkey was removed. It signs nobody in any more.",
  "code-app-added": "One-time codes are on. Your recovery codes stay as they were.",
  "code-app-is-on": "One-time codes are on. If you have not kept your recovery codes, create new ones below.",
  "code-app-removed": "The app was removed. You can delete it from your phone.",
  "factor-kept": "Your second factor stays. Those who run this service cannot remove it now.",
  "session-ended": "The browser was signed out.",
  "session-not-listed": "No browser was signed out: the entry has ended or changed. Look at the list again.",
  "sessions-ended": "Every other browser was signed out.",
  "name-changed": "Saved. Others read the new name from now on.",
  "zone-chosen": "Saved. Pages show times in this zone from now on.",
  "language-chosen": "Saved. It counts for pages from now on, and for mails that are sent from now on.",
  "stretch-deleted": "Deleted for good. What apps learned before stays with them.",
  "notices-chosen": "Saved. We mail you what you ticked, and what is about the safety of your account.",
  "notices-chosen-no-mail": "Saved. At present we send you no mail. The page on which you chose says why.",
  "history-chosen": "Saved. It takes effect now.",
  disconnected: "The app was disconnected.",
  shared: "The places that the app can ask about were changed.",
  paused:
    "The app is paused. Until the pause ends, it learns nothing about where you are or were. It can see that you paused it.",
  resumed: "The app can ask again. Its rules begin anew.",
  "all-paused":
    "Every app is paused. Until its pause ends, no app learns anything about where you are or were. The apps can see that you paused them.",
  "all-resumed": "Every app can ask again. Their rules begin anew.",
  "exact-location-ended": "The app no longer gets your exact location.",
  "exact-location-not-restored": "Nothing has changed yet: the app still does not get your exact location.",
  "exact-location-restored": "The app gets your exact location again, until the same date as before.",
  "permissions-changed": "Saved. The change takes effect now.",
  "subscription-removed": "The address was removed.",
  "rule-removed": "The rule was removed.",
  "app-created": "The app was created. It is in the sandbox: only you can connect it.",
  "app-changed": "The app was changed.",
  "app-change-waits":
    "Saved. What needs a review waits for a reviewer. Until the decision the approved version stays in force; you get an e-mail then.",
  "purpose-created": "The purpose was created. Your app can use it while it is in the sandbox.",
  "purpose-created-unusable":
    "The purpose was created. Your app can use it when a reviewer has approved it: submit it for review.",
  "purpose-changed": "The purpose was changed.",
  "purpose-submitted": "The purpose is in review. You get an e-mail with the decision.",
  "purpose-edited":
    "The new wording is in review. The approved wording stays in force until the decision; you get an e-mail then.",
  "purpose-archived": "The purpose was archived. Calls that name it are refused from now on.",
  "app-submitted": "The app is in review. You get an e-mail with the decision.",
  "change-withdrawn": "The changes were withdrawn. The approved version stays in force.",
  "review-approve": "Approved. The developer gets an e-mail.",
  "review-reject": "Rejected. The developer gets an e-mail with your note.",
  "role-given": "The role was given. It works at once; the account gets an e-mail.",
  "role-taken": "The role was removed. The account gets an e-mail.",
  "admin-left": "You are no longer an admin.",
  "account-signed-out": "The account was signed out everywhere.",
  "account-suspended": "The account is suspended. Its owner gets an e-mail.",
  "account-resumed": "The account works again. Its owner gets an e-mail.",
  "app-narrowed": "The allowed scopes were saved. They apply to live tokens at once.",
  "app-revoked": "The app was revoked.",
  "endpoint-changed": "The endpoint was changed.",
  "client-secrets-ended": "The earlier client secrets have ended. The newest one works.",
  "secrets-ended": "The earlier secrets have ended. The newest one works.",
  redelivered: "The event is queued again. This is its new delivery.",
  retried: "The next attempt is due now.",
  "attempt-made": "The attempt came before you pressed the button, so the press did nothing.",
  "team-invited":
    "The invitation stands. If the address has an account, we mail it at most two invitations an hour. You see here when somebody has accepted.",
  "team-withdrawn": "The invitation was withdrawn.",
  "team-role-changed": "The role was changed. It holds from now on.",
  "team-member-removed": "The member was removed and cannot open the app any more.",
  "team-handed-over": "The app was handed over. You are still an owner.",
  "team-joined": "You are in the team now.",
  "team-declined": "You declined the invitation.",
  "team-left": "You left the team.",
  "test-person-removed": "The test person was removed. Its connection has ended.",
  "endpoint-removed": "The endpoint was removed. Deliveries that waited for it have failed."
}
