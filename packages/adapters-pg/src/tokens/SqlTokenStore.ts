import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { type ConnectionId, fn, Timestamp, type UserId, type Vault } from "@place-access/domain/shared"
import type { ConnectionDecision } from "@place-access/domain/connection"
import { type Locked, type Presented, TokenFamily, TokenStore, type TokenWrite } from "@place-access/domain/tokens"
import { Array, Effect, Layer, Option, type ParseResult, Schema } from "effect"
import * as ConnectionReads from "../connection/ConnectionReads.js"
import * as ConnectionRoutes from "../connection/ConnectionRoutes.js"
import {
  AccessTokenRow,
  CodeRow,
  columns,
  RefreshTokenRow,
  toAccessToken,
  toCode,
  toRefreshToken,
  toWithApp,
  WithAppRow
} from "../connection/ConnectionRow.js"
import * as ConnectionWrites from "../connection/ConnectionWrites.js"
import { isInTransaction, reads, together } from "../driver/Client.js"
import * as Rows from "../driver/Rows.js"
import { orStoreError } from "../Failures.js"
import { isDistributed } from "../schema/isDistributed.js"
import * as QuickRefresh from "./QuickRefresh.js"

const readWithApps = Rows.read(WithAppRow)
const readCodes = Rows.read(CodeRow)
const readAccessTokens = Rows.read(AccessTokenRow)
const readRefreshTokens = Rows.read(RefreshTokenRow)
const CODE_COLUMNS = Rows.columns(CodeRow)
const REFRESH_COLUMNS = Rows.columns(RefreshTokenRow, "r")

/**
 * The greatest position (`link`) that a refresh token can have in its family: the greatest number of the column's type.
 */
const LAST_LINK = 2_147_483_647

type Decide<A> = (state: Locked, now: Timestamp.Timestamp) => ConnectionDecision<A, TokenWrite>

const WithTokenRow = Schema.Struct({ ...WithAppRow.fields, ...AccessTokenRow.fields })

/**
 * A decision that needs only a refresh token is first tried without a lock (`QuickRefresh`). There are two exceptions.
 * On a cluster, the INSERT inside WITH of `QuickRefresh` would make Citus move rows between the nodes and commit in two
 * phases. Inside a transaction, a caller cannot use `QuickRefresh`: several callers share its statement, which commits
 * by itself.
 */
export const layer: Layer.Layer<TokenStore, never, SqlClient> = Layer.scoped(
  TokenStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const routes = yield* ConnectionRoutes.ConnectionRoutes
    const quick = yield* QuickRefresh.make(sql)
    const onCluster = isDistributed(sql)
    const isAlone = Effect.flatMap(isInTransaction, (is) =>
      is ? Effect.succeed(false) : Effect.map(onCluster, (isCluster) => !isCluster)
    )
    const read = reads(sql)
    const select = columns(sql)
    const writes = ConnectionWrites.make(sql)
    const readLocked = lockedReads(sql)

    const underLock = <A>(userId: UserId, id: ConnectionId, presented: Presented, decide: Decide<A>) =>
      Effect.gen(function* () {
        const state = yield* readLocked(userId, id, presented)
        if (Option.isNone(state)) return Option.none()
        const now = yield* Timestamp.now
        const decision = decide(state.value, now)
        yield* writes.last(state.value.connection, decision.writes, now)
        return Option.some(decision.outcome)
      }).pipe(sql.withTransaction, orStoreError)

    const findByAccessToken = fn(function* (id: ConnectionId, hash: Vault.Hash) {
      const userId = yield* routes.userOf(id)
      if (Option.isNone(userId)) return Option.none()
      const row = yield* read`SELECT ${select.withApp(userId.value)}, t.token_hash, t.family_id AS token_family_id,
                                         t.issued_at AS token_issued_at, t.revoked_at AS token_revoked_at
                                  FROM access_tokens t
                                  JOIN connections c ON c.user_id = t.user_id AND c.connection_id = t.connection_id
                                  JOIN apps a ON a.app_id = c.app_id
                                  WHERE t.user_id = ${userId.value} AND t.token_hash = ${hash}
                                    AND t.connection_id = ${id}`.pipe(Rows.first(WithTokenRow))
      return Option.map(row, (found) => ({ token: toAccessToken(found), ...toWithApp(found) }))
    })

    const change = fn(function* <A>(id: ConnectionId, presented: Presented, decide: Decide<A>) {
      const userId = yield* orStoreError(routes.userOf(id))
      if (Option.isNone(userId)) return Option.none()
      const isRefresh = presented.code === undefined && presented.access === undefined
      if (isRefresh && presented.refresh !== undefined && (yield* orStoreError(isAlone))) {
        const answer = yield* quick(userId.value, id, presented.refresh, decide)
        if (answer._tag === "Done") return answer.outcome
      }
      return yield* underLock(userId.value, id, presented, decide)
    })

    return TokenStore.of({
      findByAccessToken: (id, hash) => findByAccessToken(id, hash).pipe(orStoreError),

      change: (id, presented, decide) => Effect.uninterruptible(change(id, presented, decide))
    })
  })
).pipe(Layer.provide(ConnectionRoutes.layer))

