import { SqlClient } from "@effect/sql/SqlClient"
import { Account } from "@place-access/domain/accounts"
import { AppId, InvitationId, MemberId, Timestamp, UserId } from "@place-access/domain/shared"
import { type ReceivedInvitation, Role, Team, TeamLife, TeamStore } from "@place-access/domain/teams"
import { Effect, Either, Layer, Option, Schema } from "effect"
import * as AuditLog from "../audit/SqlAuditLog.js"
import * as Rows from "../driver/Rows.js"
import { isForeignKeyViolation, orStoreError } from "../Failures.js"
import * as MailOutbox from "../mail/MailOutbox.js"
import { endInvitations } from "./endInvitations.js"

type Store = typeof TeamStore.Service

export const layer: Layer.Layer<TeamStore, never, SqlClient> = Layer.effect(
  TeamStore,
  Effect.map(SqlClient, (sql) => TeamStore.of({ find: find(sql), listInvited: listInvited(sql), update: update(sql) }))
)

const AppRow = Schema.Struct({ name: Schema.String, owner_id: UserId, is_closed: Schema.Boolean })

const MemberRow = Schema.Struct({ member_id: MemberId, user_id: UserId, role: Role.TeamRole, since: Rows.At })

const INVITATION = {
  invitation_id: InvitationId,
  email: Account.Email,
  role: Role.TeamRole,
  invited_by: UserId,
  created_at: Rows.At
}
const InvitationRow = Schema.Struct(INVITATION)

const toMember = (row: typeof MemberRow.Type): Team.Member => ({
  id: row.member_id,
  userId: row.user_id,
  role: row.role,
  since: row.since
})

const toInvitation = (row: typeof InvitationRow.Type): Team.Invitation => ({
  id: row.invitation_id,
  email: row.email,
  role: row.role,
  invitedBy: row.invited_by,
  createdAt: row.created_at
})

/** The members of an app without its holder, oldest first. */
export const membersOf = (sql: SqlClient, appId: AppId) =>
  sql`SELECT member_id, user_id, role, since FROM app_members WHERE app_id = ${appId}
      ORDER BY since, member_id`.pipe(
    Rows.all(MemberRow),
    Effect.map((rows) => rows.map(toMember))
  )

/** The members of an app, oldest first. Leaves out the holder, and members whose accounts are suspended. */
export const activeMembersOf = (sql: SqlClient, appId: AppId) =>
  sql`SELECT m.member_id, m.user_id, m.role, m.since FROM app_members m JOIN accounts a ON a.user_id = m.user_id
      WHERE m.app_id = ${appId} AND a.suspended_at IS NULL ORDER BY m.since, m.member_id`.pipe(
    Rows.all(MemberRow),
    Effect.map((rows) => rows.map(toMember))
  )

/** The suspended accounts of a team. A suspension of an account first locks the apps in whose teams the account is. */
const suspendedOf = (sql: SqlClient, { holderId, members }: Team.Team) =>
  sql`SELECT user_id FROM accounts
      WHERE user_id = ANY(${[holderId, ...members.map(({ userId }) => userId)]}::text[])
        AND suspended_at IS NOT NULL ORDER BY user_id`.pipe(
    Rows.all(MemberAccountRow),
    Effect.map((rows) => rows.map((row) => row.user_id))
  )

const find =
  (sql: SqlClient): Store["find"] =>
  (appId) =>
    sql`SELECT ${TEAM_APP(sql)} FROM apps WHERE app_id = ${appId}`.pipe(
      Rows.first(AppRow),
      Effect.flatMap(Effect.transposeMapOption((row) => teamOf(sql, appId, row))),
      orStoreError
    )

const TEAM_APP = (sql: SqlClient) =>
  sql.literal("name, owner_id, revoked_at IS NOT NULL OR suspended_at IS NOT NULL AS is_closed")

const teamOf = (sql: SqlClient, appId: AppId, app: typeof AppRow.Type) =>
  Effect.gen(function* () {
    const invitations = yield* sql`SELECT invitation_id, email, role, invited_by, created_at FROM app_invitations
      WHERE app_id = ${appId} ORDER BY created_at, invitation_id`.pipe(Rows.all(InvitationRow))
    const team: Team.Team = {
      appId,
      appName: app.name,
      holderId: app.owner_id,
      isClosed: app.is_closed,
      members: yield* membersOf(sql, appId),
      invitations: invitations.map(toInvitation)
    }
    return team
  })

const ReceivedRow = Schema.Struct({ ...INVITATION, app_id: AppId, name: Schema.String })

const listInvited =
  (sql: SqlClient): Store["listInvited"] =>
  (email, now, appId) =>
    sql`SELECT i.invitation_id, i.email, i.role, i.invited_by, i.created_at, i.app_id, a.name
        FROM app_invitations i JOIN apps a ON a.app_id = i.app_id
        WHERE i.email = ${email} AND a.revoked_at IS NULL ${appId === undefined ? sql`` : sql`AND a.app_id = ${appId}`}
          AND i.created_at > ${Rows.at(Timestamp.plus(now, -Team.INVITATION_LIFETIME))}
        ORDER BY i.created_at DESC, i.invitation_id DESC LIMIT 100`.pipe(
      Rows.all(ReceivedRow),
      Effect.map((rows) =>
        rows.map((row): ReceivedInvitation => ({ appId: row.app_id, appName: row.name, invitation: toInvitation(row) }))
      ),
      orStoreError
    )

