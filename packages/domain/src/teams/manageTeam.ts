import { Effect, Either, Option } from "effect"
import { type Account, type AddressRule, countsAsConfirmed, type DisplayName, type Email } from "../accounts/Account.js"
import { AccountStore } from "../accounts/AccountStore.js"
import { findAccounts } from "../accounts/findAccounts.js"
import { announceAudit } from "../audit/index.js"
import { addressOf } from "../credentials/SignUpRequest.js"
import { Rate, Subject, takeCall } from "../limits/index.js"
import {
  type AppId,
  Entropy,
  InvitationId,
  MemberId,
  NotFound,
  program,
  Timestamp,
  type UserId,
  Vault
} from "../shared/index.js"
import type { TeamRole } from "./Role.js"
import * as Team from "./Team.js"
import * as TeamLife from "./TeamLife.js"
import { type ReceivedInvitation, TeamStore } from "./TeamStore.js"

/** A member, with the fields that other members see. */
export interface ListedMember {
  /** Null for the holder, who has no membership. */
  readonly id: MemberId | null
  readonly name: DisplayName
  /** Only owners see the addresses of other members. For other readers, every address except their own is null. */
  readonly email: Email | null
  readonly role: TeamRole
  readonly since: Timestamp.Timestamp | null
  /** Whether this member is the reader. */
  readonly isReader: boolean
}

export interface ListedTeam {
  readonly role: TeamRole
  /** Whether the reader is the holder. */
  readonly isHolder: boolean
  /** The holder first, then the members, oldest membership first. */
  readonly members: ReadonlyArray<ListedMember>
  /** The open invitations; empty for readers who are not owners. */
  readonly invitations: ReadonlyArray<Team.Invitation>
}

const noApp = () => new NotFound({ what: "app" })

/**
 * The app's team, for an account in it. Fails with `NotFound` for other accounts. Only owners see invitations and the
 * addresses of other members.
 */
export const readTeam = program("readTeam", function* (account: Account, appId: AppId) {
  const team = yield* Effect.mapError(yield* (yield* TeamStore).find(appId), noApp)
  const role = Team.roleOf(team, account.id)
  if (role === undefined) return yield* noApp()
  const people = yield* findAccounts([team.holderId, ...team.members.map(({ userId }) => userId)])
  const now = yield* Timestamp.now
  const listed = (id: MemberId | null, userId: UserId, of: TeamRole, since: Timestamp.Timestamp | null) => {
    const person = people.get(userId)
    if (person === undefined) return []
    const email = role === "owner" || userId === account.id ? addressOf(person) : null
    return [{ id, name: person.displayName, email, role: of, since, isReader: userId === account.id }]
  }
  const result: ListedTeam = {
    role,
    isHolder: team.holderId === account.id,
    members: [
      ...listed(null, team.holderId, "owner", null),
      ...team.members.flatMap((one) => listed(one.id, one.userId, one.role, one.since))
    ],
    invitations: role === "owner" ? team.invitations.filter((one) => Team.isOpen(one, now)) : []
  }
  return result
})

export interface Invited {
  readonly email: Email
  readonly role: TeamRole
}

/**
 * Invites the person with this address. The person gets a mail only if an account that is not suspended has confirmed
 * the address, if the inviting owner's own address is confirmed, and if few invitations were mailed to the address
 * lately (`Rate.INVITATION_MAILS`). The answer and the list of invitations are the same whether or not the person has
 * an account, so that an owner cannot find out who has an account. Fails like `TeamLife.invite`.
 */
export const inviteMember = program("inviteMember", function* (account: Account, appId: AppId, input: Invited) {
  const id = InvitationId.make(yield* Entropy.id("inv"))
  const found = yield* (yield* AccountStore).findByEmail(input.email)
  const invitee = Option.getOrNull(
    Option.filter(
      Option.map(found, (one) => one.account),
      ({ confirmedAt, suspendedAt, testOf }) => confirmedAt !== null && suspendedAt === null && testOf === null
    )
  )
  // `TeamLife.invite` must refuse before the mail is counted: otherwise somebody outside the team could use up the
  // limit of mails to an address.
  const before = yield* Effect.mapError(yield* (yield* TeamStore).find(appId), noApp)
  yield* TeamLife.invite(account, { ...input, id, invitee })(before, yield* Timestamp.now)
  const mailbox = Subject.invitationMail((yield* Vault.Vault).sha256(input.email))
  // Only a person with a confirmed address can cause this mail. Otherwise anybody could sign up with an address of
  // somebody else, and have mails sent to strangers.
  const isMailed = account.confirmedAt !== null && (yield* takeCall(mailbox, Rate.INVITATION_MAILS)).isAdmitted
  const team = yield* change(appId, account.id, TeamLife.invite(account, { ...input, id, invitee, isMailed }))
  return yield* Effect.fromNullable(team?.invitations.find((one) => one.id === id)).pipe(Effect.mapError(noApp))
})

/** Withdraws an invitation. Fails like `TeamLife.withdraw`. */
export const withdrawInvitation = program(
  "withdrawInvitation",
  function* (account: Account, appId: AppId, id: InvitationId) {
    yield* change(appId, account.id, TeamLife.withdraw(account.id, id))
  }
)

