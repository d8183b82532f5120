import { SqlClient } from "@effect/sql/SqlClient"
import { type Connection, Ending } from "@place-access/domain/connection"
import { type Approval, type ConsentRequest, ConsentStore } from "@place-access/domain/consent"
import { type AppId, type ConsentRequestId, Sub, Timestamp, type UserId, Vault } from "@place-access/domain/shared"
import { AuthorizationCode } from "@place-access/domain/tokens"
import { Effect, Layer, Option, Schema } from "effect"
import { AppRow, COLUMNS as APP_COLUMNS, toApp } from "../apps/AppRow.js"
import * as ConnectionReads from "../connection/ConnectionReads.js"
import * as ConnectionWrites from "../connection/ConnectionWrites.js"
import * as Rows from "../driver/Rows.js"
import * as PlaceWrites from "../places/PlaceWrites.js"
import { isDistributed } from "../schema/isDistributed.js"
import { orStoreError } from "../Failures.js"
import { COLUMNS, RequestRow, toRequest } from "./RequestRow.js"

export const layer: Layer.Layer<ConsentStore, never, SqlClient> = Layer.effect(
  ConsentStore,
  Effect.map(SqlClient, (sql) => {
    const state = approvalState(sql)
    const outcome = approvalWrites(sql)

    return ConsentStore.of({
      createRequest: (request) =>
        sql`INSERT INTO consent_requests (request_id, app_id, redirect_uri, scopes, challenge, state, external_user_id,
              answers_issuer, created_at)
            VALUES (${request.id}, ${request.appId}, ${request.redirectUri}, ${request.scopes}, ${request.challenge},
              ${request.state}, ${request.externalUserId}, ${request.answersIssuer}, ${Rows.at(request.createdAt)})`.pipe(
          Effect.asVoid,
          orStoreError
        ),

      findRequest: (id) =>
        sql`SELECT ${COLUMNS} FROM consent_requests WHERE request_id = ${id}`.pipe(
          Rows.first(RequestRow),
          Effect.map(Option.map(toRequest)),
          orStoreError
        ),

      decideRequest: (id, userId, decide) =>
        Effect.gen(function* () {
          if (!(yield* state.hasAccount(userId))) return Option.none()
          const found = yield* state.lockRequest(id)
          if (Option.isNone(found)) return Option.none()
          const request = found.value
          const sub = yield* state.lockPair(userId, request.appId)
          yield* state.lockUnended(userId, request.appId)
          const ownPlaces = yield* state.lockPlaces(userId)
          const now = yield* Timestamp.now
          const app = yield* state.readApp(request.appId)
          const existing = yield* state.readUnended(userId, request.appId)
          const placesVersion = yield* state.readPlacesVersion(userId, request.appId)
          const usableCodes = yield* state.readUsableCodes(userId, request.appId, now)
          const decision = decide({ request, app, existing, sub, ownPlaces, placesVersion, usableCodes }, now)
          const { approval, decided, writes } = decision
          if (decided !== null) yield* outcome.markDecided(id, decided)
          if (approval !== null) yield* outcome.store(approval, Option.getOrUndefined(existing), now)
          const connection = approval?.connection ?? Option.getOrUndefined(existing)
          if (connection !== undefined && writes !== undefined) yield* outcome.writes.all(connection, writes, now)
          if (Option.isNone(sub)) yield* outcome.settleSub(userId, request.appId, approval)
          return Option.some(decision.outcome)
        }).pipe(sql.withTransaction, Effect.uninterruptible, orStoreError)
    })
  })
)

/**
 * Whether the user has an account. Locks the account, so that a deletion of the account waits for this transaction: the
 * deletion then finds and ends the connection that this transaction makes. A deletion locks in the same order, the
 * account before the connections. With a weaker lock, such as FOR KEY SHARE, a consent would not wait behind a
 * suspension that waits for an earlier consent: a person could delay a suspension by consents that overlap (decision
 * accounts-25). On a cluster, `accounts` is a copied table, and two transactions that take this lock at the same time
 * would deadlock. So there this function takes no lock (decision deletions-2).
 */
const hasAccount = (sql: SqlClient) => {
  const onCluster = isDistributed(sql)
  return (userId: UserId) =>
    Effect.map(
      Effect.flatMap(onCluster, (isCluster) =>
        isCluster
          ? sql`SELECT 1 FROM accounts WHERE user_id = ${userId}`
          : sql`SELECT 1 FROM accounts WHERE user_id = ${userId} FOR NO KEY UPDATE`
      ),
      (rows) => rows.length > 0
    )
}

