import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { Export } from "@place-access/domain/exports"
import { Timestamp } from "@place-access/domain/shared"
import { Schema } from "effect"
import { WithoutKey } from "../idempotency/WithoutKey.js"
import { SessionAuth } from "../security/SessionAuth.js"
import * as Errors from "../wire/Errors.js"
import * as Fields from "../wire/Fields.js"

/** Accepts any text as an id, so that a malformed id gets 404, like an unknown id, and not 400. */
const ExportPath = Schema.Struct({ id: Schema.String.pipe(Schema.brand("ExportId")) })

export const ExportBody = Schema.Struct({
  id: Schema.String,
  state: Export.ExportState.annotations({
    description:
      "`requested`, `making`: the service has still to make the archive; `ready`: it can be fetched; `failed`: `error` says why; `expired`: its time is over; `deleted`: its owner deleted it"
  }),
  percent: Schema.Int.annotations({ description: "How much of the archive is made, about" }),
  bytes: Schema.Int.annotations({ description: "The length of the archive; 0 until it is ready" }),
  requested_at: Fields.At,
  ready_at: Fields.NullableAt,
  expires_at: Fields.NullableAt,
  ended_at: Fields.NullableAt,
  error: Schema.NullOr(Schema.String).annotations({ description: "Why the archive could not be made" })
}).annotations({ identifier: "Export" })

export const CONTENT_TYPE = "application/zip"

const Archive = Schema.String.pipe(HttpApiSchema.withEncoding({ kind: "Text", contentType: CONTENT_TYPE })).annotations(
  {
    identifier: "Archive",
    description: "A zip file. docs/export-format.md describes the files in it"
  }
)

const DAYS = Export.KEPT_FOR / Timestamp.DAY

export const ExportsApi = HttpApiGroup.make("exports")
  .add(
    HttpApiEndpoint.get("listExports", "/v1/user/exports")
      .addSuccess(Schema.Struct({ exports: Schema.Array(ExportBody), nextCursor: Schema.Null }))
      .annotate(OpenApi.Summary, `Archives with their progress, the newest ${Export.MAX_LISTED} first`)
  )
  .add(
    HttpApiEndpoint.post("requestExport", "/v1/user/exports")
      .annotate(WithoutKey, "a person has one archive at a time, so a repeated request is refused with 409")
      .addSuccess(ExportBody, { status: 201 })
      .addError(Errors.ConfirmationRequired)
      .addError(Errors.Conflict)
      .annotate(OpenApi.Summary, "Ask for an archive of everything that the service has about the user")
      .annotate(
        OpenApi.Description,
        `The service makes it in the background and writes an e-mail when it is ready. It can be fetched for ${DAYS} days. Needs a fresh sign-in. 409 while one is made or can be fetched, and after ${Export.MAX_A_DAY} within 24 hours.`
      )
  )
  .add(
    HttpApiEndpoint.get("getExport", "/v1/user/exports/:id")
      .setPath(ExportPath)
      .addSuccess(ExportBody)
      .addError(Errors.NotFound)
      .annotate(OpenApi.Summary, "One archive with its progress")
  )
  .add(
    HttpApiEndpoint.get("fetchArchive", "/v1/user/exports/:id/archive")
      .setPath(ExportPath)
      .addSuccess(Archive)
      .addError(Errors.ConfirmationRequired)
      .addError(Errors.NotFound)
      .addError(Errors.Conflict)
      .annotate(OpenApi.Summary, "Fetch the archive")
      .annotate(
        OpenApi.Description,
        "Needs a fresh sign-in. 409 while it is made and when it could not be made; 404 once it expired or was deleted."
      )
  )
  .add(
    HttpApiEndpoint.del("deleteExport", "/v1/user/exports/:id")
      .setPath(ExportPath)
      .addError(Errors.NotFound)
      .annotate(OpenApi.Summary, "Delete the archive now, or stop its making")
  )
  .middleware(SessionAuth)
  .annotate(OpenApi.Title, "Exports")
  .annotate(OpenApi.Description, "Archives of everything that the service has about the signed-in user")
