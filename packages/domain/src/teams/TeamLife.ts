// The transitions of a team. Decisions teams-2, teams-3 and teams-4.
import { Either, Option } from "effect"
import type { Account, Email } from "../accounts/Account.js"
import * as AuditEvent from "../audit/AuditEvent.js"
import type { MailMessage } from "../mail/Mail.js"
import * as AccountLimits from "../quotas/AccountLimits.js"
import { Conflict, Forbidden, NotFound } from "../shared/Errors.js"
import type { InvitationId, MemberId, UserId } from "../shared/Ids.js"
import type { Timestamp } from "../shared/Timestamp.js"
import { admit, type TeamRole } from "./Role.js"
import { type Invitation, isOpen, type Member, roleOf, type Team } from "./Team.js"
import * as TeamNotice from "./TeamNotice.js"

/** The result of a transition. The store commits team, audit event and mails in one transaction. */
export interface TeamChange {
  readonly team: Team
  readonly audit: AuditEvent.AuditEvent
  readonly mails: ReadonlyArray<MailMessage>
}

/** The change to commit, or an error. Null: the team already has the requested state, and nothing is written. */
export type TeamOutcome<E = NotFound | Forbidden | Conflict> = Either.Either<TeamChange | null, E>

/** The outcome of a transition that is refused only for a missing role or an unknown id. */
type Plain = TeamOutcome<NotFound | Forbidden>

export const CLOSED = "the app was revoked, or the account of its holder is suspended"
export const HOLDER_STAYS = "the app is registered in this person's name: the app has to be handed over first"
export const SUSPENDED_TAKER = "the account of this owner is suspended: choose another owner"
export const NOT_AN_OWNER = "only an owner can take the app over: make this member an owner first"

/**
 * An invitation that an owner is about to make. `invitee` is the account that has confirmed the invited address; null
 * when no account has, or when the account is suspended.
 */
export interface NewInvitation {
  readonly id: InvitationId
  readonly email: Email
  readonly role: TeamRole
  readonly invitee: Pick<Account, "id" | "email"> | null
  /** Whether `invitee` gets a mail. Left out: yes. */
  readonly isMailed?: boolean
}

/**
 * Invites an address. An address without an account is invited too, so that an owner cannot find out who has an
 * account. Fails with `Conflict` for a person in the team, for an address with an open invitation, for a closed team,
 * and at the limits of members and invitations.
 */
export const invite =
  (by: Pick<Account, "id">, { invitee, isMailed = true, ...draft }: NewInvitation) =>
  (team: Team, now: Timestamp): TeamOutcome => {
    const refused = refusal(team, by.id) ?? closed(team)
    if (refused !== undefined) return Either.left(refused)
    const open = team.invitations.filter((one) => isOpen(one, now))
    if (invitee !== null && roleOf(team, invitee.id) !== undefined)
      return conflict("this person is in the team already")
    if (open.some(({ email }) => email === draft.email)) {
      return conflict("this address is invited already: withdraw that invitation first")
    }
    if (open.length >= AccountLimits.INVITATIONS.most) return conflict(AccountLimits.INVITATIONS.refusal)
    if (isFull(team)) return conflict(AccountLimits.MEMBERS.refusal)
    const invitation: Invitation = { ...draft, invitedBy: by.id, createdAt: now }
    const after = { ...team, invitations: [...open, invitation] }
    const mails = invitee === null || !isMailed ? [] : [TeamNotice.invited(team, invitation, invitee)]
    return changed(after, by.id, by.id, now, "team_invited", draft.role, mails)
  }

/** Withdraws an invitation, even one that has ended. Fails with `NotFound` for an unknown id. */
export const withdraw =
  (by: UserId, id: InvitationId) =>
  (team: Team, now: Timestamp): Plain => {
    const refused = refusal(team, by)
    if (refused !== undefined) return Either.left(refused)
    const found = team.invitations.find((one) => one.id === id)
    if (found === undefined) return unknown("invitation")
    return changed(without(team, id), by, by, now, "team_invitation_withdrawn", found.role)
  }

