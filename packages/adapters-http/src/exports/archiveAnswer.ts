import { HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { type Export, openArchive } from "@place-access/domain/exports"
import { Timestamp } from "@place-access/domain/shared"
import { Effect } from "effect"
import { CONTENT_TYPE } from "./ExportsApi.js"

/**
 * The answer with the archive, which the browser saves as a file. No cache may store the archive, and no proxy may
 * change it. The answer to HEAD has no byte of the archive, so it does not count as a download.
 */
export const archiveAnswer = (of: Export.ExportKey) =>
  Effect.gen(function* () {
    const { method } = yield* HttpServerRequest.HttpServerRequest
    const { bytes, export: found } = yield* openArchive(of, method !== "HEAD")
    const { bytes: length, readyAt, requestedAt } = found
    return HttpServerResponse.stream(bytes, {
      contentType: CONTENT_TYPE,
      contentLength: length,
      headers: {
        "cache-control": "no-store, no-transform",
        "content-disposition": `attachment; filename="place-access-${Timestamp.toIso(readyAt ?? requestedAt).slice(0, 10)}.zip"`,
        "x-content-type-options": "nosniff"
      }
    })
  })
