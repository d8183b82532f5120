import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { ConnectionDecision } from "@place-access/domain/connection"
import {
  type ConnectionId,
  FamilyId,
  type StoreEffect,
  type StoreError,
  Timestamp,
  type UserId,
  Vault
} from "@place-access/domain/shared"
import type { Locked, TokenFamily, TokenWrite } from "@place-access/domain/tokens"
import { Effect, Option, type ParseResult, Schema, type Scope } from "effect"
import { columns, toWithApp, WithAppRow } from "../connection/ConnectionRow.js"
import * as Batches from "../driver/Batches.js"
import { reads } from "../driver/Client.js"
import * as Rows from "../driver/Rows.js"
import { orStoreError } from "../Failures.js"

/**
 * A refresh in two statements, without a transaction: a read, and a conditional write (decision tokens-4).
 *
 * The read returns the connection with its app, the presented token, and the version of the connection's row (`xmin`,
 * the transaction that wrote it). The write locks the row, and changes something only while the row has that version
 * and the token is neither spent nor revoked. Every writer of a connection locks its row first (decision O8), and a
 * writer that revokes tokens either changes the row or waits for this write to end. So everything that the decision
 * read is still true when the result is stored.
 *
 * The write never waits for the lock of a connection: it skips a row that another transaction has locked. After a wait,
 * the time of the decision would be too early, and with it the start of the 30 seconds in which a spent token may be
 * presented again. Skipping also makes a deadlock impossible when one statement writes the refreshes of several people.
 *
 * This module finishes only plain rotations, which spend the token and issue two new tokens, and refusals that write
 * nothing. Every other case (a race, a leak, an expired connection, a row that changed in between) is decided again
 * under the lock.
 */
export type QuickRefresh = <A>(
  userId: UserId,
  id: ConnectionId,
  presented: Vault.Hash,
  decide: (state: Locked, now: Timestamp.Timestamp) => ConnectionDecision<A, TokenWrite>
) => StoreEffect<Answer<A>>

export type Answer<A> =
  | { readonly _tag: "Done"; readonly outcome: Option.Option<A> }
  /** The quick refresh wrote nothing. The caller must decide again, under the lock of the connection's row. */
  | { readonly _tag: "NeedsLock" }

const NEEDS_LOCK: Answer<never> = { _tag: "NeedsLock" }

/**
 * The columns of the read. The columns of the token begin with `token_`, because the tables of connections and apps
 * have columns with some of the same names. The columns of the token are null when there is no token.
 */
const ViewRow = Schema.Struct({
  ...WithAppRow.fields,
  version: Schema.String,
  token_hash: Schema.NullOr(Vault.Hash),
  token_family_id: Schema.NullOr(FamilyId),
  token_issued_at: Rows.NullableAt,
  token_rotated_at: Rows.NullableAt,
  token_revoked_at: Rows.NullableAt
})
type ViewRow = typeof ViewRow.Type

export const make = (sql: SqlClient): Effect.Effect<QuickRefresh, never, Scope.Scope> =>
  Effect.map(
    Batches.make((rotations: ReadonlyArray<RotationWrite>) => store(sql, rotations)),
    (write) => {
      const find = read(sql)
      const decided = <A>(
        row: ViewRow,
        decide: (state: Locked, now: Timestamp.Timestamp) => ConnectionDecision<A, TokenWrite>,
        now: Timestamp.Timestamp
      ): StoreEffect<Answer<A>> => {
        const { outcome, writes } = decide(stateOf(row), now)
        const done: Answer<A> = { _tag: "Done", outcome: Option.some(outcome) }
        if (writes.length === 0) return Effect.succeed(done)
        const rotation = rotationOf(row, writes)
        if (rotation === undefined) return Effect.succeed(NEEDS_LOCK)
        return Effect.map(write(rotation), (isStored) => (isStored ? done : NEEDS_LOCK))
      }
      return <A>(
        userId: UserId,
        id: ConnectionId,
        presented: Vault.Hash,
        decide: (state: Locked, now: Timestamp.Timestamp) => ConnectionDecision<A, TokenWrite>
      ) =>
        Effect.flatMap(orStoreError(find(userId, id, presented)), (found): StoreEffect<Answer<A>> => {
          if (Option.isNone(found)) return Effect.succeed({ _tag: "Done", outcome: Option.none() })
          // For a spent token, the decision depends on the tokens that were issued after it. These tokens are read only
          // under the lock of the connection.
          if (found.value.token_rotated_at !== null) return Effect.succeed(NEEDS_LOCK)
          return Effect.flatMap(Timestamp.now, (now) => decided(found.value, decide, now))
        })
    }
  )

/**
 * Reads the connection with its app, and the presented token if it belongs to this connection. Returns none when there
 * is no such connection.
 */
