import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { RedirectUri } from "@place-access/domain/apps"
import {
  ConnectionStore,
  ConsentRequest,
  type Decision,
  Ending,
  type Locked,
  Pkce
} from "@place-access/domain/connection"
import {
  AppId,
  ConnectionId,
  ConsentRequestId,
  Page,
  type PlaceId,
  Scope,
  Sub,
  Timestamp,
  UserId,
  Vault
} from "@place-access/domain/shared"
import { Array, Effect, Layer, Option, type ParseResult, Schema } from "effect"
import { AppRow, toApp } from "./AppRow.js"
import { reads, together } from "./client/Client.js"
import {
  AccessTokenRow,
  CodeRow,
  columns,
  ConnectionRow,
  RefreshTokenRow,
  toAccessToken,
  toCode,
  toConnection,
  toRefreshToken,
  toWithApp,
  WithAppRow
} from "./ConnectionRow.js"
import * as ConnectionWrites from "./ConnectionWrites.js"
import * as PlaceWrites from "./PlaceWrites.js"
import { orStoreError } from "./Failures.js"
import * as Rows from "./Rows.js"

const RequestRow = Schema.Struct({
  request_id: ConsentRequestId,
  app_id: AppId,
  redirect_uri: RedirectUri.RedirectUri,
  scopes: Schema.Array(Scope.Scope),
  challenge: Pkce.Challenge,
  state: ConsentRequest.State,
  external_user_id: Schema.NullOr(ConsentRequest.ExternalUserId),
  answers_issuer: Schema.Boolean,
  created_at: Rows.At,
  decided_by: Schema.NullOr(UserId),
  outcome: Schema.NullOr(Schema.Literal("denied", "approved")),
  connection_id: Schema.NullOr(ConnectionId),
  key_id: Schema.NullOr(Vault.KeyId)
})

const toRequest = (row: typeof RequestRow.Type): ConsentRequest.ConsentRequest => ({
  id: row.request_id,
  appId: row.app_id,
  redirectUri: row.redirect_uri,
  scopes: row.scopes,
  challenge: row.challenge,
  state: row.state,
  externalUserId: row.external_user_id,
  answersIssuer: row.answers_issuer,
  createdAt: row.created_at,
  decided: toDecided(row)
})

const toDecided = ({
  connection_id,
  decided_by: by,
  key_id,
  outcome
}: typeof RequestRow.Type): ConsentRequest.Decided | null =>
  by === null || outcome === null
    ? null
    : outcome === "approved" && connection_id !== null && key_id !== null
      ? { by, outcome: "approved", connectionId: connection_id, keyId: key_id }
      : { by, outcome: "denied" }

/** Credentials that were presented. */
interface Asked {
  readonly code?: Vault.Hash
  readonly refresh?: Vault.Hash
  readonly access?: Vault.Hash
}

type Failure = SqlError | ParseResult.ParseError

const readWithApps = Rows.read(WithAppRow)
const readCodes = Rows.read(CodeRow)
const readAccessTokens = Rows.read(AccessTokenRow)
const readRefreshTokens = Rows.read(RefreshTokenRow)

const WithTokenRow = Schema.Struct({ ...WithAppRow.fields, ...AccessTokenRow.fields })

const RouteRow = Schema.Struct({ user_id: UserId })

/** Where a page of `listOfApp` goes on. */
const Position = Schema.Tuple(Timestamp.Timestamp, Schema.String)

/** So many routes are remembered by one process; a route never changes. */
const ROUTES_MAX = 100_000

