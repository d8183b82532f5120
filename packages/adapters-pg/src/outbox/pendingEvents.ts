import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { EventKey, PendingEvents } from "@place-access/domain/deliveries"
import { Event } from "@place-access/domain/events"
import { AppId, ConnectionId, EventId, type Timestamp, UserId } from "@place-access/domain/shared"
import { Effect, Either, ParseResult, Schema } from "effect"
import * as Rows from "../driver/Rows.js"
import * as Buckets from "../leases/Buckets.js"
import { readerOf, UNREAD } from "../driver/Reader.js"

const StoredEvent = Schema.Struct({
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
const EventRow = Schema.Struct({ ...StoredEvent.fields, is_suspended: Schema.Boolean })
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
  storedAt: row.created_at,
  ...(row.is_suspended ? { wasSuspended: true } : {})
})

const KeyRow = Schema.Struct({ user_id: UserId, event_id: EventId })
const decodeKey = Schema.decodeUnknown(KeyRow)

/**
 * An event that cannot be read must not stop the outbox. The event stays in the outbox, and the log names its id and
 * the wrong fields, but never its content.
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

const COLUMNS = Rows.columns(StoredEvent)

/**
 * An SQL condition on a row of `events`: the event occurred while the account of the person, or the account of the
 * app's holder, was suspended. Past suspensions and a present suspension count. `apps` has copies of the suspensions of
 * the holder's account.
 */
const IS_SUSPENDED = `(EXISTS (SELECT 1 FROM accounts person WHERE person.user_id = events.user_id
    AND (person.suspended_at <= events.occurred_at OR person.suspensions @> events.occurred_at))
  OR EXISTS (SELECT 1 FROM apps WHERE apps.app_id = events.app_id
    AND (apps.suspended_at <= events.occurred_at OR apps.suspensions @> events.occurred_at)))`

/**
 * Which events of the outbox a worker reads. `except` lists events to leave out, mostly events for which this worker is
 * making the first attempts at this moment. The list is short.
 */
export interface PendingRead {
  readonly buckets: ReadonlyArray<number>
  readonly limit: number
  readonly now: Timestamp.Timestamp
  readonly except: ReadonlyArray<EventId>
}

/**
 * The statement of `EventStore.pending`. It reads the index of waiting events from its beginning, so its cost does not
 * grow with the backlog.
 *
 * The limit is a sub-query. The planner's statistics often count fewer waiting events than there are. With a plain
 * limit of 200, the planner would then expect to return the whole backlog, and would read and sort all of it. The
 * planner cannot know the value of a sub-query, so it expects to return a tenth of the rows, and uses the index. Citus
 * refuses a sub-query in the limit of a statement that reads several shards. So on a cluster the limit is a plain
 * parameter, and each shard may sort its part of the backlog.
 */
export const waitingEvents = (sql: SqlClient, { buckets, except, limit, now }: PendingRead, onCluster = false) =>
  sql`SELECT ${COLUMNS}, ${sql.literal(IS_SUSPENDED)} AS is_suspended, fan_out_due_at FROM events
      WHERE fanned_out_at IS NULL AND fan_out_due_at <= ${Rows.at(now)} ${Buckets.andOf(sql, buckets)}
        ${except.length === 0 ? sql`` : sql`AND event_id NOT IN (SELECT unnest(${except}::text[]))`}
      ORDER BY fan_out_due_at, occurred_at, event_id COLLATE "C"
      LIMIT ${onCluster ? sql`${limit}` : sql`(SELECT ${limit}::bigint)`}`

/**
 * Reads the waiting events of a cluster. Unlike `readAhead.ts` on a single server, this function does not also read the
 * endpoints and authorisations that the events need: on a cluster, the data of persons and of apps are on different
 * nodes.
 */
export const readPending = (
  sql: SqlClient,
  query: PendingRead
): Effect.Effect<PendingEvents, SqlError | ParseResult.ParseError> =>
  Effect.map(Effect.flatMap(waitingEvents(sql, query, true), read), (found) => ({ ...found, ahead: new Map() }))

/** Decodes events, one row for each event. */
export const read = (rows: ReadonlyArray<unknown>) =>
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
