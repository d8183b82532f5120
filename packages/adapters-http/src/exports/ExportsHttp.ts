import { deleteExport, Export, getExport, listExports, requestExport } from "@place-access/domain/exports"
import { Effect } from "effect"
import { Api } from "../Api.js"
import * as Group from "../Group.js"
import { requireFreshSignIn } from "../security/FreshSignIn.js"
import { SignedIn } from "../security/SessionAuth.js"
import { toWire } from "../wire/toWire.js"
import { archiveAnswer } from "./archiveAnswer.js"
import type { ExportBody } from "./ExportsApi.js"

export const layer = Group.group(Api, "exports", (handlers) =>
  handlers
    .handle("listExports", () =>
      Effect.gen(function* () {
        const exports = yield* listExports((yield* SignedIn).id)
        return { exports: exports.map(encode), nextCursor: null }
      }).pipe(toWire)
    )
    .handle(
      "requestExport",
      () =>
        Effect.gen(function* () {
          yield* requireFreshSignIn
          return encode(yield* requestExport((yield* SignedIn).id))
        }).pipe(toWire),
      { uninterruptible: true }
    )
    .handle("getExport", ({ path }) =>
      Effect.gen(function* () {
        return encode(yield* getExport({ userId: (yield* SignedIn).id, id: path.id }))
      }).pipe(toWire)
    )
    .handle("fetchArchive", ({ path }) =>
      Effect.gen(function* () {
        yield* requireFreshSignIn
        return yield* archiveAnswer({ userId: (yield* SignedIn).id, id: path.id })
      }).pipe(toWire)
    )
    .handle(
      "deleteExport",
      ({ path }) =>
        Effect.gen(function* () {
          yield* deleteExport({ userId: (yield* SignedIn).id, id: path.id })
        }).pipe(toWire),
      { uninterruptible: true }
    )
)

const encode = (one: Export.Export): typeof ExportBody.Type => ({
  id: one.id,
  state: one.state,
  percent: Export.percent(one),
  bytes: one.bytes,
  requested_at: one.requestedAt,
  ready_at: one.readyAt,
  expires_at: one.expiresAt,
  ended_at: one.endedAt,
  error: one.fault === null ? null : Export.explain(one.fault)
})