/**
 * Locks a connection and reads the state that the decision about a change of the connection needs. Returns none when
 * the connection does not exist. The lock and the reads are sent in one round trip. The server starts each read after
 * it got the lock, with a new snapshot, so the reads see every change that was committed before.
 */
const lockedReads = (sql: SqlClient) => {
  const connections = ConnectionReads.make(sql)

  const codeOf = (userId: UserId, id: ConnectionId, hash: Vault.Hash) =>
    sql`SELECT ${CODE_COLUMNS} FROM authorization_codes
        WHERE user_id = ${userId} AND code_hash = ${hash} AND connection_id = ${id}`

  const accessOf = (userId: UserId, id: ConnectionId, hash: Vault.Hash) =>
    sql`SELECT user_id, connection_id, token_hash, family_id AS token_family_id, issued_at AS token_issued_at,
               revoked_at AS token_revoked_at
        FROM access_tokens WHERE user_id = ${userId} AND token_hash = ${hash} AND connection_id = ${id}`

  /**
   * Selects the presented refresh token. If the token was spent within the race window (the time in which a spent token
   * may be presented again), also selects all later tokens of its family. `now` was read before the lock, and is
   * earlier than the time of the decision. So every token that the decision counts as a race (`TokenFamily.isRace`) is
   * also within the window of this statement. When the caller also presents a code, `skew` makes the window longer
   * (`Locked.chain`).
   */
  const chainOf = (userId: UserId, id: ConnectionId, hash: Vault.Hash, now: Timestamp.Timestamp, skew: number) =>
    sql`SELECT ${REFRESH_COLUMNS} FROM refresh_tokens presented
        JOIN refresh_tokens r
          ON r.user_id = presented.user_id AND r.family_id = presented.family_id AND r.link >= presented.link
          AND r.link <= CASE WHEN presented.rotated_at >= ${Rows.at(now - TokenFamily.RACE_WINDOW - skew)}
                             THEN ${LAST_LINK}::integer ELSE presented.link END
        WHERE presented.user_id = ${userId} AND presented.token_hash = ${hash}
          AND presented.connection_id = ${id}
        ORDER BY r.link`

  return (
    userId: UserId,
    id: ConnectionId,
    presented: Presented
  ): Effect.Effect<Option.Option<Locked>, SqlError | ParseResult.ParseError> =>
    Effect.gen(function* () {
      const now = yield* Timestamp.now
      const skew = presented.code === undefined ? 0 : TokenFamily.CLOCK_SKEW
      const [, found = [], codes = [], accesses = [], chain = []] = yield* together([
        connections.lockOne(userId, id),
        connections.withApp(userId, id),
        presented.code && codeOf(userId, id, presented.code),
        presented.access && accessOf(userId, id, presented.access),
        presented.refresh && chainOf(userId, id, presented.refresh, now, skew)
      ])
      const [row] = yield* readWithApps(found)
      if (row === undefined) return Option.none()
      return Option.some({
        ...toWithApp(row),
        code: Option.map(Array.head(yield* readCodes(codes)), toCode),
        access: Option.map(Array.head(yield* readAccessTokens(accesses)), toAccessToken),
        chain: (yield* readRefreshTokens(chain)).map(toRefreshToken)
      })
    })
}
