import type { Account } from "@place-access/domain/accounts"
import type { AuditEvent } from "@place-access/domain/audit"
import type { QueueBacklog } from "@place-access/domain/staff"
import { type Html, html } from "../../html/Html.js"
import { browserName, number, plural } from "./words.js"

const from = (network: string | null): string => (network === null ? "" : ` from ${network}`)

/** The pages of admins. */
export const admin = {
  tabs: { label: "Admin", apps: "Apps", accounts: "Accounts", audit: "Audit log", service: "Service" },
  service: {
    title: "Admin: service",
    noWorker: "No worker is alive.",
    noWorkerText: "Webhooks and mails wait, and nothing is deleted that has expired. Start a worker.",
    numbers: "Numbers",
    accounts: "Accounts",
    accountsOf: (all: Html, made: number, days: number): Html => html`${all}, ${number(made)} new in ${days} days`,
    suspended: "Suspended accounts",
    apps: "Apps",
    appsOf: (production: number, inReview: number, sandbox: number): string =>
      `${number(production)} in production, ${number(inReview)} in review for the first time, ${number(sandbox)} in the sandbox`,
    workers: "Workers alive",
    flags: (days: number): string => `Volume flags in ${days} days`,
    leaks: (days: number): string => `Connections with a leaked key in ${days} days`,
    queues: "What waits for a worker",
    queue: "Queue",
    due: "Due",
    oldest: "Oldest",
    names: {
      outbox: "Events to fan out",
      deliveries: "Webhooks to send",
      mail: "Mails to send",
      imports: "Files to import"
    } satisfies Record<QueueBacklog["queue"], string>,
    orMore: (count: number): string => `${number(count)} or more`,
    hint: "A queue whose oldest entry is minutes old has too few workers. Webhooks also wait when the server of one app does not answer in time. Mails also wait when no mail server is set (SMTP_URL), or when it does not accept them: the workers' log says why."
  },
  titleOf: (name: string): string => `Admin: ${name}`,
  roles: { developer: "Developer", reviewer: "Reviewer", admin: "Admin" } satisfies Record<Account.Role, string>,
  noRole: "No role",
  suspended: "Suspended",
  search: {
    title: "Admin: accounts",
    label: "E-mail address or id",
    lead: "Find one account, to give or remove roles, to suspend it or to sign it out.",
    hint: "The whole address, or an id such as usr_…. There is no search by parts of a name.",
    find: "Find account",
    nobody: "belongs to no account here"
  },
  account: {
    about: "About the account",
    email: "E-mail address",
    noEmail: "no address",
    id: "Id",
    created: "Created",
    happened: "What happened with this account",
    rolesHeading: "Roles",
    rolesText: "A change works at once. The account gets an e-mail, and the audit log has an entry.",
    means: {
      developer: "Created apps. Everybody becomes a developer with their first app.",
      reviewer: "Decides about apps and purposes of other people, and sees no location.",
      admin: "Can do what a reviewer can. Ends apps, gives roles and suspends accounts."
    } satisfies Record<Account.Role, string>,
    take: (role: Html): Html => html`Remove the role ${role}`,
    give: (role: Html): Html => html`Give the role ${role}`,
    access: "Access",
    signOut: "Sign out",
    signOutText: "Signs every browser of the account out. Its owner can sign in again.",
    signOutEverywhere: "Sign out everywhere",
    suspend: "Suspend",
    suspendOwn: "This is your own account. If it must be suspended, ask another admin.",
    suspendNamed: (name: string): string => `Suspend ${name}`,
    suspendWhile: "While it is suspended:",
    suspendSignIn: "nobody can sign in with it, and its browsers can do nothing until it is resumed;",
    suspendApps: "apps get no answers and no events about it, and its own apps are on hold;",
    suspendPhones: "its phones can still upload, and nothing is deleted except its open invitations into teams.",
    suspendBack: "You can resume it at any time. Its owner gets an e-mail.",
    suspendAccount: "Suspend account",
    resume: "Resume",
    resumeText:
      "Everything works as before: its browsers are signed in again. Events from the time between are not sent later.",
    resumeFirst: "Did somebody else get into the account? Sign it out everywhere first.",
    resumeAccount: "Resume account"
  },
  apps: {
    title: "Admin: apps",
    lead: "The apps of all developers, the newest first. Here you restrict the scopes of an app, or end it.",
    toReview: "Its purposes and review",
    revoked: (at: Html): Html => html`Revoked ${at}`,
    scopes: "Scopes",
    reason: "Reason",
    allowed: "Allowed scopes",
    own: "You are in the team of this app, so another admin limits its scopes.",
    allowedText:
      "Remove a tick, and the app loses the scope at once: for users who allowed it too, and even when the developer declares it again. Put back, it works again for whoever allowed it. The developer gets a mail.",
    allowedHint: "All ticked: no restriction. None ticked: the app's tokens open nothing.",
    saveScopes: "Save scopes",
    end: "End the app",
    revoke: (app: string): string => `Revoke ${app} for good`,
    cannotUndo: html`<strong>This cannot be undone.</strong> From that moment:`,
    endTokens: "none of its access tokens, refresh tokens and codes works;",
    endRules: "its rules are stopped, and deliveries that wait are not sent;",
    endUsers: "every user is disconnected, and nobody can connect it again;",
    endReview: "its purposes and the app itself leave the review queue.",
    endLogs: "Its users’ access logs keep its requests. The developer gets an e-mail with the reason.",
    reasonHint: "The developer reads it.",
    revokeApp: "Revoke app"
  },
  audit: {
    title: "Admin: audit log",
    lead: "Security events, and what staff and operators did, the newest first. Attempts to sign in are kept for 90 days, everything else for 400.",
    nothing: "Nothing was recorded that fits.",
    when: "When",
    account: "Account",
    happened: "What happened",
    by: "By",
    accountId: "Id of an account",
    from: "From",
    until: "Until",
    everything: "Everything",
    filter: "Filter",
    newest: "Newest",
    older: "Older",
    notOfList: "must be one of the list",
    mustBeId: "must be an id such as usr_…; find it under Accounts",
    noAccount: "None that exists",
    owner: "Its owner",
    operator: "An operator, on the server",
    stranger: "Somebody who did not prove who they are"
  },
  /** The names of the kinds of events in the filter of the audit log. */
  kinds: {
    account_made: "Account created",
    account_deleted: "Account deleted",
    account_suspended: "Account suspended",
    account_resumed: "Account resumed",
    sign_in: "Sign-in",
    sign_in_failed: "Wrong password or code",
    locked_out: "Lock-out",
    unlocked: "Lock-out ended",
    sessions_ended: "Signed out by staff",
    password_changed: "Password changed",
    reset_link_made: "Link for a new password",
    address_confirmed: "Address confirmed",
    address_changed: "Address changed",
    address_restored: "Address restored",
    name_changed: "Name changed",
    factor_added: "Second factor added",
    factor_removed: "Second factor removed",
    factor_removal_asked: "Removal of a factor asked for",
    factor_removal_stopped: "Removal of a factor stopped",
    recovery_code_used: "Recovery code used",
    passkey_copied: "Passkey perhaps copied",
    role_given: "Role given",
    role_taken: "Role removed",
    export_made: "Export created",
    export_fetched: "Export fetched",
    secret_rotated: "Secret replaced",
    secret_ended: "Secret ended",
    endpoint_added: "Endpoint added",
    endpoint_moved: "Endpoint address changed",
    review_decided: "Review decided",
    team_invited: "Invited into a team",
    team_invitation_withdrawn: "Invitation withdrawn",
    team_invitation_declined: "Invitation declined",
    team_joined: "Joined a team",
    team_role_changed: "Role in a team changed",
    team_left: "Left a team",
    team_handed_over: "App handed over"
  } satisfies Record<AuditEvent.AuditKind, string>,
  /** A sentence for each kind of event, which says what happened to the account. */
  said: {
    made: "The account was created.",
    madeAs: (roles: ReadonlyArray<string>): string => `The account was created, as ${roles.join(" and ")}.`,
    deleted: "An account was deleted.",
    suspended: "The account was suspended.",
    resumed: "The account was resumed.",
    signedIn: (browser: string | null, network: string | null): string =>
      `Signed in with ${browser === null ? "an unknown program" : browserName(browser)}${from(network)}.`,
    signInFailed: (network: string | null): string => `A password or a code was wrong${from(network)}.`,
    accountClosed: (network: string | null): string =>
      `Too many failures: sign-in to the account was closed for a while. The last one came${from(network)}.`,
    networkClosed: (network: string | null): string =>
      `Too many failures${from(network)}: sign-in from there was closed for a while.`,
    unlocked: "Its owner opened sign-in again.",
    sessionsEnded: (count: number): string => `Signed out of ${plural(count, "browser", "browsers")}.`,
    passwordByLink: "Set a new password with a link.",
    passwordChanged: "Changed the password.",
    resetLink: "Took a link with which the owner sets a new password.",
    addressConfirmed: "Confirmed the e-mail address.",
    addressChanged: "Changed the e-mail address.",
    addressRestored: "Took back a change of the e-mail address.",
    nameChanged: "Changed the name that others read.",
    factorAdded: {
      passkey: "Added a passkey as a second factor.",
      totp: "Added an authenticator app as a second factor.",
      recovery_codes: "Added recovery codes as a second factor."
    },
    factorRemoved: {
      passkey: "Removed a passkey as a second factor.",
      totp: "Removed an authenticator app as a second factor.",
      recovery_codes: "Removed recovery codes as a second factor."
    },
    factorRemovalAsked: "Asked to remove the second factor, which its owner lost.",
    factorRemovalStopped: "Stopped the removal of the second factor, which an operator had asked for.",
    recoveryCodeUsed: "Used a recovery code.",
    passkeyCopied: "Had a passkey refused: somebody may have copied it.",
    roleGiven: (role: string): string => `Became ${role}.`,
    roleTaken: (role: string): string => `Lost the role ${role}.`,
    exportMade: "Asked for an archive of the account.",
    exportFetched: "Fetched the archive of the account.",
    secretRotated: {
      client: (app: Html): Html => html`Replaced the client secret of the app ${app}.`,
      signing: (app: Html): Html => html`Replaced the signing secret of the app ${app}.`
    },
    secretEnded: {
      client: (app: Html): Html => html`Ended the client secret of the app ${app}.`,
      signing: (app: Html): Html => html`Ended the signing secret of the app ${app}.`
    },
    endpointAdded: (app: Html): Html => html`Added a webhook endpoint to the app ${app}.`,
    endpointMoved: (app: Html): Html => html`Changed the address of a webhook endpoint of the app ${app}.`,
    team: {
      team_invited: (app: Html, role: string): Html => html`Invited somebody into the team of ${app}, as ${role}.`,
      team_invitation_withdrawn: (app: Html, role: string): Html =>
        html`Withdrew an invitation into the team of ${app}, as ${role}.`,
      team_invitation_declined: (app: Html, role: string): Html =>
        html`Declined to join the team of ${app} as ${role}.`,
      team_joined: (app: Html, role: string): Html => html`Joined the team of ${app}, as ${role}.`,
      team_role_changed: (app: Html, role: string): Html => html`Became ${role} in the team of ${app}.`,
      team_left: (app: Html, role: string): Html => html`Is no longer ${role} in the team of ${app}.`,
      team_handed_over: (app: Html, role: string): Html => html`Holds the app ${app} now, as ${role}.`
    } satisfies Record<AuditEvent.TeamKind, (app: Html, role: string) => Html>,
    appDecided: {
      approved: (app: Html): Html => html`The app ${app} was approved.`,
      rejected: (app: Html): Html => html`The app ${app} was rejected.`,
      narrowed: (app: Html): Html => html`The app ${app} was narrowed.`,
      revoked: (app: Html): Html => html`The app ${app} was revoked.`
    },
    purposeDecided: {
      approved: (purpose: Html, app: Html): Html => html`The purpose ${purpose} of the app ${app} was approved.`,
      rejected: (purpose: Html, app: Html): Html => html`The purpose ${purpose} of the app ${app} was rejected.`,
      narrowed: (purpose: Html, app: Html): Html => html`The purpose ${purpose} of the app ${app} was narrowed.`,
      revoked: (purpose: Html, app: Html): Html => html`The purpose ${purpose} of the app ${app} was revoked.`
    }
  }
}
