import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { Import } from "@place-access/domain/imports"
import { Schema } from "effect"
import { SessionAuth } from "../security/SessionAuth.js"
import * as Errors from "../wire/Errors.js"
import * as Fields from "../wire/Fields.js"

/** Any text: an id that cannot exist is one that does not exist, 404. */
const ImportPath = Schema.Struct({ id: Schema.String.pipe(Schema.brand("ImportId")) })

const count = (description: string) => Schema.Int.annotations({ description })

export const ImportBody = Schema.Struct({
  id: Schema.String,
  file_name: Schema.String,
  format: Schema.NullOr(Import.Format).annotations({ description: "Null until the first entry was read" }),
  state: Import.State,
  counts: Schema.Struct({
    read: count("Entries of the file so far: the sum of the others"),
    stored: count("New in the history"),
    duplicates: count("Known already, from a phone or a file"),
    too_recent: count("Newer than 24 hours before the upload: left to the phone"),
    too_old: count("Older than the history that the user keeps: left out"),
    quarantined: count("Without a time or a place, or with an impossible one: left out")
  }),
  bytes_total: Schema.Int,
  bytes_done: Schema.Int,
  error: Schema.NullOr(Schema.String).annotations({ description: "Why it failed; what was stored before stays" }),
  uploaded_at: Fields.At,
  finished_at: Fields.NullableAt
}).annotations({ identifier: "Import" })

const TYPES = ["application/gpx+xml", "application/json", "application/octet-stream", "application/xml", "text/xml"]
/** The whole body is the file; what it is, its contents tell. */
const [first, ...others] = TYPES.map((contentType) => HttpApiSchema.Uint8Array({ contentType }))
const File = Schema.Union(first ?? Schema.Never, ...others)

export const ImportsApi = HttpApiGroup.make("imports")
  .add(
    HttpApiEndpoint.get("list", "/v1/user/imports")
      .addSuccess(Schema.Struct({ imports: Schema.Array(ImportBody), nextCursor: Schema.Null }))
      .annotate(OpenApi.Summary, `Imported files with their progress, the newest ${Import.MAX_LISTED} first`)
  )
  .add(
    HttpApiEndpoint.post("start", "/v1/user/imports")
      .setUrlParams(
        Schema.Struct({
          file_name: Schema.optionalWith(Schema.String.pipe(Schema.maxLength(1_024)), { exact: true }).annotations({
            description: "What the list of imports calls the file"
          })
        })
      )
      .setPayload(File)
      .addSuccess(ImportBody, { status: 201 })
      .addError(Errors.Conflict)
      .annotate(OpenApi.Summary, "Import a file of location history")
      .annotate(
        OpenApi.Description,
        "GPX, the Timeline export of an Android phone or an iPhone, or a Takeout's Records.json, up to 256 MiB. It is read in the " +
          "background and feeds the history only: no rule fires. 409 when three are waiting already."
      )
  )
  .add(
    HttpApiEndpoint.get("get", "/v1/user/imports/:id")
      .setPath(ImportPath)
      .addSuccess(ImportBody)
      .addError(Errors.NotFound)
      .annotate(OpenApi.Summary, "One import with its progress")
  )
  .add(
    HttpApiEndpoint.del("remove", "/v1/user/imports/:id")
      .setPath(ImportPath)
      .addError(Errors.NotFound)
      .annotate(OpenApi.Summary, "Stop or forget an import")
      .annotate(OpenApi.Description, "Its file is thrown away. What it has stored stays in the history.")
  )
  .middleware(SessionAuth)
  .annotate(OpenApi.Title, "Imports")
  .annotate(OpenApi.Description, "Files of location history of the signed-in user")
