import { HttpServerResponse } from "@effect/platform"
import { getImport, Import, listImports, removeImport, startImport } from "@place-access/domain/imports"
import type { UserId } from "@place-access/domain/shared"
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
    .handle("list", () =>
      Effect.gen(function* () {
        const imports = yield* listImports((yield* SignedIn).id)
        return { imports: imports.map(encode), nextCursor: null }
      }).pipe(toWire)
    )
    .handleRaw(
      "start",
      ({ request, urlParams }) =>
        Effect.gen(function* () {
          yield* Body.acceptable(request, yield* FiberRef.get(CurrentRequest.ref))
          const { id } = yield* SignedIn
          const made = yield* Upload.raw(request, Import.MAX_BYTES, (bytes) => start(id, urlParams.file_name, bytes))
          return yield* HttpServerResponse.schemaJson(ImportBody)(encode(made), { status: 201 }).pipe(Effect.orDie)
        }).pipe(toWire),
      { uninterruptible: true }
    )
    .handle("get", ({ path }) =>
      Effect.gen(function* () {
        return encode(yield* getImport({ userId: (yield* SignedIn).id, id: path.id }))
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
)

const start = (userId: UserId, fileName: string | undefined, bytes: Stream.Stream<Uint8Array, Upload.Refused>) =>
  Effect.catchTag(startImport(userId, fileName, bytes), "ImportTooLarge", () =>
    Effect.fail(Errors.payloadTooLarge(Import.MAX_BYTES))
  )

const encode = (one: Import.Import): typeof ImportBody.Type => ({
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
  uploaded_at: one.uploadedAt,
  finished_at: one.finishedAt
})
