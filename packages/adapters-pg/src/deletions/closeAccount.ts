import type { SqlClient } from "@effect/sql/SqlClient"
import { AccountDeletion } from "@place-access/domain/deletions"
import type { AppId, Timestamp, UserId } from "@place-access/domain/shared"
import { Effect } from "effect"
import * as AuditLog from "../audit/SqlAuditLog.js"
import * as Rows from "../driver/Rows.js"
import * as MailOutbox from "../mail/MailOutbox.js"
import { endInvitations } from "../teams/endInvitations.js"

const { NOBODY } = AccountDeletion

/**
 * Closes an account:
 * - ends its connections, devices, waiting events and team memberships;
 * - hands its apps over or revokes them;
 * - deletes its exported archives, the waiting sign-ups with its address, and the account's row.
 *
 * A worker later deletes the account's other rows (`Leftovers`). The caller holds the lock of the account's row.
 */
export const closeAccount = (
  sql: SqlClient,
  { account: { email, id }, apps }: AccountDeletion.AccountDeletionState,
  { inheritances, lookAt, receipt, requestedAt }: AccountDeletion.Going
) =>
  Effect.gen(function* () {
    const revoked = apps.filter(AccountDeletion.isRevoked)
    const appIds = revoked.map(({ app }) => app.id)
    const entirely = revoked.flatMap(({ app }) => (AccountDeletion.goesEntirely(app) ? [app.id] : []))
    yield* insertNobody(sql)
    yield* leaveTeams(sql, { email, id }, appIds)
    for (const { app, heir } of apps) if (heir !== null) yield* handOver(sql, app.id, heir)
    yield* disownApps(sql, id, requestedAt)
    yield* sql`DELETE FROM endpoints WHERE app_id = ANY(${appIds}::text[])`
    yield* sql`DELETE FROM sign_in_tries WHERE email = ${email}`
    yield* sql`DELETE FROM pending_accounts WHERE email = ${email}`
    yield* endConnections(sql, id, requestedAt)
    yield* sql`UPDATE devices SET removed_at = ${Rows.at(requestedAt)} WHERE user_id = ${id} AND removed_at IS NULL`
    yield* sql`UPDATE events SET fanned_out_at = ${Rows.at(requestedAt)}
               WHERE user_id = ${id} AND fanned_out_at IS NULL`
    yield* deleteArchives(sql, id)
    for (const { audit, notice } of inheritances) {
      yield* AuditLog.append(sql, audit)
      yield* MailOutbox.queue(sql, notice, requestedAt)
    }
    if (receipt !== null) yield* MailOutbox.queue(sql, receipt, requestedAt)
    yield* sql`INSERT INTO account_deletions (user_id, requested_at, look_at, app_ids)
               VALUES (${id}, ${Rows.at(requestedAt)}, ${Rows.at(lookAt)}, ${entirely})`
    // Also deletes the account's sessions, mailed links and second factors (ON DELETE CASCADE).
    yield* sql`DELETE FROM accounts WHERE user_id = ${id}`
  })

/**
 * Deletes the exported archives immediately, not later with the account's other rows, because one archive contains all
 * data of the person (decision exports-4).
 */
const deleteArchives = (sql: SqlClient, id: UserId) =>
  Effect.zipRight(sql`DELETE FROM exports WHERE user_id = ${id}`, sql`DELETE FROM export_pieces WHERE user_id = ${id}`)

/** Inserts the account that owns the revoked apps of deleted accounts, unless an earlier deletion has inserted it. */
const insertNobody = (sql: SqlClient) =>
  sql`INSERT INTO accounts (user_id, email, display_name, password_hash, roles, created_at)
      VALUES (${NOBODY.id}, ${NOBODY.email}, ${NOBODY.displayName}, '', '{}', ${Rows.at(NOBODY.createdAt)})
      ON CONFLICT DO NOTHING`

/** Takes the account out of all teams, ends invitations to it and from it, and empties the teams of revoked apps. */
const leaveTeams = (
  sql: SqlClient,
  { email, id }: Pick<AccountDeletion.AccountDeletionState["account"], "email" | "id">,
  revoked: ReadonlyArray<AppId>
) =>
  Effect.zipRight(
    sql`DELETE FROM app_members WHERE user_id = ${id} OR app_id = ANY(${revoked}::text[])`,
    endInvitations(sql, sql`email = ${email} OR invited_by = ${id} OR app_id = ANY(${revoked}::text[])`)
  )

const handOver = (sql: SqlClient, app: AppId, heir: UserId) =>
  Effect.zipRight(
    sql`DELETE FROM app_members WHERE app_id = ${app} AND user_id = ${heir}`,
    sql`UPDATE apps SET owner_id = ${heir} WHERE app_id = ${app}`
  )

/** Revokes the apps that the account still owns, and gives them to `NOBODY`. */
const disownApps = (sql: SqlClient, id: UserId, at: Timestamp.Timestamp) =>
  sql`UPDATE apps SET owner_id = ${NOBODY.id}, client_secrets = '[]', redirect_uris = '{}',
        revoked_at = coalesce(revoked_at, ${Rows.at(at)}),
        review_note = CASE WHEN revoked_at IS NULL THEN ${AccountDeletion.REVOKED_NOTE} ELSE review_note END,
        submitted_at = NULL, submitted_revision = NULL, proposal = NULL
      WHERE owner_id = ${id}`

/**
 * Ends the account's connections. The statement locks them in the order of their ids, as the archiving of a place does.
 * With two different orders, the two transactions could deadlock.
 */
const endConnections = (sql: SqlClient, id: UserId, at: Timestamp.Timestamp) =>
  sql`WITH live AS (
        SELECT connection_id FROM connections WHERE user_id = ${id} AND ended_at IS NULL
        ORDER BY connection_id COLLATE "C" FOR UPDATE)
      UPDATE connections c SET ended_at = ${Rows.at(at)}, end_reason = 'user_disconnected'
      FROM live WHERE c.user_id = ${id} AND c.connection_id = live.connection_id`
