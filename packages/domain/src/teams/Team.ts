// The team of an app. Decisions teams-1 and teams-2.
import type { Email } from "../accounts/Account.js"
import type { AppId, InvitationId, MemberId, UserId } from "../shared/Ids.js"
import { DAY, MINUTE, plus, type Timestamp } from "../shared/Timestamp.js"
import type { TeamRole } from "./Role.js"

/** Somebody in the team, other than the holder. */
export interface Member {
  /** Names the membership on pages and in the API, so that pages and API do not show the account's id. */
  readonly id: MemberId
  readonly userId: UserId
  readonly role: TeamRole
  readonly since: Timestamp
}

/** An invitation into the team of an app. Only the account that has confirmed the address `email` can accept it. */
export interface Invitation {
  readonly id: InvitationId
  readonly email: Email
  readonly role: TeamRole
  readonly invitedBy: UserId
  readonly createdAt: Timestamp
}

/** The team of one app, with the facts about the app that decide about the team. */
export interface Team {
  readonly appId: AppId
  readonly appName: string
  /** The account in whose name the app is registered. It is an owner and never among `members`. */
  readonly holderId: UserId
  /** Whether the app was revoked, or its holder's account is suspended. Nobody can join the team then. */
  readonly isClosed: boolean
  /** All members but the holder, oldest membership first, then by id. */
  readonly members: ReadonlyArray<Member>
  /** The invitations, oldest first, then by id. The list may contain invitations that have ended (`isOpen`). */
  readonly invitations: ReadonlyArray<Invitation>
}

/** How long an invitation can be accepted. */
export const INVITATION_LIFETIME = 7 * DAY

/** When the invitation ends. Exclusive: at this instant nobody can accept it any more. */
export const endsAt = ({ createdAt }: Pick<Invitation, "createdAt">): Timestamp => plus(createdAt, INVITATION_LIFETIME)

/** Whether the invitation can be accepted now. */
export const isOpen = (invitation: Pick<Invitation, "createdAt">, now: Timestamp): boolean => now < endsAt(invitation)

/**
 * Whether `by` has invited this address with this role in the last minute. The owner then pressed the button twice, and
 * must not get an error for the second request.
 */
export const wasJustInvited = (
  invitations: ReadonlyArray<Invitation>,
  by: UserId,
  { email, role }: Pick<Invitation, "email" | "role">,
  now: Timestamp
): boolean =>
  invitations.some(
    (one) => one.invitedBy === by && one.email === email && one.role === role && now < plus(one.createdAt, MINUTE)
  )

/** The fields of a team that decide about roles. */
interface Roles {
  readonly holderId: UserId
  readonly members: ReadonlyArray<Pick<Member, "userId" | "role">>
}

/** The role of this account in the team; undefined when the account is not in the team. */
export const roleOf = ({ holderId, members }: Roles, userId: UserId): TeamRole | undefined =>
  userId === holderId ? "owner" : members.find((member) => member.userId === userId)?.role

/** All owners, the holder first. */
export const owners = ({ holderId, members }: Pick<Team, "holderId" | "members">): ReadonlyArray<UserId> => [
  holderId,
  ...members.filter(({ role }) => role === "owner").map(({ userId }) => userId)
]
