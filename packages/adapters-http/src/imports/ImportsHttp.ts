import { HttpServerResponse } from "@effect/platform"
import {
  CsvColumns,
  getImport,
  Import,
  listImports,
  removeImport,
  startImport,
  undoImport
} from "@place-access/domain/imports"
import { Invalid, Timestamp, type UserId } from "@place-access/domain/shared"
import { Effect, FiberRef, type Stream } from "effect"
import { Api } from "../Api.js"
import * as Group from "../Group.js"
import * as Body from "../edge/Body.js"
import * as CurrentRequest from "../edge/CurrentRequest.js"
import * as Upload from "../edge/Upload.js"
import { SignedIn } from "../security/SessionAuth.js"
import * as Errors from "../wire/Errors.js"
import { toWire } from "../wire/toWire.js"
import { ImportBody } from "./ImportsApi.js"

export const layer = Group.group(Api, "imports", (handlers) =>
  handlers
    .handle("list", ({ urlParams: { cursor, limit } }) =>
      Effect.gen(function* () {
        const { imports, nextCursor } = yield* listImports((yield* SignedIn).id, { limit, cursor })
        const now = yield* Timestamp.now
        return { imports: imports.map((one) => encode(one, now)), nextCursor }
      }).pipe(toWire)
    )
    .handleRaw(
      "start",
      ({ request, urlParams }) =>
        Effect.gen(function* () {
          yield* Body.acceptable(request, yield* FiberRef.get(CurrentRequest.ref))
          const { id } = yield* SignedIn
          const choice = yield* choiceOf(urlParams)
          const made = yield* Upload.raw(request, Import.MAX_BYTES, (bytes) =>
            start(id, urlParams.file_name, bytes, choice)
          )
          return yield* HttpServerResponse.schemaJson(ImportBody)(encode(made, yield* Timestamp.now), {
            status: 201
          }).pipe(Effect.orDie)
        }).pipe(toWire),
      { uninterruptible: true }
    )
    .handle("get", ({ path }) =>
      Effect.gen(function* () {
        const found = yield* getImport({ userId: (yield* SignedIn).id, id: path.id })
        return encode(found, yield* Timestamp.now)
      }).pipe(toWire)
    )
    .handle(
      "remove",
      ({ path }) =>
        Effect.gen(function* () {
          yield* removeImport({ userId: (yield* SignedIn).id, id: path.id })
        }).pipe(toWire),
      { uninterruptible: true }
    )
    .handle(
      "undo",
      ({ path }) =>
        Effect.gen(function* () {
          const undoing = yield* undoImport({ userId: (yield* SignedIn).id, id: path.id })
          return encode(undoing, yield* Timestamp.now)
        }).pipe(toWire),
      { uninterruptible: true }
    )
)

/**
 * The columns of a table that the query names. When the query names no column, the service recognises the columns by
 * the names that exporters usually write. Fails when the query names some columns, but not all of the columns for time,
 * latitude and longitude.
 */
const choiceOf = (query: { readonly [name in `${CsvColumns.ColumnRole}_column`]?: string }) =>
  Effect.gen(function* () {
    const named = CsvColumns.ROLES.flatMap((role) => {
      const name = query[`${role}_column`]
      return name === undefined ? [] : [[role, name] as const]
    })
    if (named.length === 0) return {}
    const columns: Partial<CsvColumns.CsvColumns> = Object.fromEntries(named)
    if (CsvColumns.isComplete(columns)) return { columns }
    const lacking = CsvColumns.NEEDED.find((role) => columns[role] === undefined) ?? "time"
    return yield* Invalid.of(`${lacking}_column`, "is needed, because another column is named")
  })

const start = (
  userId: UserId,
  fileName: string | undefined,
  bytes: Stream.Stream<Uint8Array, Upload.Refused>,
  choice: { readonly columns?: CsvColumns.CsvColumns }
) =>
  Effect.catchTag(startImport(userId, fileName, bytes, choice), "ImportTooLarge", () =>
    Effect.fail(Errors.payloadTooLarge(Import.MAX_BYTES))
  )

const encode = (one: Import.Import, now: Timestamp.Timestamp): typeof ImportBody.Type => ({
  id: one.id,
  file_name: one.fileName,
  format: one.format,
  state: one.state,
  counts: {
    read: one.counts.read,
    stored: one.counts.stored,
    duplicates: one.counts.duplicates,
    too_recent: one.counts.tooRecent,
    too_old: one.counts.tooOld,
    over_limit: one.counts.overLimit,
    quarantined: one.counts.quarantined
  },
  left_out_places: one.leftOut,
  bytes_total: one.bytesTotal,
  bytes_done: one.bytesDone,
  error: one.error,
  months: one.months.map(({ month, quarantined, read, stored, tooOld, tooRecent }) => ({
    month,
    read,
    stored,
    too_recent: tooRecent,
    too_old: tooOld,
    quarantined
  })),
  columns: one.columns,
  entries_per_second: Import.speed(one, now)?.entriesPerS ?? null,
  seconds_left: Import.speed(one, now)?.leftS ?? null,
  uploaded_at: one.uploadedAt,
  started_at: one.startedAt,
  finished_at: one.finishedAt
})