/**
 * The open invitation with this id and for this address. An ended invitation, and one for another address, is treated
 * like an unknown id.
 */
const invitationOf = (team: Team, id: InvitationId, email: Email, now: Timestamp): Invitation | undefined =>
  team.invitations.find((one) => one.id === id && one.email === email && isOpen(one, now))

/**
 * The invited person joins the team. The caller has checked that the address of the account is confirmed. Fails with
 * `Conflict` for a closed or full team, and for a person in the team.
 */
export const accept =
  (account: Pick<Account, "id" | "email">, id: InvitationId, memberId: MemberId) =>
  (team: Team, now: Timestamp): TeamOutcome => {
    const found = invitationOf(team, id, account.email, now)
    if (found === undefined) return unknown("invitation")
    if (team.isClosed) return conflict(CLOSED)
    // A member keeps the present role, because an invitation must not lower the role of a member.
    if (roleOf(team, account.id) !== undefined) return conflict("you are in the team already")
    if (isFull(team)) return conflict(AccountLimits.MEMBERS.refusal)
    const member: Member = { id: memberId, userId: account.id, role: found.role, since: now }
    const left = without(team, id)
    const after = { ...left, members: [...left.members, member] }
    return changed(after, account.id, account.id, now, "team_joined", found.role, [TeamNotice.joined(team, found)])
  }

/** The invited person declines the invitation. */
export const decline =
  (account: Pick<Account, "id" | "email">, id: InvitationId) =>
  (team: Team, now: Timestamp): TeamOutcome<NotFound> => {
    const found = invitationOf(team, id, account.email, now)
    if (found === undefined) return unknown("invitation")
    return changed(without(team, id), account.id, account.id, now, "team_invitation_declined", found.role)
  }

/** Gives a member another role. The role of the holder cannot be changed, because the holder has no membership. */
export const changeRole =
  (by: UserId, id: MemberId, role: TeamRole) =>
  (team: Team, now: Timestamp): Plain => {
    const refused = refusal(team, by)
    if (refused !== undefined) return Either.left(refused)
    const found = team.members.find((member) => member.id === id)
    if (found === undefined) return unknown("member")
    if (found.role === role) return Either.right(null)
    const members = team.members.map((member) => (member.id === id ? { ...member, role } : member))
    const after = { ...(role === "owner" ? team : withoutInvitationsOf(team, found)), members }
    return changed(after, by, found.userId, now, "team_role_changed", role, [
      TeamNotice.roleChanged(team, { ...found, role }, now)
    ])
  }

/**
 * Removes a member. When `by` is the member who is removed, the member leaves the team. Members of every role may
 * leave.
 */
export const remove =
  (by: UserId, id: MemberId) =>
  (team: Team, now: Timestamp): Plain => {
    const found = team.members.find((member) => member.id === id)
    const isOwn = found?.userId === by
    const refused = isOwn ? undefined : refusal(team, by)
    if (refused !== undefined) return Either.left(refused)
    if (found === undefined) return unknown("member")
    const members = team.members.filter((member) => member.id !== id)
    const notice = isOwn ? TeamNotice.left(team, found, now) : TeamNotice.removed(team, found, now)
    const after = { ...withoutInvitationsOf(team, found), members }
    return changed(after, by, found.userId, now, "team_left", found.role, [notice])
  }

/** The account leaves the team. Fails with `Conflict` for the holder, who must hand the app over first. */
export const leave =
  (by: UserId) =>
  (team: Team, now: Timestamp): TeamOutcome => {
    if (by === team.holderId) return conflict(HOLDER_STAYS)
    const own = team.members.find(({ userId }) => userId === by)
    return own === undefined ? unknown("app") : remove(by, own.id)(team, now)
  }

/** The account that takes an app over. The store reads these values under the account's lock. */
export interface Taker {
  /** The number of apps that the account holds already. */
  readonly held: number
  readonly isSuspended: boolean
}

