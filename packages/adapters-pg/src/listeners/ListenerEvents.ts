import type { SqlClient } from "@effect/sql/SqlClient"
import { Listener } from "@place-access/domain/listeners"
import type { AppId, EventId, ListenerId } from "@place-access/domain/shared"
import { Effect, Schema } from "effect"
import * as Rows from "../driver/Rows.js"
import { ListenerRow, toRecord, toWaiting, WAITING_COLUMNS, WaitingRow } from "./ListenerRow.js"

/**
 * Each exported function runs in a transaction for one app. Because of `lock`, the transactions of one app run one
 * after the other, so that each transaction sees the changes of the earlier transactions.
 */

const IdRow = Schema.Struct({ listener_id: ListenerRow.fields.listener_id })
const EventRow = Schema.Struct({ event_id: WaitingRow.fields.event_id })

interface Key {
  readonly appId: AppId
  readonly id: ListenerId
}

/** Locks the app's listeners and returns their ids. */
const lock = (sql: SqlClient, appId: AppId) =>
  sql`SELECT listener_id FROM listeners WHERE app_id = ${appId} ORDER BY listener_id FOR UPDATE`.pipe(
    Rows.all(IdRow),
    Effect.map((rows) => new Set(rows.map((row) => row.listener_id)))
  )

/**
 * `gone` has events that no longer wait for a listener. Returns the lost events among them, the oldest first. An event
 * is lost when no listener has received it and when it waits for no other listener.
 */
const lostOf = (sql: SqlClient, appId: AppId, gone: ReadonlyArray<Listener.ListenerDelivery>) =>
  Effect.gen(function* () {
    const withoutReceiver = gone.filter(({ hasReceiver }) => !hasReceiver)
    if (withoutReceiver.length === 0) return []
    const ids = withoutReceiver.map(({ envelope }) => envelope.eventId)
    const others = yield* sql`SELECT DISTINCT event_id FROM listener_events
                              WHERE app_id = ${appId} AND event_id = ANY(${ids}::text[])`.pipe(Rows.all(EventRow))
    const waits = new Set(others.map((row) => row.event_id))
    return withoutReceiver.filter(({ envelope }) => !waits.has(envelope.eventId)).sort(Listener.oldestFirst)
  })

export const offer = (sql: SqlClient, appId: AppId, rows: ReadonlyArray<Listener.ListenerDelivery>) =>
  Effect.gen(function* () {
    const there = yield* lock(sql, appId)
    const here = rows.filter(({ listenerId }) => there.has(listenerId))
    const gone = rows.filter(({ listenerId }) => !there.has(listenerId))
    yield* sql`INSERT INTO listener_events (app_id, ${columnsBeside(sql)})
      SELECT ${appId}, ${columnsBeside(sql)} FROM jsonb_to_recordset(${Rows.json(here.map(toRecord))}::jsonb) AS r (
        listener_id text, event_id text, user_id text, envelope jsonb, occurred_at timestamptz,
        max_event_age_s integer, created_at timestamptz, position integer, is_told boolean)
      ON CONFLICT DO NOTHING`
    const dropped = yield* sql`WITH ranked AS (
        SELECT listener_id, event_id, row_number() OVER (
          PARTITION BY listener_id ORDER BY created_at DESC, position DESC, event_id DESC) AS rank
        FROM listener_events WHERE app_id = ${appId}
      ), over AS (
        DELETE FROM listener_events WHERE app_id = ${appId} AND (listener_id, event_id) IN (
          SELECT listener_id, event_id FROM ranked WHERE rank > ${Listener.MAX_WAITING})
        RETURNING ${WAITING_COLUMNS}
      ), counted AS (
        UPDATE listeners l SET dropped = l.dropped + o.count
        FROM (SELECT listener_id, count(*)::integer AS count FROM over GROUP BY listener_id) o
        WHERE l.app_id = ${appId} AND l.listener_id = o.listener_id
      )
      SELECT * FROM over`.pipe(Rows.all(WaitingRow))
    return yield* lostOf(sql, appId, [...gone, ...dropped.map(toWaiting)])
  })

const columnsBeside = (sql: SqlClient) =>
  sql.literal(
    Object.keys(WaitingRow.fields)
      .filter((name) => name !== "app_id")
      .join(", ")
  )

export const take = (sql: SqlClient, { appId, id }: Key, events: ReadonlyArray<EventId>, dropped: number) =>
  Effect.gen(function* () {
    yield* lock(sql, appId)
    const taken = yield* sql`DELETE FROM listener_events
      WHERE app_id = ${appId} AND listener_id = ${id} AND event_id = ANY(${events}::text[])
      RETURNING event_id`.pipe(Rows.all(EventRow))
    const ids = taken.map((row) => row.event_id)
    yield* sql`UPDATE listener_events SET is_told = true
               WHERE app_id = ${appId} AND event_id = ANY(${ids}::text[]) AND NOT is_told`
    if (dropped > 0) {
      yield* sql`UPDATE listeners SET dropped = dropped - ${dropped} WHERE app_id = ${appId} AND listener_id = ${id}`
    }
    return new Set(ids)
  })

export const close = (sql: SqlClient, { appId, id }: Key) =>
  Effect.gen(function* () {
    yield* lock(sql, appId)
    const waited = yield* sql`DELETE FROM listener_events WHERE app_id = ${appId} AND listener_id = ${id}
                              RETURNING ${WAITING_COLUMNS}`.pipe(Rows.all(WaitingRow))
    yield* sql`DELETE FROM listeners WHERE app_id = ${appId} AND listener_id = ${id}`
    return yield* lostOf(sql, appId, waited.map(toWaiting))
  })
