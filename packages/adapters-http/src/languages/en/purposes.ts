import type { Role } from "@place-access/domain/teams"
import type { Purpose } from "@place-access/domain/purposes"
import { type Html, html, type Text } from "../../html/Html.js"
import { plural } from "./words.js"

/** The texts about purposes on the pages of developers. */
export const purposes = {
  labels: { key: "Key", description: "Description", scopes: "Scopes", volume: "Expected daily volume" },
  hints: {
    key: "What your code sends: 3 to 40 characters of a-z, 0-9 and _. No later purpose can have the same key.",
    description: "10 to 200 characters, shown to users as you write it.",
    volume: "The most calls that one user should need in a day, 1 to 10,000."
  },
  badges: {
    archived: "Archived",
    draft: "Draft",
    in_review: "In review",
    approved: "Approved",
    rejected: "Rejected"
  } satisfies Record<Purpose.Purpose["status"], string>,
  earlierInForce: "Earlier wording in force",
  heading: "Purposes",
  lead: "Each call for an exact location names the purpose it is for. Users read its description when they decide. In production only approved purposes work.",
  needsNone: "Your app declares no sensitive scope, so it needs no purpose.",
  revoked: "The app is revoked, so its purposes cannot be used or changed.",
  add: "Add a purpose",
  addPurpose: "Add purpose",
  scopesAndVolume: (scopes: ReadonlyArray<string>, calls: number): string =>
    `${scopes.join(", ")}; up to ${plural(calls, "call", "calls")} a day and user`,
  change: "Change",
  changeOf: (key: string): string => `Change ${key}`,
  look: "Look at",
  lookAt: (key: string): string => `Look at ${key}`,
  submit: "Submit for review",
  submitOf: (key: string): string => `Submit for review: ${key}`,
  title: (app: string, key: string): string => `${app}: purpose ${key}`,
  headingOf: (key: string): Html => html`Purpose <code>${key}</code>`,
  waitsSince: (at: Html): Html => html`It waits since ${at}.`,
  state: {
    archived: (at: Html): Html =>
      html`Archived ${at}: we refuse calls that name it, and no other purpose can have its key.`,
    revoked: "The app is revoked, so the purpose cannot be used or changed.",
    approved: "Approved: users read it in exactly these words.",
    staysInForce: "The approved wording stays in force until a new one is approved.",
    notBefore: "Your app cannot use it before it is approved.",
    meanwhile: "Your app can use it while the app is not in production.",
    next: {
      draft: "A draft, which nobody reviews until you submit it.",
      in_review: "A reviewer reads it. You get an e-mail with the decision.",
      rejected: "Not approved. Change it, or submit it again as it is."
    } satisfies Record<Exclude<Purpose.LiveStatus, "approved">, string>
  },
  edit: {
    heading: "Change it",
    keyStays: "The key stays.",
    save: "Save",
    after: {
      draft: "It stays a draft until you submit it.",
      in_review: "The reviewer then reads the new wording. The purpose keeps its place in the queue.",
      approved: "The new wording goes into review at once. Until it is approved, the present wording stays in force.",
      rejected: "The purpose is then a draft again, which you can submit."
    } satisfies Record<Purpose.LiveStatus, string>
  },
  archive: {
    heading: "Archive the purpose",
    forGood: (key: string): Html => html`Archive <code>${key}</code> for good`,
    text: "This cannot be undone. From then on we refuse calls that name it, and no other purpose can have its key. Scopes that no other purpose covers cannot be asked for any more.",
    archive: "Archive purpose"
  },
  cannotBeUsed: (reason: Html): Html => html`cannot be used: ${reason}`
}

/** The texts of the page of an app's team, and of the page of an invitation to a team. */
export const team = {
  labels: { email: "E-mail address", role: "Role" },
  title: (app: string): string => `Team of ${app}`,
  lead: "Everybody in the team sees the names of the others. Owners also see their e-mail addresses.",
  roles: { owner: "Owner", developer: "Developer", viewer: "Viewer" } satisfies Record<Role.TeamRole, string>,
  does: {
    owner: "Everything, with client secrets, redirect URIs and the team.",
    developer: "Changes the app, its purposes and its webhooks, sees its users, and tests it. No client secrets.",
    viewer: "Reads figures, logs and deliveries. Sees no secret and changes nothing."
  } satisfies Record<Role.TeamRole, string>,
  members: "Members",
  name: "Name",
  role: "Role",
  since: "Since",
  you: "You",
  holder: "Holder",
  holderText:
    "The app is registered in this person’s name. Users read it at consent, and the app counts among this person’s apps.",
  change: "Change",
  changeRole: "Change the role",
  newRole: (name: string): string => `Role of ${name}`,
  save: "Save the role",
  remove: "Remove from the team",
  handOver: "Hand the app over",
  handOverText:
    "The app is then in this person’s name. You stay in the team as an owner. You cannot take it back yourself.",
  closedRevoked: "The app was revoked, which is final: nobody can be invited, and nobody can take the app over.",
  closedOnHold: "The app is on hold: until the suspension of its holder ends, nobody can be invited.",
  leave: "Leave the team",
  leaveText: "You cannot open the app any more. To come back you need a new invitation.",
  holderStays: "You hold the app, so you cannot leave. Make somebody an owner and hand the app over first.",
  holderStaysForGood: "You hold the app, so you cannot leave its team.",
  invite: "Invite somebody",
  inviteText: (days: number): string =>
    `If this address has an account, we mail an invitation to it, if your own address is confirmed, and unless it got two within an hour. It is also on the page “Your apps” of whoever signs in with this address within ${days} days. We do not say whether there is an account.`,
  roleHint: "You can change it later.",
  send: "Send the invitation",
  cannotBeInvited: (reason: Html): Html => html`cannot be invited: ${reason}`,
  notDone: (reason: Html): Html => html`This was not done: ${reason}.`,
  invitations: "Open invitations",
  noInvitations: "None.",
  ends: "Ends",
  withdraw: "Withdraw",
  invitation: {
    title: (app: string): string => `Invitation into the team of ${app}`,
    text: (by: Text, app: string): Html =>
      html`The team of the app “${app}” wants you as a member. The invitation is from ${by}.`,
    until: (at: Html): Html => html`You can accept until ${at}.`,
    seen: "The others in the team see your name, and the owners also see your e-mail address. You can leave the team at any time.",
    accept: "Join the team",
    decline: "Decline",
    waiting: "Invitations for you",
    open: (app: string): string => `${app}: see the invitation`
  }
}
