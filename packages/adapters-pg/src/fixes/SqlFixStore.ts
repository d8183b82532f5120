import { SqlClient } from "@effect/sql/SqlClient"
import { Fix, FixStore, FutureReading } from "@place-access/domain/fixes"
import { Timestamp } from "@place-access/domain/shared"
import { Effect, identity, Layer, Option, Schema } from "effect"
import { orStoreError } from "../Failures.js"
import { COLUMNS, StoredRow, toStored } from "./StoredRow.js"
import { isDistributed } from "../schema/isDistributed.js"
import { uploadOnCluster } from "./uploadOnCluster.js"
import { uploadStatement } from "./UploadStatement.js"
import * as Settling from "./Settling.js"
import * as UploadView from "./UploadView.js"
import { turn } from "../driver/turn.js"
import * as Rows from "../driver/Rows.js"

type Store = typeof FixStore.Service

export const layer: Layer.Layer<FixStore, never, SqlClient> = Layer.effect(
  FixStore,
  Effect.map(SqlClient, (sql) =>
    FixStore.of({
      view: (userId, sent, now) => UploadView.read(sql, userId, sent, now).pipe(orStoreError),
      commit: commit(sql),
      settling: Settling.due(sql),
      commitSettled: Settling.commit(sql),
      waiting: waiting(sql),
      latest: latest(sql),
      lastReceivedAt: lastReceivedAt(sql)
    })
  )
)

const commit = (sql: SqlClient): Store["commit"] => {
  const onCluster = isDistributed(sql)
  return (together) =>
    onCluster.pipe(
      Effect.flatMap((is) =>
        is ? uploadOnCluster(sql, together) : Effect.map(uploadStatement(sql, together), (rows) => rows.length > 0)
      ),
      together.uploads.every(({ fixes }) => fixes.length < LARGE) ? identity : Effect.zipLeft(turn),
      orStoreError
    )
}

/**
 * After an upload with at least this number of fixes, the store lets other requests run for one turn of the event loop.
 * Such an upload is probably one of the parts into which `ingestFixes` divides a large upload, and the next part
 * follows immediately.
 */
const LARGE = 500

const MaybeNumber = Schema.optional(Schema.NullOr(Schema.Number))

/** A quarantined reading. Its numbers are stored as the phone sent them and may be outside of every valid range. */
const WaitingRow = Schema.Struct({
  reading_key: Schema.String,
  reading: Schema.Struct({
    capturedAt: Timestamp.Timestamp,
    lat: Schema.Number,
    lon: Schema.Number,
    accuracyM: MaybeNumber,
    altitudeM: MaybeNumber,
    speedMps: MaybeNumber,
    courseDeg: MaybeNumber
  }),
  received_at: Rows.At
})

/**
 * Selects stored readings whose time was in the future, by the same rule as `FutureReading.undisputed` uses in memory.
 */
const waiting =
  (sql: SqlClient): Store["waiting"] =>
  (userId, { deviceId, fixes, receivedAt }, since, limit) => {
    const device = sql`user_id = ${userId} AND device_id = ${deviceId}`
    // Visit reports are left out: they have no `capturedAt`.
    const future = sql`${device} AND received_at > ${Rows.at(since)} AND reason = 'future' AND reading ? 'capturedAt'`
    const millis = sql`(reading ->> 'capturedAt')::float8`
    const readings = sql`(SELECT received_at, to_timestamp(${millis} / 1000) AS captured_at
                          FROM quarantined_fixes WHERE ${future}) q`
    // The earliest time in \`own\` that is after the reading's arrival is found by a binary search.
    const own = sql`${fixes
      .map(({ capturedAt }) => capturedAt)
      .toSorted((a, b) => a - b)
      .map(Rows.at)}::timestamptz[]`
    return sql`SELECT reading_key, reading, received_at FROM quarantined_fixes
        WHERE ${future} AND ${millis} <= extract(epoch FROM received_at) * 1000 + ${FutureReading.MAX_WAIT}::float8
          AND received_at > coalesce(greatest(
            (SELECT max(q.received_at) FROM ${readings} WHERE EXISTS (
              SELECT 1 FROM fixes f
              WHERE ${device} AND f.captured_at > q.received_at AND f.captured_at < q.captured_at
                AND f.received_at > q.received_at
                AND f.captured_at <= f.received_at + ${Fix.MAX_AHEAD} * interval '1 millisecond')),
            (SELECT max(q.received_at) FROM ${readings} WHERE q.received_at < ${Rows.at(receivedAt)}
              AND (${own})[width_bucket(q.received_at, ${own}) + 1] < q.captured_at)), '-infinity')
        ORDER BY ${millis}, reading_key COLLATE "C" LIMIT ${limit}`.pipe(
      Rows.all(WaitingRow),
      Effect.map((rows) =>
        rows.map((row) => ({ key: row.reading_key, reading: row.reading, receivedAt: row.received_at }))
      ),
      orStoreError
    )
  }

const latest =
  (sql: SqlClient): Store["latest"] =>
  (userId, limit) =>
    sql`SELECT ${COLUMNS} FROM fixes WHERE user_id = ${userId}
        ORDER BY captured_at DESC, device_id COLLATE "C" DESC, lat DESC, lon DESC LIMIT ${limit}`.pipe(
      Rows.all(StoredRow),
      Effect.map((rows) => rows.map(toStored)),
      orStoreError
    )

const SeenRow = Schema.Struct({ last_seen_at: Rows.NullableAt })

const lastReceivedAt =
  (sql: SqlClient): Store["lastReceivedAt"] =>
  (userId) =>
    sql`SELECT max(last_seen_at) AS last_seen_at FROM devices WHERE user_id = ${userId}`.pipe(
      Rows.first(SeenRow),
      Effect.map(Option.flatMapNullable((row) => row.last_seen_at)),
      orStoreError
    )
