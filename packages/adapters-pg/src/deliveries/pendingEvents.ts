import type { SqlClient } from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import { Event } from "@place-access/domain/events"
import { AppId, ConnectionId, EventId, type Timestamp, UserId } from "@place-access/domain/shared"
import { Effect, ParseResult, Predicate, Schema } from "effect"
import * as Rows from "../driver/Rows.js"
import { readerOf, UNREAD } from "../driver/Reader.js"

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

/**
 * An event that cannot be read must not stop the outbox. It stays there, and the log names its id and the wrong fields,
 * but never its content.
 */
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

const COLUMNS = Rows.columns(EventRow, "e")

const read = (rows: ReadonlyArray<unknown>) =>
  Effect.gen(function* () {
    const events: Array<Event.OutboxEvent> = []
    for (const row of rows) {
      const known = readRow(row)
      const columns = known === UNREAD ? yield* decode(row) : known
      if (columns !== undefined) events.push(toEvent(columns))
    }
    return events
  })

/** `EventStore.claimPending` on a single server: workers skip the events that another worker is claiming. */
export const claimPending = (
  sql: SqlClient,
  limit: number,
  now: Timestamp.Timestamp,
  leaseUntil: Timestamp.Timestamp
) =>
  Effect.flatMap(
    sql`WITH pending AS (
          SELECT user_id, event_id, fan_out_due_at, created_at FROM events
          WHERE fanned_out_at IS NULL AND fan_out_due_at <= ${Rows.at(now)}
          ORDER BY fan_out_due_at, created_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
        ), claimed AS (
          UPDATE events e SET fan_out_due_at = ${Rows.at(leaseUntil)} FROM pending p
          WHERE e.user_id = p.user_id AND e.event_id = p.event_id
          RETURNING ${COLUMNS}, p.fan_out_due_at, p.created_at
        )
        SELECT * FROM claimed ORDER BY fan_out_due_at, created_at`,
    read
  )

const PendingRow = Schema.Struct({ user_id: UserId, event_id: EventId })

/**
 * Claims those of the events that are still due: of two workers that read the same events, the second one waits for the
 * first one's commit and then finds nothing. Citus locks no rows across its nodes, so there is no SKIP LOCKED here.
 * Every shard is asked: naming the users in a list as well would lead the planner away from the look-ups.
 */
const claiming = (
  sql: SqlClient,
  columns: Fragment,
  pending: ReadonlyArray<typeof PendingRow.Type>,
  now: Timestamp.Timestamp,
  leaseUntil: Timestamp.Timestamp
) =>
  sql`UPDATE events e SET fan_out_due_at = ${Rows.at(leaseUntil)}
      FROM (SELECT * FROM unnest(${pending.map((row) => row.user_id)}::text[],
                                 ${pending.map((row) => row.event_id)}::text[])
              AS d (user_id, event_id) WHERE user_id = user_id || '') AS due
      WHERE e.user_id = due.user_id AND e.event_id = due.event_id
        AND coalesce(e.fanned_out_at, 'infinity') = 'infinity' AND e.fan_out_due_at <= ${Rows.at(now)}
      RETURNING ${columns}`

const placeOf = (places: ReadonlyMap<string, number>, row: object): number =>
  places.get((row as { readonly event_id: string }).event_id) ?? 0

/** `EventStore.claimPending` on a cluster. */
export const claimPendingOnCluster = (
  sql: SqlClient,
  limit: number,
  now: Timestamp.Timestamp,
  leaseUntil: Timestamp.Timestamp
) =>
  Effect.gen(function* () {
    const pending = yield* sql`SELECT user_id, event_id FROM events
        WHERE fanned_out_at IS NULL AND fan_out_due_at <= ${Rows.at(now)}
        ORDER BY fan_out_due_at, created_at LIMIT ${limit}`.pipe(Rows.all(PendingRow))
    if (pending.length === 0) return []
    const claimed = yield* claiming(sql, COLUMNS, pending, now, leaseUntil)
    const places = new Map(pending.map((row, index) => [row.event_id, index]))
    return yield* read(claimed.toSorted((one, other) => placeOf(places, one) - placeOf(places, other)))
  })
