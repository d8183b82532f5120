import { SqlClient } from "@effect/sql/SqlClient"
import { type Authorisation, Event, EventStore } from "@place-access/domain/events"
import { AppId, ConnectionId, EventId, type RuleId, Scope, type Timestamp, UserId } from "@place-access/domain/shared"
import { Effect, Layer, Option, ParseResult, Predicate, Schema } from "effect"
import * as Batches from "./Batches.js"
import { orStoreError } from "./Failures.js"
import * as Rows from "./Rows.js"
import { readerOf, UNREAD } from "./rows/Reader.js"

const EventRow = Schema.Struct({
  user_id: UserId,
  event_id: EventId,
  connection_id: ConnectionId,
  app_id: AppId,
  payload: Event.Payload,
  occurred_at: Rows.At,
  webhook_url: Schema.NullOr(Schema.String),
  max_event_age_s: Schema.NullOr(Schema.Int)
})
const readRow = readerOf(EventRow.ast) as (row: unknown) => typeof EventRow.Type | typeof UNREAD
const decodeRow = Schema.decodeUnknown(EventRow)

const toEvent = (row: typeof EventRow.Type): Event.OutboxEvent => ({
  userId: row.user_id,
  id: row.event_id,
  connectionId: row.connection_id,
  appId: row.app_id,
  payload: row.payload,
  occurredAt: row.occurred_at,
  webhookUrl: row.webhook_url,
  maxEventAgeS: row.max_event_age_s
})

/** An event that cannot be read must not stop the outbox: it stays in it, loudly, but without what it holds. */
const decode = (row: unknown) =>
  Effect.catchAll(decodeRow(row), (error) =>
    Effect.as(
      Effect.logError(
        "An event cannot be read and stays in the outbox",
        Predicate.hasProperty(row, "event_id") ? row.event_id : undefined,
        ParseResult.ArrayFormatter.formatErrorSync(error).map(({ path }) => path.join("."))
      ),
      undefined
    )
  )

interface Asked {
  readonly userId: UserId
  readonly connectionId: ConnectionId
  readonly ruleId: RuleId | null
}

const AuthorisationRow = Schema.Struct({
  /** Of who asked, from 1. */
  position: Rows.Bigint,
  app_id: AppId,
  held_scopes: Schema.Array(Scope.Scope),
  standard_expires_at: Rows.NullableAt,
  sensitive_expires_at: Rows.NullableAt,
  ended_at: Rows.NullableAt,
  declared_scopes: Schema.Array(Scope.Scope),
  allowed_scopes: Schema.NullOr(Schema.Array(Scope.Scope)),
  revoked_at: Rows.NullableAt,
  rule_stands: Schema.Boolean
})

const toAuthorisation = (row: typeof AuthorisationRow.Type): Authorisation.Authorisation => ({
  connection: {
    appId: row.app_id,
    heldScopes: row.held_scopes,
    standardExpiresAt: row.standard_expires_at,
    sensitiveExpiresAt: row.sensitive_expires_at,
    endedAt: row.ended_at
  },
  app: { declaredScopes: row.declared_scopes, allowedScopes: row.allowed_scopes, revokedAt: row.revoked_at },
  ruleStands: row.rule_stands
})

/**
 * Each event is looked up by itself, whatever the planner has heard of a backlog by then: `fanned_out_at IS NULL` would lead to the index of
 * all that waits, and for a list of 200 it would read the whole table while that is small. Of a comparison that it cannot look into
 * it expects one row.
 */
export const marking = (
  sql: SqlClient,
  events: ReadonlyArray<Pick<Event.OutboxEvent, "userId" | "id">>,
  at: Timestamp.Timestamp
) =>
  sql`UPDATE events e SET fanned_out_at = ${Rows.at(at)}
      FROM (SELECT * FROM unnest(${events.map(({ userId }) => userId)}::text[], ${events.map(({ id }) => id)}::text[])
              AS d (user_id, event_id) WHERE user_id = user_id || '') AS done
      WHERE e.user_id = done.user_id AND e.event_id = done.event_id AND coalesce(e.fanned_out_at, 'infinity') = 'infinity'`

/** Asked before every attempt, for that attempt alone; those who ask while others' answer is read share the next statement. */
export const layer: Layer.Layer<EventStore, never, SqlClient> = Layer.scoped(
  EventStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const columns = sql.literal(
      Object.keys(EventRow.fields)
        .map((column) => `e.${column}`)
        .join(", ")
    )

    const authorisation = yield* Batches.make((asked: ReadonlyArray<Asked>) =>
      sql`SELECT asked.position, c.app_id, c.held_scopes, c.standard_expires_at, c.sensitive_expires_at, c.ended_at,
            a.declared_scopes, a.allowed_scopes, a.revoked_at,
            asked.rule_id IS NULL OR EXISTS (
              SELECT 1 FROM rules r
              WHERE r.user_id = asked.user_id AND r.rule_id = asked.rule_id AND r.connection_id = c.connection_id
                AND r.deleted_at IS NULL
                AND (r.place_id IS NULL OR EXISTS (
                  SELECT 1 FROM connection_places shared
                  JOIN places p ON p.user_id = shared.user_id AND p.place_id = shared.place_id
                  WHERE shared.user_id = asked.user_id AND shared.connection_id = c.connection_id
                    AND shared.place_id = r.place_id AND p.archived_at IS NULL
                ))
            ) AS rule_stands
          FROM unnest(${asked.map(({ userId }) => userId)}::text[],
                      ${asked.map(({ connectionId }) => connectionId)}::text[],
                      ${asked.map(({ ruleId }) => ruleId)}::text[])
            WITH ORDINALITY AS asked (user_id, connection_id, rule_id, position)
          JOIN connections c ON c.user_id = asked.user_id AND c.connection_id = asked.connection_id
          JOIN apps a ON a.app_id = c.app_id`.pipe(
        Rows.all(AuthorisationRow),
        Effect.map((rows) => {
          const found = new Map(rows.map((row) => [row.position, toAuthorisation(row)]))
          return asked.map((_, index) => Option.fromNullable(found.get(index + 1)))
        }),
        orStoreError
      )
    )

    return EventStore.of({
      claimPending: (limit, now, leaseUntil) =>
        Effect.gen(function* () {
          const rows = yield* sql`WITH pending AS (
              SELECT user_id, event_id, fan_out_due_at, created_at FROM events
              WHERE fanned_out_at IS NULL AND fan_out_due_at <= ${Rows.at(now)}
              ORDER BY fan_out_due_at, created_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
            ), claimed AS (
              UPDATE events e SET fan_out_due_at = ${Rows.at(leaseUntil)} FROM pending p
              WHERE e.user_id = p.user_id AND e.event_id = p.event_id
              RETURNING ${columns}, p.fan_out_due_at, p.created_at
            )
            SELECT * FROM claimed ORDER BY fan_out_due_at, created_at`
          const events: Array<Event.OutboxEvent> = []
          for (const row of rows) {
            const read = readRow(row)
            const columns = read === UNREAD ? yield* decode(row) : read
            if (columns !== undefined) events.push(toEvent(columns))
          }
          return events
        }).pipe(orStoreError),

      markFannedOut: (events, at) => marking(sql, events, at).pipe(Effect.asVoid, orStoreError),

      authorisation: (userId, connectionId, ruleId) => authorisation({ userId, connectionId, ruleId })
    })
  })
)
