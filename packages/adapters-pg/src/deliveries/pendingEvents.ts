import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { EventKey, PendingEvents } from "@place-access/domain/deliveries"
import { Event } from "@place-access/domain/events"
import { AppId, ConnectionId, EventId, type Timestamp, UserId } from "@place-access/domain/shared"
import { Effect, Either, ParseResult, Schema } from "effect"
import * as Rows from "../driver/Rows.js"
import * as Buckets from "../leases/Buckets.js"
import { readerOf, UNREAD } from "../driver/Reader.js"

const EventRow = Schema.Struct({
  user_id: UserId,
  event_id: EventId,
  connection_id: ConnectionId,
  app_id: AppId,
  payload: Event.Payload,
  occurred_at: Rows.At,
  webhook_url: Schema.NullOr(Schema.String),
  max_event_age_s: Schema.NullOr(Schema.Int),
  created_at: Rows.At
})
const readRow = readerOf(EventRow.ast) as (row: unknown) => typeof EventRow.Type | typeof UNREAD
const decodeRow = Schema.decodeUnknown(EventRow)

const toEvent = (row: typeof EventRow.Type): Event.WaitingEvent => ({
  userId: row.user_id,
  id: row.event_id,
  connectionId: row.connection_id,
  appId: row.app_id,
  payload: row.payload,
  occurredAt: row.occurred_at,
  webhookUrl: row.webhook_url,
  maxEventAgeS: row.max_event_age_s,
  storedAt: row.created_at
})

const KeyRow = Schema.Struct({ user_id: UserId, event_id: EventId })
const decodeKey = Schema.decodeUnknown(KeyRow)

/**
 * An event that cannot be read must not stop the outbox. It stays there, and the log names its id and the wrong fields,
 * but never its content.
 */
const unreadable = (row: unknown, error: ParseResult.ParseError) =>
  Effect.gen(function* () {
    const key = yield* decodeKey(row)
    yield* Effect.logError(
      "An event cannot be read and stays in the outbox",
      key.event_id,
      ParseResult.ArrayFormatter.formatErrorSync(error).map(({ path }) => path.join("."))
    )
    return { userId: key.user_id, id: key.event_id }
  })

const COLUMNS = Rows.columns(EventRow)

/**
 * `EventStore.pending`. The index of waiting events is read from its beginning, so the cost does not grow with the
 * backlog.
 */
export const readPending = (
  sql: SqlClient,
  buckets: ReadonlyArray<number>,
  limit: number,
  now: Timestamp.Timestamp,
  except: ReadonlyArray<EventId>
): Effect.Effect<PendingEvents, SqlError | ParseResult.ParseError> =>
  Effect.flatMap(
    // The list is as long as the worker has first attempts in flight at most.
    sql`SELECT ${COLUMNS} FROM events
        WHERE fanned_out_at IS NULL AND fan_out_due_at <= ${Rows.at(now)} ${Buckets.andOf(sql, buckets)}
          ${except.length === 0 ? sql`` : sql`AND event_id <> ALL(${except}::text[])`}
        ORDER BY fan_out_due_at, occurred_at, event_id COLLATE "C" LIMIT ${limit}`,
    read
  )

const read = (rows: ReadonlyArray<unknown>) =>
  Effect.gen(function* () {
    const events: Array<Event.WaitingEvent> = []
    const failed: Array<EventKey> = []
    for (const row of rows) {
      const known = readRow(row)
      const columns = known === UNREAD ? yield* Effect.either(decodeRow(row)) : Either.right(known)
      if (Either.isRight(columns)) events.push(toEvent(columns.right))
      else failed.push(yield* unreadable(row, columns.left))
    }
    return { events, unreadable: failed }
  })