/** The hashes of the codes that the app can still exchange. */
const readUsableCodes = (sql: SqlClient) => (userId: UserId, appId: AppId, now: Timestamp.Timestamp) =>
  sql`SELECT code_hash FROM authorization_codes
      WHERE user_id = ${userId} AND app_id = ${appId} AND family_id IS NULL
        AND created_at > ${Rows.at(now - AuthorizationCode.LIFETIME)}`.pipe(
    Rows.all(Schema.Struct({ code_hash: Vault.Hash })),
    Effect.map((rows) => rows.map((row) => row.code_hash))
  )

/** The reads and locks that a decision about a consent request needs. */
const approvalState = (sql: SqlClient) => {
  return {
    hasAccount: hasAccount(sql),
    readUnended: ConnectionReads.make(sql).readUnended,
    /**
     * Call this after the lock of the connection. The archiving of a place takes its locks in the same order, so the
     * two transactions cannot deadlock (decision places-3).
     */
    lockPlaces: PlaceWrites.make(sql).lockAll,

    lockRequest: (id: ConsentRequestId) =>
      sql`SELECT ${COLUMNS} FROM consent_requests WHERE request_id = ${id} FOR UPDATE`.pipe(
        Rows.first(RequestRow),
        Effect.map(Option.map(toRequest))
      ),

    /**
     * Locks the row of one user and one app, so that approvals of this app by this user run one after the other.
     * Returns the `sub`, the id by which this app knows this user. Returns None when this call inserted the row, which
     * has no `sub` yet.
     */
    lockPair: (userId: UserId, appId: AppId) =>
      Effect.gen(function* () {
        const inserted = yield* Rows.affected(
          sql`INSERT INTO subjects (user_id, app_id, sub) VALUES (${userId}, ${appId}, '')
              ON CONFLICT (user_id, app_id) DO NOTHING`
        )
        if (inserted === 1) return Option.none<Sub>()
        const row = yield* sql`SELECT sub FROM subjects WHERE user_id = ${userId} AND app_id = ${appId}
                               FOR UPDATE`.pipe(Rows.first(Schema.Struct({ sub: Sub })))
        return Option.map(row, ({ sub }) => sub)
      }),

    lockUnended: (userId: UserId, appId: AppId) =>
      sql`SELECT 1 FROM connections WHERE user_id = ${userId} AND app_id = ${appId} AND ended_at IS NULL FOR UPDATE`,

    readPlacesVersion: (userId: UserId, appId: AppId) =>
      sql`SELECT coalesce(max(places_version), 0) AS places_version FROM connections
          WHERE user_id = ${userId} AND app_id = ${appId}`.pipe(
        Rows.first(Schema.Struct({ places_version: Schema.Int })),
        Effect.map(Option.match({ onNone: () => 0, onSome: (row) => row.places_version }))
      ),

    readUsableCodes: readUsableCodes(sql),

    readApp: (id: AppId) =>
      sql`SELECT ${APP_COLUMNS} FROM apps WHERE app_id = ${id}`.pipe(
        Rows.first(AppRow),
        Effect.flatMap(
          Option.match({
            onNone: () => Effect.dieMessage("a consent request names an app that does not exist"),
            onSome: (row) => Effect.succeed(toApp(row))
          })
        )
      )
  }
}

/** The writes of a decision about a consent request. */
const approvalWrites = (sql: SqlClient) => {
  const writes = ConnectionWrites.make(sql)
  return {
    writes,

    markDecided: (id: ConsentRequestId, decided: ConsentRequest.DecidedConsent) => {
      const approved = decided.outcome === "approved" ? decided : null
      return sql`UPDATE consent_requests
                 SET decided_by = ${decided.by}, outcome = ${decided.outcome},
                     connection_id = ${approved?.connectionId ?? null}, key_id = ${approved?.keyId ?? null}
                 WHERE request_id = ${id}`
    },

    store: (
      { code, connection, expired }: Approval,
      existing: Connection.Connection | undefined,
      now: Timestamp.Timestamp
    ) =>
      Effect.gen(function* () {
        if (existing !== undefined && expired === existing.id) {
          yield* writes.all(existing, Ending.ifExpired(existing, now), now)
        }
        yield* writes.save(connection, now)
        yield* writes.addCode(code)
      }),

    /** Stores the `sub` in the row that `lockPair` inserted, or deletes that row when the user approved nothing. */
    settleSub: (userId: UserId, appId: AppId, approval: Approval | null) =>
      approval === null
        ? sql`DELETE FROM subjects WHERE user_id = ${userId} AND app_id = ${appId}`
        : sql`UPDATE subjects SET sub = ${approval.connection.sub} WHERE user_id = ${userId} AND app_id = ${appId}`
  }
}