const MemberAccountRow = Schema.Struct({ user_id: UserId })
const TakerRow = Schema.Struct({ is_suspended: Schema.Boolean })
const CountRow = Schema.Struct({ count: Rows.Bigint })

const update =
  (sql: SqlClient): Store["update"] =>
  (appId, decide, taker) =>
    Effect.gen(function* () {
      const locked = yield* sql`SELECT ${TEAM_APP(sql)} FROM apps WHERE app_id = ${appId} FOR UPDATE`.pipe(
        Rows.first(AppRow)
      )
      if (Option.isNone(locked)) return Option.none()
      const to = taker === undefined ? TeamLife.NO_TAKER : yield* lockTaker(sql, appId, taker)
      // Reads the members after the lock of the account of the member who takes the app over. If this account was
      // deleted before, the deletion has also removed the member.
      const before = yield* teamOf(sql, appId, locked.value)
      const now = yield* Timestamp.now
      const outcome = decide(before, now, to, yield* suspendedOf(sql, before))
      if (Either.isLeft(outcome) || outcome.right === null) return Option.some(outcome)
      const { audit, mails, team } = outcome.right
      yield* write(sql, before, team)
      yield* AuditLog.append(sql, audit)
      for (const mail of mails) yield* MailOutbox.queue(sql, mail, now)
      return Option.some(outcome)
    }).pipe(
      sql.withTransaction,
      Effect.catchIf(
        (error) => isForeignKeyViolation(error, "app_members_user_id_fkey"),
        () => Effect.succeedNone
      ),
      orStoreError
    )

/**
 * Locks the account of the member who takes an app over, and counts the apps that the account owns. Returns `NO_TAKER`
 * when the member or the account does not exist. The caller has locked the app. `SqlAppStore.create` locks the account
 * too, and on a cluster it also locks apps before accounts. So a hand-over and a creation of an app run one after the
 * other and do not deadlock. A suspension of the account waits for this lock, and then also suspends the app that was
 * handed over.
 */
const lockTaker = (sql: SqlClient, appId: AppId, taker: MemberId) =>
  Effect.gen(function* () {
    const member = yield* sql`SELECT user_id FROM app_members WHERE app_id = ${appId} AND member_id = ${taker}`.pipe(
      Rows.first(MemberAccountRow)
    )
    if (Option.isNone(member)) return TeamLife.NO_TAKER
    const userId = member.value.user_id
    const account = yield* sql`SELECT suspended_at IS NOT NULL AS is_suspended FROM accounts
      WHERE user_id = ${userId} FOR NO KEY UPDATE`.pipe(Rows.first(TakerRow))
    if (Option.isNone(account)) return TeamLife.NO_TAKER
    const counted = yield* sql`SELECT count(*) AS count FROM apps WHERE owner_id = ${userId}`.pipe(Rows.first(CountRow))
    return {
      held: Option.getOrElse(
        Option.map(counted, ({ count }) => count),
        () => 0
      ),
      isSuspended: account.value.is_suspended
    }
  })

/**
 * Writes members before invitations. The INSERT of a member locks the account's row, and the deletion of an account
 * locks this row before it deletes invitations. With another order the two transactions could deadlock.
 */
const write = (sql: SqlClient, before: Team.Team, { appId, holderId, invitations, members }: Team.Team) =>
  Effect.gen(function* () {
    if (holderId !== before.holderId) yield* sql`UPDATE apps SET owner_id = ${holderId} WHERE app_id = ${appId}`
    for (const { id } of before.members.filter(({ id }) => !members.some((one) => one.id === id))) {
      yield* sql`DELETE FROM app_members WHERE app_id = ${appId} AND member_id = ${id}`
    }
    for (const { id, role, since, userId } of members.filter((member) => !before.members.includes(member))) {
      yield* sql`INSERT INTO app_members (app_id, member_id, user_id, role, since)
        VALUES (${appId}, ${id}, ${userId}, ${role}, ${Rows.at(since)})
        ON CONFLICT (app_id, member_id) DO UPDATE SET role = excluded.role`
    }
    const ended = before.invitations.filter(({ id }) => !invitations.some((one) => one.id === id)).map(({ id }) => id)
    if (ended.length > 0) yield* endInvitations(sql, sql`app_id = ${appId} AND invitation_id = ANY(${ended}::text[])`)
    for (const one of invitations.filter((invitation) => !before.invitations.includes(invitation))) {
      yield* sql`INSERT INTO app_invitations (app_id, invitation_id, email, role, invited_by, created_at)
        VALUES (${appId}, ${one.id}, ${one.email}, ${one.role}, ${one.invitedBy}, ${Rows.at(one.createdAt)})`
    }
  })