/** The value of `taker` for a transition in which nobody takes the app over. */
export const NO_TAKER: Taker = { held: 0, isSuspended: false }

/**
 * The holder hands the app over to another owner and stays in the team as an owner. `memberId` is the id of the former
 * holder's new membership. Fails with `Forbidden` for anybody but the holder. Fails with `Conflict` for a closed team,
 * for a member who is no owner, for an owner who has `AccountLimits.APPS` apps already, and for an owner whose account
 * is suspended: the app of a suspended holder works for none of its users (decision staff-1), and the former holder
 * could not take it back.
 */
export const handOver =
  (by: UserId, id: MemberId, memberId: MemberId) =>
  (team: Team, now: Timestamp, { held, isSuspended }: Taker): TeamOutcome => {
    const refused = refusal(team, by)
    if (refused !== undefined) return Either.left(refused)
    if (by !== team.holderId) return Either.left(new Forbidden({ reason: "only the holder can hand the app over" }))
    if (team.isClosed) return conflict(CLOSED)
    const found = team.members.find((member) => member.id === id)
    if (found === undefined) return unknown("member")
    if (found.role !== "owner") return conflict(NOT_AN_OWNER)
    if (isSuspended) return conflict(SUSPENDED_TAKER)
    if (held >= AccountLimits.APPS.most) return conflict("this owner has as many apps as an account can have")
    const stays: Member = { id: memberId, userId: by, role: "owner", since: now }
    const members = [...team.members.filter((member) => member.id !== id), stays]
    const after = { ...team, holderId: found.userId, members }
    return changed(after, by, found.userId, now, "team_handed_over", "owner", [TeamNotice.handedOver(team, found, now)])
  }

/**
 * The member who holds the app after the account of its holder is deleted: of the owners who are not suspended, the one
 * with the oldest membership. Undefined when there is no owner who is not suspended, or when the team is closed: the
 * app is then deleted with the account (decision deletions-4).
 */
export const heir = (
  { isClosed, members }: Pick<Team, "isClosed" | "members">,
  isSuspended: (userId: UserId) => boolean
): Member | undefined =>
  isClosed ? undefined : members.find(({ role, userId }) => role === "owner" && !isSuspended(userId))

const without = (team: Team, id: InvitationId): Team => ({
  ...team,
  invitations: team.invitations.filter((one) => one.id !== id)
})

/**
 * The team without the invitations that this member sent. An invitation must not work after its sender has lost the
 * right to invite.
 */
const withoutInvitationsOf = (team: Team, { userId }: Pick<Member, "userId">): Team => ({
  ...team,
  invitations: team.invitations.filter(({ invitedBy }) => invitedBy !== userId)
})

const isFull = ({ members }: Team): boolean => members.length + 1 >= AccountLimits.MEMBERS.most

/** The error for an account that may not change the team. */
const refusal = (team: Team, by: UserId): NotFound | Forbidden | undefined =>
  Option.getOrUndefined(Either.getLeft(admit(roleOf(team, by), "team")))

const closed = ({ isClosed }: Team): Conflict | undefined => (isClosed ? new Conflict({ reason: CLOSED }) : undefined)

const conflict = (reason: string): TeamOutcome<Conflict> => Either.left(new Conflict({ reason }))
const unknown = (what: string): TeamOutcome<NotFound> => Either.left(new NotFound({ what }))

/**
 * The change with its audit event. `by` is the account that acted. `about` is the account whose role the event is
 * about. For an invitation that an owner makes or withdraws, `about` is the owner, because the invited person may have
 * no account.
 */
const changed = (
  team: Team,
  by: UserId,
  about: UserId,
  at: Timestamp,
  kind: AuditEvent.TeamKind,
  role: TeamRole,
  mails: ReadonlyArray<MailMessage> = []
): TeamOutcome<never> =>
  Either.right({
    team,
    audit: {
      at,
      userId: about,
      actor: by === about ? AuditEvent.OWNER : { _tag: "Teammate", id: by },
      detail: { kind, appId: team.appId, role }
    },
    mails
  })
