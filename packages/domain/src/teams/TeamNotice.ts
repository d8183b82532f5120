// The mails about teams. Decision teams-5.
import type { Account } from "../accounts/Account.js"
import type { Link, MailMessage } from "../mail/Mail.js"
import { foldable } from "../mail/NamedMail.js"
import type { UserId } from "../shared/Ids.js"
import { Words } from "../shared/index.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { TeamRole } from "./Role.js"
import { endsAt, type Invitation, type Member, type Team } from "./Team.js"

/** Sentences that explain to members what their role allows. */
export const ROLE_WORDS: Readonly<Record<TeamRole, string>> = {
  owner: "As an owner you can do everything with the app: its secrets and its team are yours to change, too.",
  developer:
    "As a developer you can change the app, its purposes and its webhooks, and test it. Client secrets and the team stay with the owners.",
  viewer: "As a viewer you read figures, logs and deliveries. You see no secret and change nothing."
}

const appLink = (team: Pick<Team, "appId">): Link => ({
  site: "service",
  path: `/developer/apps/${team.appId}`,
  label: "The app"
})
const PORTAL: Link = { site: "service", path: "/developer", label: "Developer portal" }

/** The path of the page on which the invited person accepts or declines. */
export const invitationPath = (appId: string, id: string): string => `/developer/invitations/${appId}/${id}`

const mail = (to: UserId, key: string, subject: string, body: ReadonlyArray<string>, link: Link): MailMessage => ({
  to,
  dedupeKey: key,
  subject,
  body: body.join("\n\n"),
  link,
  naming: foldable
})

/** The `dedupeKey` of the mail about an invitation. */
export const invitationKey = (id: string): string => `team_invited ${id}`

/**
 * The mail to the invited person, who has an account with a confirmed address. The person may not know the owner, so
 * the mail has no text that the owner chose: neither the name of the app nor the owner's name or address (decision
 * teams-7).
 */
export const invited = (team: Pick<Team, "appId">, invitation: Invitation, invitee: Pick<Account, "id">): MailMessage =>
  mail(
    invitee.id,
    invitationKey(invitation.id),
    "You are invited into the team of an app",
    [
      "An owner of an app invites you into its team. The page of the invitation names the owner and the app.",
      ROLE_WORDS[invitation.role],
      `You can accept until ${Words.moment(endsAt(invitation))}. If you do nothing, nothing happens.`
    ],
    {
      site: "service",
      path: invitationPath(team.appId, invitation.id),
      label: "The invitation"
    }
  )

/** The mail to the owner whose invitation a person has accepted. The page of the team names the person. */
export const joined = (team: Team, { id, invitedBy }: Pick<Invitation, "id" | "invitedBy">): MailMessage =>
  mail(
    invitedBy,
    `team_joined ${id}`,
    `Somebody joined the team of ${team.appName}`,
    [`Your invitation into the team of the app "${team.appName}" was accepted. The page of the team shows by whom.`],
    { ...appLink(team), path: `${appLink(team).path}/team`, label: "The team" }
  )

/** The mail to the member whose role an owner changed. */
export const roleChanged = (team: Team, { role, userId }: Pick<Member, "role" | "userId">, now: Timestamp) =>
  mail(
    userId,
    `team_role ${team.appId} ${now}`,
    `You have another role in the team of ${team.appName}`,
    [
      `On ${Words.moment(now)} an owner of the app "${team.appName}" gave you another role in its team.`,
      ROLE_WORDS[role]
    ],
    appLink(team)
  )

/** The mail to the member whom an owner removed. */
export const removed = (team: Team, { id, userId }: Pick<Member, "id" | "userId">, now: Timestamp): MailMessage =>
  mail(
    userId,
    `team_left ${id}`,
    `You are no longer in the team of ${team.appName}`,
    [
      `On ${Words.moment(now)} an owner removed you from the team of the app "${team.appName}". You cannot open the app any more.`
    ],
    PORTAL
  )

/** The mail to a member who has left the team. It is sent because somebody else may have used the member's account. */
export const left = (team: Team, { id, userId }: Pick<Member, "id" | "userId">, now: Timestamp): MailMessage =>
  mail(
    userId,
    `team_left ${id}`,
    `You are no longer in the team of ${team.appName}`,
    [
      `On ${Words.moment(now)} you left the team of the app "${team.appName}". You cannot open the app any more.`,
      "If this was not you, somebody else uses your account: change your password."
    ],
    PORTAL
  )

const SECRETS_STAY =
  "Somebody who worked on the app before may still have its client secret. Replace the secret before you connect the app with your own account."

/**
 * The mail to the new holder of the app. `what` says why the app is now in the new holder's name. The mail is written
 * even when the limit of mails that name an app is reached (`NamedMail`). Otherwise the former holder, who may still
 * have the client secret, could use up the limit first, and the new holder would not learn that the app changed hands.
 */
const inYourName = (
  team: Pick<Team, "appId" | "appName">,
  { userId }: Pick<Member, "userId">,
  now: Timestamp,
  what: string
): MailMessage => ({
  ...mail(
    userId,
    `team_handed_over ${team.appId} ${now}`,
    `The app ${team.appName} is in your name now`,
    [what, SECRETS_STAY],
    appLink(team)
  ),
  naming: {
    _tag: "Always",
    subject: "An app is in your name now",
    body: [
      `On ${Words.moment(now)} an app of a team of yours passed to you. Its users read your name as that of its developer, and it counts among your apps. You got many e-mails about apps within an hour, so this one does not say which app it is: open the link.`,
      SECRETS_STAY
    ].join("\n\n")
  }
})

/** The mail to the owner who became the holder of the app because the former holder's account was deleted. */
export const inherited = (team: Pick<Team, "appId" | "appName">, heir: Pick<Member, "userId">, now: Timestamp) =>
  inYourName(
    team,
    heir,
    now,
    `On ${Words.moment(now)} the account of the holder of the app "${team.appName}" was deleted, so the app passed to you. Its users read your name as that of its developer, and it counts among your apps.`
  )

/** The mail to the new holder of the app. */
export const handedOver = (team: Team, taker: Pick<Member, "userId">, now: Timestamp) =>
  inYourName(
    team,
    taker,
    now,
    `On ${Words.moment(now)} the app "${team.appName}" was handed over to you. Its users read your name as that of its developer, and it counts among your apps.`
  )