export const read = (sql: SqlClient) => {
  const [shared, select] = [reads(sql), columns(sql)]
  return (
    userId: UserId,
    id: ConnectionId,
    presented: Vault.Hash
  ): Effect.Effect<Option.Option<ViewRow>, SqlError | ParseResult.ParseError> =>
    shared`SELECT ${select.withApp(userId)}, c.xmin::text AS version, t.token_hash, t.family_id AS token_family_id,
                t.issued_at AS token_issued_at, t.rotated_at AS token_rotated_at, t.revoked_at AS token_revoked_at
         FROM connections c
         JOIN apps a ON a.app_id = c.app_id
         LEFT JOIN refresh_tokens t
           ON t.user_id = ${userId} AND t.token_hash = ${presented} AND t.connection_id = c.connection_id
         WHERE c.user_id = ${userId} AND c.connection_id = ${id}`.pipe(Rows.first(ViewRow))
}

const stateOf = (row: ViewRow): Locked => ({
  ...toWithApp(row),
  code: Option.none(),
  access: Option.none(),
  chain:
    row.token_hash === null || row.token_family_id === null || row.token_issued_at === null
      ? []
      : [
          {
            hash: row.token_hash,
            userId: row.user_id,
            connectionId: row.connection_id,
            familyId: row.token_family_id,
            issuedAt: row.token_issued_at,
            rotation: null,
            revokedAt: row.token_revoked_at
          }
        ]
})

/**
 * The writes of a refresh that only replaces the presented token (`rotationOf`), with the version of the connection's
 * row on which the decision was made.
 */
export interface RotationWrite {
  readonly userId: UserId
  readonly id: ConnectionId
  readonly version: string
  readonly presented: Vault.Hash
  readonly spent: TokenFamily.Rotation
  readonly child: Vault.Hash
  readonly access: Vault.Hash
}

/**
 * Returns the rotation, if the writes only spend the token and issue a new refresh token and a new access token; else
 * undefined.
 */
const rotationOf = (
  { connection_id: id, user_id: userId, version }: ViewRow,
  [rotate, refresh, access, ...rest]: ReadonlyArray<TokenWrite>
): RotationWrite | undefined => {
  if (rotate?._tag !== "Rotate" || refresh?._tag !== "IssueRefresh" || access?._tag !== "IssueAccess") return undefined
  const { at } = rotate.rotation
  const isPlain =
    rest.length === 0 &&
    refresh.token.rotation === null &&
    refresh.token.familyId === access.token.familyId &&
    [refresh, access].every(({ token }) => token.issuedAt === at && token.revokedAt === null)
  return isPlain
    ? {
        userId,
        id,
        version,
        presented: rotate.hash,
        spent: rotate.rotation,
        child: refresh.token.hash,
        access: access.token.hash
      }
    : undefined
}

const StoredRow = Schema.Struct({ token_hash: Vault.Hash })

/**
 * Stores, in one statement, the rotations whose connection and token are unchanged since the read, and says for each
 * rotation whether it was stored. Of two rotations of one token, only one is stored.
 */
export const store = (
  sql: SqlClient,
  rotations: ReadonlyArray<RotationWrite>
): Effect.Effect<ReadonlyArray<boolean>, StoreError> => {
  const each = <A>(value: (one: RotationWrite) => A) => rotations.map(value)
  // With `position = position + 0` the planner expects one row instead of ten. So it plans look-ups by key in each
  // table, even in a plan that it caches while the tables are small.
  return sql`
    WITH given AS (
      SELECT * FROM unnest(
        ${each((one) => one.userId)}::text[], ${each((one) => one.id)}::text[], ${each((one) => one.version)}::text[],
        ${each((one) => one.presented)}::text[], ${each((one) => Rows.at(one.spent.at))}::timestamptz[],
        ${each((one) => one.spent.nonce)}::text[], ${each((one) => one.spent.keyId)}::text[],
        ${each((one) => one.child)}::text[], ${each((one) => one.access)}::text[])
        WITH ORDINALITY
        AS given (user_id, connection_id, version, presented, at, nonce, key_id, child, access, position)
      WHERE position = position + 0 OFFSET 0
    ), held AS (
      SELECT given.* FROM given
      JOIN connections c ON c.user_id = given.user_id AND c.connection_id = given.connection_id
      WHERE c.xmin = given.version::xid
      FOR UPDATE OF c SKIP LOCKED
    ), spent AS (
      UPDATE refresh_tokens t SET rotated_at = held.at, nonce = held.nonce, key_id = held.key_id
      FROM held
      WHERE t.user_id = held.user_id AND t.token_hash = held.presented AND t.connection_id = held.connection_id
        AND t.rotated_at IS NULL AND t.revoked_at IS NULL
      RETURNING t.user_id, t.connection_id, t.family_id, t.link, held.at, held.child, held.access
    ), next AS (
      INSERT INTO refresh_tokens (user_id, token_hash, connection_id, family_id, issued_at, link)
      SELECT user_id, child, connection_id, family_id, at, link + 1 FROM spent
    )
    INSERT INTO access_tokens (user_id, token_hash, connection_id, family_id, issued_at)
    SELECT user_id, access, connection_id, family_id, at FROM spent
    RETURNING token_hash`.pipe(
    Rows.all(StoredRow),
    Effect.map((rows) => {
      const stored = new Set(rows.map((row) => row.token_hash))
      return rotations.map((one) => stored.has(one.access))
    }),
    orStoreError
  )
}
