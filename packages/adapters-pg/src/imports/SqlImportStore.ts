import { SqlClient } from "@effect/sql/SqlClient"
import { ImportStore } from "@place-access/domain/imports"
import { Page } from "@place-access/domain/shared"
import { Effect, Layer, Option } from "effect"
import * as Rows from "../driver/Rows.js"
import * as TimePosition from "../driver/TimePosition.js"
import { orStoreError } from "../Failures.js"
import { COLUMNS, deletePieces, ImportRow, isOne, toImport } from "./ImportRow.js"
import * as Reading from "./Reading.js"
import * as Undoing from "./Undoing.js"
import * as Uploading from "./Uploading.js"

type Store = typeof ImportStore.Service

export const layer: Layer.Layer<ImportStore, never, SqlClient> = Layer.effect(
  ImportStore,
  Effect.map(SqlClient, (sql) =>
    ImportStore.of({
      begin: Uploading.begin(sql),
      append: Uploading.append(sql),
      complete: Uploading.complete(sql),
      confirm: Uploading.confirm(sql),
      dropBrokenOff: Uploading.dropBrokenOff(sql),
      list: list(sql),
      find: find(sql),
      remove: remove(sql),
      due: Reading.due(sql),
      claim: Reading.claim(sql),
      renew: Reading.renew(sql),
      handBack: Reading.handBack(sql),
      piece: Reading.piece(sql),
      advance: Reading.advance(sql),
      finish: Reading.finish(sql),
      beginUndo: Undoing.begin(sql),
      undo: Undoing.undo(sql)
    })
  )
)

const list =
  (sql: SqlClient): Store["list"] =>
  (userId, limit, after) =>
    Effect.gen(function* () {
      const position = yield* TimePosition.decode(after)
      const rest =
        position === undefined
          ? sql``
          : sql`AND (uploaded_at, import_id COLLATE "C") < (${Rows.at(position[0])}, ${position[1]})`
      const rows = yield* sql`SELECT ${COLUMNS} FROM imports
                              WHERE user_id = ${userId} AND state <> 'uploading' ${rest}
                              ORDER BY uploaded_at DESC, import_id COLLATE "C" DESC
                              LIMIT ${limit + 1}`.pipe(Rows.all(ImportRow))
      return Page.of(rows.map(toImport), limit, (last) => [last.uploadedAt, last.id])
    }).pipe(orStoreError)

const find =
  (sql: SqlClient): Store["find"] =>
  (of) =>
    sql`SELECT ${COLUMNS} FROM imports WHERE ${isOne(sql, of)} AND state <> 'uploading'`.pipe(
      Rows.first(ImportRow),
      Effect.map(Option.map(toImport)),
      orStoreError
    )

const remove =
  (sql: SqlClient): Store["remove"] =>
  (of) =>
    Effect.gen(function* () {
      const removed = yield* Rows.affected(sql`DELETE FROM imports WHERE ${isOne(sql, of)} AND state <> 'undoing'`)
      yield* deletePieces(sql, of)
      return removed > 0
    }).pipe(sql.withTransaction, orStoreError)