/**
 * The open invitations of the account's address, the 100 newest of them. With `appId`, only invitations to that app.
 * Empty while the address does not count as confirmed.
 */
export const listInvitations = program(
  "listInvitations",
  function* (account: Account, rule: AddressRule, appId?: AppId) {
    const none: ReadonlyArray<ReceivedInvitation> = []
    if (!countsAsConfirmed(account, rule)) return none
    return yield* (yield* TeamStore).listInvited(account.email, yield* Timestamp.now, appId)
  }
)

export interface NamedInvitation {
  readonly appId: AppId
  readonly id: InvitationId
}

/**
 * An invitation with the name and address of the inviting account, for the invited account. Fails with `NotFound` for
 * every other account, and while the inviting account is suspended (decision teams-2).
 */
export const getInvitation = program(
  "getInvitation",
  function* (account: Account, rule: AddressRule, named: NamedInvitation) {
    const { appId, id } = named
    // Reads only the invitations to this app. A list of all invitations of the address has only the newest 100, so it
    // may lack this invitation.
    const found = (yield* listInvitations(account, rule, appId)).find((one) => one.invitation.id === id)
    if (found === undefined) return yield* new NotFound({ what: "invitation" })
    const by = Option.getOrNull(yield* (yield* AccountStore).find(found.invitation.invitedBy))
    // A suspension removes the account's invitations. This invitation was read just before it was removed.
    if (by !== null && by.suspendedAt !== null) return yield* new NotFound({ what: "invitation" })
    // An address that its owner never confirmed may be somebody else's, so the page must not show it.
    const email = by === null || by.confirmedAt === null ? null : by.email
    return { ...found, by: by === null ? null : { displayName: by.displayName, email } }
  }
)

/**
 * Accepts an invitation: the account joins the team and gets the role `developer` of the service. Fails like
 * `TeamLife.accept`.
 */
export const acceptInvitation = program(
  "acceptInvitation",
  function* (account: Account, rule: AddressRule, named: NamedInvitation) {
    yield* getInvitation(account, rule, named)
    // The account keeps the role `developer` even if joining the team fails: a developer without apps does no harm.
    yield* (yield* AccountStore).addRoles(account.id, ["developer"])
    const memberId = MemberId.make(yield* Entropy.id("mbr"))
    yield* change(named.appId, account.id, TeamLife.accept(account, named.id, memberId), { unknown: "invitation" })
  }
)

/** Declines an invitation. Fails like `TeamLife.decline`. */
export const declineInvitation = program(
  "declineInvitation",
  function* (account: Account, rule: AddressRule, named: NamedInvitation) {
    yield* getInvitation(account, rule, named)
    yield* change(named.appId, account.id, TeamLife.decline(account, named.id), { unknown: "invitation" })
  }
)

/** Gives a member another role. Fails like `TeamLife.changeRole`. */
export const changeMemberRole = program(
  "changeMemberRole",
  function* (account: Account, appId: AppId, id: MemberId, role: TeamRole) {
    yield* change(appId, account.id, TeamLife.changeRole(account.id, id, role))
  }
)

/**
 * Removes a member. When `id` is the account's own membership, the account leaves the team. Fails like
 * `TeamLife.remove`.
 */
export const removeMember = program("removeMember", function* (account: Account, appId: AppId, id: MemberId) {
  yield* change(appId, account.id, TeamLife.remove(account.id, id))
})

/** Leaves the team. Fails like `TeamLife.leave`. */
export const leaveTeam = program("leaveTeam", function* (account: Account, appId: AppId) {
  yield* change(appId, account.id, TeamLife.leave(account.id))
})

/** Hands the app over to another owner. Fails like `TeamLife.handOver`. */
export const handOver = program("handOver", function* (account: Account, appId: AppId, id: MemberId) {
  const memberId = MemberId.make(yield* Entropy.id("mbr"))
  yield* change(appId, account.id, TeamLife.handOver(account.id, id, memberId), { taker: id })
})

/**
 * Commits one transition of a team and announces its audit event. Returns the changed team; undefined when nothing
 * changed. Fails with `NotFound` for an account of the team that was suspended while the request waited (decision
 * staff-1).
 */
const change = <E>(
  appId: AppId,
  by: UserId,
  step: (team: Team.Team, now: Timestamp.Timestamp, taker: TeamLife.Taker) => TeamLife.TeamOutcome<E>,
  { taker, unknown = "app" }: { readonly taker?: MemberId; readonly unknown?: string } = {}
) =>
  Effect.gen(function* () {
    const gone = new NotFound({ what: unknown })
    const decide = (
      ...[team, now, to, suspended]: Parameters<Parameters<(typeof TeamStore.Service)["update"]>[1]>
    ): TeamLife.TeamOutcome<E | NotFound> => (suspended.includes(by) ? Either.left(gone) : step(team, now, to))
    const outcome = yield* (yield* TeamStore).update(appId, decide, taker)
    const changed = yield* yield* Effect.mapError(outcome, () => gone)
    if (changed !== null) yield* announceAudit(changed.audit)
    return changed?.team
  })
