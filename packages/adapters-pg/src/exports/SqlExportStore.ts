import { SqlClient } from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import { type Export, ExportStore } from "@place-access/domain/exports"
import { Timestamp } from "@place-access/domain/shared"
import { Effect, Either, Layer, Option, Schema } from "effect"
import * as Rows from "../driver/Rows.js"
import * as UploadStream from "../history/UploadStream.js"
import { orStoreError } from "../Failures.js"
import * as Buckets from "../leases/Buckets.js"
import { COLUMNS, deletePieces, ExportRow, isOne, KeyRow, toExport } from "./ExportRow.js"
import * as Making from "./Making.js"

type Store = typeof ExportStore.Service

export const layer: Layer.Layer<ExportStore, never, SqlClient> = Layer.effect(
  ExportStore,
  Effect.map(SqlClient, (sql) =>
    ExportStore.of({
      request: request(sql),
      list: list(sql),
      find: find(sql),
      due: Making.due(sql),
      claim: Making.claim(sql),
      append: Making.append(sql),
      renew: Making.renew(sql),
      handBack: Making.handBack(sql),
      finish: Making.finish(sql),
      piece: piece(sql),
      remove: remove(sql),
      expire: expire(sql)
    })
  )
)

const request =
  (sql: SqlClient): Store["request"] =>
  (userId, decide) =>
    Effect.gen(function* () {
      // Because of this lock, requests from two tabs run one after the other, so that the second request sees the
      // export of the first.
      yield* UploadStream.lock(sql, userId, 0)
      const present = yield* sql`SELECT ${COLUMNS} FROM exports WHERE user_id = ${userId}`.pipe(Rows.all(ExportRow))
      const decided = decide(present.map(toExport), yield* Timestamp.now)
      if (Either.isRight(decided)) {
        const { id, requestedAt, state } = decided.right
        yield* sql`INSERT INTO exports (user_id, export_id, state, requested_at)
                   VALUES (${userId}, ${id}, ${state}, ${Rows.at(requestedAt)})`
      }
      return decided
    }).pipe(sql.withTransaction, orStoreError)

const list =
  (sql: SqlClient): Store["list"] =>
  (userId, limit) =>
    sql`SELECT ${COLUMNS} FROM exports WHERE user_id = ${userId}
        ORDER BY requested_at DESC, export_id COLLATE "C" DESC LIMIT ${limit}`.pipe(
      Rows.all(ExportRow),
      Effect.map((rows) => rows.map(toExport)),
      orStoreError
    )

const find =
  (sql: SqlClient): Store["find"] =>
  (of) =>
    sql`SELECT ${COLUMNS} FROM exports WHERE ${isOne(sql, of)}`.pipe(
      Rows.first(ExportRow),
      Effect.map(Option.map(toExport)),
      orStoreError
    )

const PieceRow = Schema.Struct({ sealed: Schema.Uint8ArrayFromSelf })

const piece =
  (sql: SqlClient): Store["piece"] =>
  (of, position, now) =>
    sql`SELECT p.sealed FROM export_pieces p
        JOIN exports e ON e.user_id = p.user_id AND e.export_id = p.export_id
        WHERE p.user_id = ${of.userId} AND p.export_id = ${of.id} AND p.position = ${position}
          AND e.user_id = ${of.userId} AND e.state = 'ready' AND e.expires_at > ${Rows.at(now)}`.pipe(
      Rows.first(PieceRow),
      Effect.map(Option.map(({ sealed }) => sealed)),
      orStoreError
    )

/** Ends an export and deletes its bytes, if the export meets the condition `only`. */
const end = (
  sql: SqlClient,
  of: Export.ExportKey,
  state: Export.ExportState,
  at: Timestamp.Timestamp,
  only: Fragment
) =>
  Rows.affected(
    sql`UPDATE exports SET state = ${state}, ended_at = ${Rows.at(at)}, lease = NULL, leased_until = NULL
        WHERE ${isOne(sql, of)} AND ${only}`
  ).pipe(
    Effect.tap((count) => (count === 0 ? Effect.void : deletePieces(sql, of))),
    sql.withTransaction
  )

const remove =
  (sql: SqlClient): Store["remove"] =>
  (of, at) =>
    end(sql, of, "deleted", at, sql`state IN ('requested', 'making', 'ready')`).pipe(
      Effect.map((count) => count > 0),
      orStoreError
    )

const expire =
  (sql: SqlClient): Store["expire"] =>
  (buckets, now, forgetBefore) =>
    Effect.gen(function* () {
      const isOver = sql`state = 'ready' AND expires_at <= ${Rows.at(now)}`
      const over =
        yield* sql`SELECT user_id, export_id FROM exports WHERE ${isOver} ${Buckets.andOf(sql, buckets)}`.pipe(
          Rows.all(KeyRow)
        )
      let expired = 0
      for (const { export_id: id, user_id: userId } of over) {
        expired += yield* end(sql, { userId, id }, "expired", now, isOver)
      }
      const old = yield* sql`SELECT user_id, export_id FROM exports
          WHERE ended_at < ${Rows.at(forgetBefore)} ${Buckets.andOf(sql, buckets)}`.pipe(Rows.all(KeyRow))
      for (const { export_id: id, user_id: userId } of old) {
        yield* sql`DELETE FROM exports WHERE ${isOne(sql, { userId, id })} AND ended_at < ${Rows.at(forgetBefore)}`
      }
      return expired
    }).pipe(orStoreError)
