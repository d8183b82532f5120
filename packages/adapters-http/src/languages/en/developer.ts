import type { App } from "@place-access/domain/apps"
import type { ListedRule, RuleEvaluation } from "@place-access/domain/rules"
import { type Html, html } from "../../html/Html.js"

/** The pages of developers about their apps. Those about purposes and webhooks have files of their own. */
export const developer = {
  yourApps: "Your apps",
  /** What an app consists of, as labels of fields and as heads of rows. */
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
    states: { sandbox: "Sandbox", in_review: "In review", production: "Production" } satisfies Record<
      App.AppStatus,
      string
    >,
    sensitive: "Sensitive"
  },
  noteWithDecision: "Note with the decision",
  tabs: { overview: "Overview", users: "Users", webhooks: "Webhooks", deliveries: "Delivery log" },
  apps: {
    lead: html`An app asks users for permission, reads answers about their places, and gets events when something
      happens. How, the <a href="/docs">documentation</a> explains; it begins with a
      <a href="/docs/quick-start">quick start</a>.`,
    empty: "You have no apps yet. The first one makes you a developer.",
    created: (at: Html): Html => html`Created ${at}`,
    create: "Create an app",
    createLead: "It begins in the sandbox, where only you can connect it.",
    createApp: "Create app",
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
      "Shown once, when redirect URIs are registered. Registering again gives a new one; the old one works for another 24 hours.",
    redirectsHint:
      "One per line. Users return to exactly these addresses: https, http on localhost, or a private scheme such as com.example.app:/back.",
    register: "Register and issue a secret",
    about: "About the app",
    addLogo: "Add a logo",
    changeLogo: "Change the logo",
    save: "Save",
    authorize: "Authorize address",
    authorizeText: html`Send your user’s browser here. Put the SHA-256 of a fresh verifier (base64url) in place of
      <code>CODE_CHALLENGE</code>, and 8 to 512 characters nobody can guess in place of <code>STATE</code>.`,
    authorizeUrl: "Address to copy",
    revoked: "Revoked",
    revokedText: (at: Html): Html =>
      html`An admin revoked the app ${at}, which is final. Its tokens and client secrets do not work, and its users are
      disconnected.`,
    waitsSince: (at: Html): Html => html`It waits since ${at}.`,
    changes: "Changes that wait for review",
    changesWait: (at: Html): Html =>
      html`They wait since ${at}. You get a mail when a reviewer has decided. Until then users see what is in force.`,
    withdrawText:
      "If you withdraw the changes, the approved version stays in force. To withdraw one part, set it back in the forms below.",
    withdraw: "Withdraw these changes",
    narrowed: html`<strong>An admin narrowed the app.</strong> Of the scopes that you declare it can use, for live
      tokens too:`,
    narrowedToNone: "none",
    submit: "Submit the app for review",
    standing: {
      sandbox: {
        title: "In the sandbox",
        text: "Only you can connect the app. Submit it when it is ready: a reviewer looks at its name, description, web page, logo and scopes. Purposes are reviewed separately."
      },
      in_review: {
        title: "In review",
        text: "A reviewer looks at the app. You get an e-mail with the decision. Until then only you can connect it, and you cannot add scopes."
      },
      production: {
        title: "In production",
        text: "Everybody can connect the app. You can change it at any time. A new name, description, web page, logo, scope or redirect URI on a new host waits for a reviewer; until then the approved version stays in force."
      }
    } satisfies Record<App.AppStatus, object>,
    cannotBeChanged: (reason: Html): Html => html`cannot be changed like this: ${reason}`,
    cannotBeRegistered: (reason: Html): Html => html`cannot be registered: ${reason}`,
    /** A fault of one line of a field: it begins with a verb. */
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
    empty: "The app has no rules on this connection that it may read.",
    newer: "Newer rules",
    state: "State",
    rule: "Rule",
    states: {
      active: "Active",
      inactive: "Not open yet",
      disabled: "Disabled",
      finished: "Finished"
    } satisfies Record<ListedRule["state"], string>,
    ownAddress: "own address (deprecated)",
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
      outside_window: "captured outside the window",
      late: "arrived over a day after the window closed",
      out_of_order: "older than a reading that was checked before",
      fired: "an event was sent"
    } satisfies Record<RuleEvaluation.RuleOutcome, string>
  }
}