export const layer: Layer.Layer<ConnectionStore, never, SqlClient> = Layer.effect(
  ConnectionStore,
  Effect.map(SqlClient, (sql) => {
    const read = reads(sql)
    const select = columns(sql)
    const writes = ConnectionWrites.make(sql)
    const places = PlaceWrites.make(sql)
    const requestColumns = sql.literal(Object.keys(RequestRow.fields).join(", "))
    const appColumns = sql.literal(Object.keys(AppRow.fields).join(", "))

    const routes = new Map<ConnectionId, UserId>()
    /** Whose rows to look in. Unknown ids are not remembered: one may be about to be approved. */
    const userOf = (id: ConnectionId) =>
      Effect.suspend(() => {
        const known = routes.get(id)
        if (known !== undefined) return Effect.succeedSome(known)
        return read`SELECT user_id FROM connection_routes WHERE connection_id = ${id}`.pipe(
          Rows.first(RouteRow),
          Effect.map(
            Option.map(({ user_id }) => {
              if (routes.size >= ROUTES_MAX)
                for (const oldest of routes.keys()) {
                  routes.delete(oldest)
                  break
                }
              routes.set(id, user_id)
              return user_id
            })
          )
        )
      })

    const withApp = (userId: UserId, id: ConnectionId) =>
      read`SELECT ${select.withApp} FROM connections c JOIN apps a ON a.app_id = c.app_id
           WHERE c.user_id = ${userId} AND c.connection_id = ${id}`

    const readWithApp = (userId: UserId, id: ConnectionId) =>
      withApp(userId, id).pipe(Rows.first(WithAppRow), Effect.map(Option.map(toWithApp)))

    const readUnended = (userId: UserId, appId: AppId) =>
      sql`SELECT ${select.connection} FROM connections c
          WHERE c.user_id = ${userId} AND c.app_id = ${appId} AND c.ended_at IS NULL`.pipe(
        Rows.first(ConnectionRow),
        Effect.map(Option.map(toConnection))
      )

    const readPlacesVersion = (userId: UserId, appId: AppId) =>
      sql`SELECT coalesce(max(places_version), 0) AS places_version FROM connections
          WHERE user_id = ${userId} AND app_id = ${appId}`.pipe(
        Rows.first(Schema.Struct({ places_version: Schema.Int })),
        Effect.map(Option.match({ onNone: () => 0, onSome: (row) => row.places_version }))
      )

    const readApp = (id: AppId) =>
      sql`SELECT ${appColumns} FROM apps WHERE app_id = ${id}`.pipe(
        Rows.first(AppRow),
        Effect.flatMap(
          Option.match({
            onNone: () => Effect.dieMessage("a consent request names an app that does not exist"),
            onSome: (row) => Effect.succeed(toApp(row))
          })
        )
      )

    const codeOf = (userId: UserId, id: ConnectionId, hash: Vault.Hash) =>
      sql`SELECT c.*,
            EXISTS (SELECT 1 FROM refresh_tokens r
                    WHERE r.user_id = ${userId} AND r.family_id = c.family_id AND r.rotated_at IS NOT NULL)
            OR EXISTS (SELECT 1 FROM access_log l
                       WHERE l.user_id = ${userId} AND l.app_id = c.app_id AND l.at >= c.used_at
                         AND l.connection_id = c.connection_id AND l.status <> 401
                         AND l.endpoint NOT LIKE 'webhook %') AS is_spent
          FROM authorization_codes c
          WHERE c.user_id = ${userId} AND c.code_hash = ${hash} AND c.connection_id = ${id}`

    const accessOf = (userId: UserId, id: ConnectionId, hash: Vault.Hash) =>
      sql`SELECT user_id, connection_id, token_hash, family_id AS token_family_id, issued_at AS token_issued_at,
                 revoked_at AS token_revoked_at
          FROM access_tokens WHERE user_id = ${userId} AND token_hash = ${hash} AND connection_id = ${id}`

    const chainOf = (userId: UserId, id: ConnectionId, hash: Vault.Hash) =>
      sql`SELECT r.* FROM refresh_tokens presented
          JOIN refresh_tokens r
            ON r.user_id = presented.user_id AND r.family_id = presented.family_id AND r.link >= presented.link
          WHERE presented.user_id = ${userId} AND presented.token_hash = ${hash}
            AND presented.connection_id = ${id}
          ORDER BY r.link`

    const lockOne = (userId: UserId, id: ConnectionId) =>
      sql`SELECT 1 FROM connections WHERE user_id = ${userId} AND connection_id = ${id} FOR UPDATE`

    /**
     * Locks a connection and reads what a change of it is decided by; none when there is no such connection. One round trip: the server
     * begins each read, with a snapshot of its own, when the lock has been had.
     */
    const readLocked = (
      userId: UserId,
      id: ConnectionId,
      asked: Asked
    ): Effect.Effect<Option.Option<Locked>, Failure> =>
      Effect.gen(function* () {
        const [, found = [], codes = [], accesses = [], chain = []] = yield* together([
          lockOne(userId, id),
          withApp(userId, id),
          asked.code && codeOf(userId, id, asked.code),
          asked.access && accessOf(userId, id, asked.access),
          asked.refresh && chainOf(userId, id, asked.refresh)
        ])
        const [row] = yield* readWithApps(found)
        if (row === undefined) return Option.none()
        const code = Array.head(yield* readCodes(codes))
        return Option.some({
          connection: toConnection(row),
          app: toApp(row),
          code: Option.map(code, toCode),
          isCodeSpent: Option.exists(code, ({ is_spent }) => is_spent),
          access: Option.map(Array.head(yield* readAccessTokens(accesses)), toAccessToken),
          chain: (yield* readRefreshTokens(chain)).map(toRefreshToken)
        })
      })

    /** The row that approvals of one user and app queue at. `isNew`: there was none, and it has no sub yet. */
    const lockPair = (userId: UserId, appId: AppId) =>
      Effect.gen(function* () {
        const inserted = yield* Rows.affected(
          sql`INSERT INTO subjects (user_id, app_id, sub) VALUES (${userId}, ${appId}, '')
              ON CONFLICT (user_id, app_id) DO NOTHING`
        )
        if (inserted === 1) return Option.none<Sub>()
        const row = yield* sql`SELECT sub FROM subjects WHERE user_id = ${userId} AND app_id = ${appId}
                               FOR UPDATE`.pipe(Rows.first(Schema.Struct({ sub: Sub })))
        return Option.map(row, ({ sub }) => sub)
      })

    const lockUnended = (userId: UserId, appId: AppId) =>
      sql`SELECT 1 FROM connections WHERE user_id = ${userId} AND app_id = ${appId} AND ended_at IS NULL FOR UPDATE`

    const lockSharing = (userId: UserId, placeId: PlaceId) =>
      sql`SELECT c.connection_id FROM connection_places s
          JOIN connections c ON c.user_id = s.user_id AND c.connection_id = s.connection_id
          WHERE s.user_id = ${userId} AND s.place_id = ${placeId} AND c.user_id = ${userId} AND c.ended_at IS NULL
          ORDER BY c.connection_id COLLATE "C" FOR UPDATE OF c`.pipe(
        Rows.all(Schema.Struct({ connection_id: ConnectionId })),
        Effect.map((rows) => rows.map((row) => row.connection_id))
      )

    const lockRequest = (id: ConsentRequestId) =>
      sql`SELECT ${requestColumns} FROM consent_requests WHERE request_id = ${id} FOR UPDATE`.pipe(
        Rows.first(RequestRow),
        Effect.map(Option.map(toRequest))
      )

    return ConnectionStore.of({
      createRequest: (request) =>
        sql`INSERT INTO consent_requests (request_id, app_id, redirect_uri, scopes, challenge, state, external_user_id,
              answers_issuer, created_at)
            VALUES (${request.id}, ${request.appId}, ${request.redirectUri}, ${request.scopes}, ${request.challenge},
              ${request.state}, ${request.externalUserId}, ${request.answersIssuer}, ${Rows.at(request.createdAt)})`.pipe(
          Effect.asVoid,
          orStoreError
        ),

      findRequest: (id) =>
        sql`SELECT ${requestColumns} FROM consent_requests WHERE request_id = ${id}`.pipe(
          Rows.first(RequestRow),
          Effect.map(Option.map(toRequest)),
          orStoreError
        ),

      decideRequest: (id, userId, decide) =>
        Effect.gen(function* () {
          const found = yield* lockRequest(id)
          if (Option.isNone(found)) return Option.none()
          const request = found.value
          const sub = yield* lockPair(userId, request.appId)
          yield* lockUnended(userId, request.appId)
          const now = yield* Timestamp.now
          const app = yield* readApp(request.appId)
          const existing = yield* readUnended(userId, request.appId)
          const placesVersion = yield* readPlacesVersion(userId, request.appId)
          const {
            approval,
            decided,
            outcome,
            writes: more
          } = decide({ request, app, existing, sub, placesVersion }, now)
          if (decided !== null) {
            const approved = decided.outcome === "approved" ? decided : null
            yield* sql`UPDATE consent_requests
                       SET decided_by = ${decided.by}, outcome = ${decided.outcome},
                           connection_id = ${approved?.connectionId ?? null}, key_id = ${approved?.keyId ?? null}
                       WHERE request_id = ${id}`
          }
          if (approval !== null) {
            if (Option.isSome(existing) && approval.expired === existing.value.id) {
              yield* writes.all(existing.value, Ending.ifExpired(existing.value, now), now)
            }
            yield* writes.save(approval.connection, now)
            yield* writes.addCode(approval.code)
          }
          const about = approval?.connection ?? Option.getOrUndefined(existing)
          if (about !== undefined && more !== undefined) yield* writes.all(about, more, now)
          if (Option.isNone(sub)) {
            yield* approval === null
              ? sql`DELETE FROM subjects WHERE user_id = ${userId} AND app_id = ${request.appId}`
              : sql`UPDATE subjects SET sub = ${approval.connection.sub}
                    WHERE user_id = ${userId} AND app_id = ${request.appId}`
          }
          return Option.some(outcome)
        }).pipe(sql.withTransaction, Effect.uninterruptible, orStoreError),

      findByAccessToken: (id, hash) =>
        Effect.gen(function* () {
          const userId = yield* userOf(id)
          if (Option.isNone(userId)) return Option.none()
          const row = yield* read`SELECT ${select.withApp}, t.token_hash, t.family_id AS token_family_id,
                                         t.issued_at AS token_issued_at, t.revoked_at AS token_revoked_at
                                  FROM access_tokens t
                                  JOIN connections c ON c.user_id = t.user_id AND c.connection_id = t.connection_id
                                  JOIN apps a ON a.app_id = c.app_id
                                  WHERE t.user_id = ${userId.value} AND t.token_hash = ${hash}
                                    AND t.connection_id = ${id}`.pipe(Rows.first(WithTokenRow))
          return Option.map(row, (found) => ({ ...toWithApp(found), token: toAccessToken(found) }))
        }).pipe(orStoreError),

      change: <A>(id: ConnectionId, asked: Asked, decide: (state: Locked, now: Timestamp.Timestamp) => Decision<A>) =>
        Effect.gen(function* () {
          const found = yield* userOf(id)
          if (Option.isNone(found)) return Option.none<A>()
          const userId = found.value
          const state = yield* readLocked(userId, id, asked)
          if (Option.isNone(state)) return Option.none<A>()
          const now = yield* Timestamp.now
          const decision = decide(state.value, now)
          yield* writes.last(state.value.connection, decision.writes, now)
          return Option.some(decision.outcome)
        }).pipe(sql.withTransaction, Effect.uninterruptible, orStoreError),

      archivePlace: (userId, placeId, decide) =>
        Effect.gen(function* () {
          const ids = yield* lockSharing(userId, placeId)
          const place = yield* places.lock(userId, placeId)
          if (Option.isNone(place)) return Option.none()
          const now = yield* Timestamp.now
          const sharedWith = yield* Effect.forEach(ids, (id) => readWithApp(userId, id))
          const decision = decide({ place: place.value, sharedWith: Array.getSomes(sharedWith) }, now)
          const { archivedAt } = decision
          if (archivedAt !== null) yield* places.store(place.value, { ...place.value, archivedAt }, now)
          for (const { id, writes: list } of decision.writes) yield* writes.all({ userId, id }, list, now)
          return Option.some(decision.outcome)
        }).pipe(sql.withTransaction, Effect.uninterruptible, orStoreError),

      findOfUser: (userId, id) => readWithApp(userId, id).pipe(orStoreError),
      findOfApp: (appId, id) =>
        Effect.gen(function* () {
          const userId = yield* userOf(id)
          if (Option.isNone(userId)) return Option.none()
          const found = yield* readWithApp(userId.value, id)
          return found.pipe(
            Option.map(({ connection }) => connection),
            Option.filter((connection) => connection.appId === appId)
          )
        }).pipe(orStoreError),
      findLive: (userId, appId) => readUnended(userId, appId).pipe(orStoreError),

      listOfUser: (userId) =>
        sql`SELECT ${select.withApp} FROM connections c JOIN apps a ON a.app_id = c.app_id
            WHERE c.user_id = ${userId}
            ORDER BY c.connected_at DESC, c.connection_id COLLATE "C" DESC`.pipe(
          Rows.all(WithAppRow),
          Effect.map((rows) => rows.map(toWithApp)),
          orStoreError
        ),

      listOfApp: (appId, limit, after) =>
        Effect.gen(function* () {
          const position = after === undefined ? undefined : yield* Schema.decodeUnknown(Position)(after)
          const rest =
            position === undefined
              ? sql``
              : sql`AND (c.connected_at, c.connection_id COLLATE "C") < (${Rows.at(position[0])}, ${position[1]})`
          const rows = yield* sql`SELECT ${select.connection} FROM connections c WHERE c.app_id = ${appId} ${rest}
                                  ORDER BY c.connected_at DESC, c.connection_id COLLATE "C" DESC
                                  LIMIT ${limit + 1}`.pipe(Rows.all(ConnectionRow))
          return Page.of(rows.map(toConnection), limit, (last) => [last.connectedAt, last.id])
        }).pipe(orStoreError),

      listRevoked: ({ after, appId, limit }) =>
        sql`SELECT c.connection_id FROM apps a JOIN connections c ON c.app_id = a.app_id
            WHERE a.revoked_at IS NOT NULL AND c.ended_at IS NULL
              AND ${appId === undefined ? sql`true` : sql`a.app_id = ${appId}`}
              AND ${after === undefined ? sql`true` : sql`c.connection_id COLLATE "C" > ${after}`}
            ORDER BY c.connection_id COLLATE "C" LIMIT ${limit}`.pipe(
          Rows.all(Schema.Struct({ connection_id: ConnectionId })),
          Effect.map((rows) => rows.map((row) => row.connection_id)),
          orStoreError
        )
    })
  })
)
