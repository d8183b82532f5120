import { SqlClient } from "@effect/sql/SqlClient"
import { Fix, FixHistory, RangePosition } from "@place-access/domain/fixes"
import { Effect, Layer, Schema } from "effect"
import { orStoreError } from "../Failures.js"
import * as FixCounts from "../history/FixCounts.js"
import { aroundStatement, newestStatement, rangeStatement, sentStatement, silencesStatement } from "./HistoryReads.js"
import { SharedRow, StoredRow, toShared, toStored } from "./StoredRow.js"
import * as Rows from "../driver/Rows.js"

const TallyRow = Schema.Struct({ edge: Schema.Int, fixes: Rows.Bigint, first_at: Rows.At, last_at: Rows.At })

const SentRow = Schema.Struct({
  edge: Schema.Int,
  readings: Rows.Bigint,
  late: Rows.Bigint,
  first_at: Rows.At,
  last_at: Rows.At
})

const SilenceRow = Schema.Struct({ from: Rows.At, until: Rows.At })

export const layer: Layer.Layer<FixHistory, never, SqlClient> = Layer.effect(
  FixHistory,
  Effect.map(SqlClient, (sql) => {
    const stored = (rows: Parameters<ReturnType<typeof Rows.all>>[0]) =>
      Effect.map(Rows.all(StoredRow)(rows), (all) => all.map(toStored))

    return FixHistory.of({
      newest: (userId, now, within, limit) =>
        stored(newestStatement(sql, userId, now, within, limit)).pipe(
          Effect.map((fixes) => [...fixes].sort(Fix.newestFirst)),
          orStoreError
        ),

      around: (userId, now, at, toleranceMs) =>
        stored(aroundStatement(sql, userId, now, at, toleranceMs)).pipe(orStoreError),

      range: (userId, now, { from, until }, limit, after) => {
        const position = RangePosition.start(from, after)
        const needed = RangePosition.needed(limit, position)
        return rangeStatement(sql, userId, now, { from: position.from, until }, needed).pipe(
          Rows.all(SharedRow),
          Effect.map((rows) => RangePosition.page(rows.map(toShared), limit, position)),
          orStoreError
        )
      },

      tally: (userId, now, edges) =>
        FixCounts.prepare(sql, userId, now, edges[0] ?? now, edges.at(-1) ?? now).pipe(
          // The stored counts of fixes are a cache. When they cannot be made, `tallyStatement` counts the fixes
          // themselves, which is slower.
          Effect.catchAll((error) => Effect.logDebug("The fixes were not counted", userId, error)),
          Effect.zipRight(FixCounts.tallyStatement(sql, userId, now, edges).pipe(Rows.all(TallyRow))),
          Effect.map((rows) =>
            rows.map((row) => ({ edge: row.edge, fixes: row.fixes, firstAt: row.first_at, lastAt: row.last_at }))
          ),
          orStoreError
        ),

      sent: (userId, deviceId, now, edges, { lateMs, silentMs }) => {
        const device = { userId, deviceId }
        return Effect.all({
          counts: sentStatement(sql, device, now, edges, lateMs).pipe(Rows.all(SentRow)),
          silences: silencesStatement(sql, device, now, edges, silentMs).pipe(Rows.all(SilenceRow))
        }).pipe(
          Effect.map(({ counts, silences }) => ({
            counts: counts.map(({ edge, first_at, last_at, late, readings }) => ({
              edge,
              readings,
              late,
              firstAt: first_at,
              lastAt: last_at
            })),
            silences
          })),
          orStoreError
        )
      }
    })
  })
)
