import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { Import } from "@place-access/domain/imports"
import { Schema } from "effect"
import { SessionAuth } from "../security/SessionAuth.js"
import { WithoutKey } from "../idempotency/WithoutKey.js"
import * as Errors from "../wire/Errors.js"
import * as Fields from "../wire/Fields.js"
import { paging, request } from "../wire/Fields.js"

/** Accepts any text as an id, so that a malformed id gets 404, like an unknown id, and not 400. */
const ImportPath = Schema.Struct({ id: Schema.String.pipe(Schema.brand("ImportId")) })

const count = (description: string) => Schema.Int.annotations({ description })

const Column = Schema.String.pipe(Schema.minLength(1), Schema.maxLength(200))
/**
 * Unlike `Column`, this name of a column has no greatest length: an import that an earlier version of the service
 * stored may have a longer name.
 */
const columnWith = (what: string) =>
  Schema.optional(Schema.String.annotations({ description: `The name of the column with ${what}` }))
const ColumnsBody = Schema.Struct({
  time: columnWith("the time, or the time of day beside a date"),
  date: columnWith("the date, where it is apart from the time"),
  lat: columnWith("the latitude"),
  lon: columnWith("the longitude"),
  accuracy: columnWith("the accuracy"),
  altitude: columnWith("the altitude"),
  speed: columnWith("the speed"),
  course: columnWith("the direction of travel")
})

/** A query parameter with the name of a column. */
const column = (description: string) => Schema.optionalWith(Column, { exact: true }).annotations({ description })

export const ImportBody = Schema.Struct({
  id: Schema.String,
  file_name: Schema.String,
  format: Schema.NullOr(Import.ImportFormat).annotations({ description: "Null until the first entry was read" }),
  state: Import.ImportState.annotations({
    description:
      "`asking`: the columns of a table have still to be named; `waiting`, `running`: the file is still to be read; `done`: it was read; `failed`: `error` says why; `undoing`: what the import added is being deleted"
  }),
  counts: Schema.Struct({
    read: count("The entries that were read so far: the sum of the other counts"),
    stored: count("Entries that are new in the history"),
    duplicates: count("Entries that were known already, from a phone or a file"),
    too_recent: count("Entries from the last 24 hours before the upload: left out, because the phone sends them"),
    too_old: count(
      "Entries older than the history that the user keeps, or in a stretch of history that the user deleted: left out"
    ),
    over_limit: count("Places beyond the most that an account may have: left out. `left_out_places` names them"),
    quarantined: count("Entries without a time or a place, or with an impossible one: left out")
  }),
  left_out_places: Schema.Array(Schema.String).annotations({
    description: "The names of places that were left out, because the account had no room: the first 20"
  }),
  bytes_total: Schema.Int,
  bytes_done: Schema.Int,
  error: Schema.NullOr(Schema.String).annotations({
    description: "Why the import failed. What was stored before stays"
  }),
  months: Schema.Array(
    Schema.Struct({
      month: Schema.NullOr(Schema.String).annotations({
        description:
          "`2024-03`, in UTC; null: entries without a time, and entries of months beyond the first 1,199 of the file. `stored` does not count the entries of null"
      }),
      read: count("The entries of this month in the file"),
      stored: count("Entries that are new in the history"),
      too_recent: count("Entries that were left out, because the phone sends them"),
      too_old: count("Entries older than the history that the user keeps"),
      quarantined: count("Entries without a place, or with an impossible one")
    })
  ).annotations({
    description:
      "What the file held, by month. Empty until the import has ended. Duplicates, and entries in a stretch of history that the user deleted, count in `read` only"
  }),
  columns: Schema.NullOr(ColumnsBody).annotations({
    description: "Which columns of a table are read. Null for other files"
  }),
  entries_per_second: Schema.NullOr(Schema.Int).annotations({ description: "Null before the first entries" }),
  seconds_left: Schema.NullOr(Schema.Int).annotations({ description: "An estimate. Null before the first entries" }),
  uploaded_at: Fields.At,
  started_at: Fields.NullableAt.annotations({ description: "When the reading began. Null while the import waits" }),
  finished_at: Fields.NullableAt
}).annotations({ identifier: "Import" })

const TYPES = [
  "application/gpx+xml",
  "application/json",
  "application/octet-stream",
  "application/xml",
  "application/zip",
  "text/xml"
]
/** The whole body is the file. The service detects the format from the content. */
const [first, ...others] = TYPES.map((contentType) => HttpApiSchema.Uint8Array({ contentType }))
const File = Schema.Union(first ?? Schema.Never, ...others)

export const ImportsApi = HttpApiGroup.make("imports")
  .add(
    HttpApiEndpoint.get("list", "/v1/user/imports")
      .setUrlParams(request(paging(100, 500)))
      .addSuccess(Schema.Struct({ imports: Schema.Array(ImportBody), nextCursor: Schema.NullOr(Schema.String) }))
      .annotate(OpenApi.Summary, "Imported files with their progress, newest first")
  )
  .add(
    HttpApiEndpoint.post("start", "/v1/user/imports")
      .annotate(WithoutKey, "what a file holds is stored once, however often the file is imported")
      .setUrlParams(
        Schema.Struct({
          file_name: Schema.optionalWith(Schema.String.pipe(Schema.maxLength(1_024)), { exact: true }).annotations({
            description: "The name of the file in the list of imports"
          }),
          time_column: column(
            "Of a table (CSV): the name of the column with the time, in ISO 8601 or since 1970. With it, `lat_column` and `lon_column` are needed. Without it, the names are guessed"
          ),
          date_column: column("The column with the day, when the time has only hours"),
          lat_column: column("The column with the latitude in degrees"),
          lon_column: column("The column with the longitude in degrees"),
          accuracy_column: column("The column with the accuracy in metres"),
          altitude_column: column("The column with the altitude in metres"),
          speed_column: column("The column with the speed in metres a second"),
          course_column: column("The column with the direction in degrees")
        })
      )
      .setPayload(File)
      .addSuccess(ImportBody, { status: 201 })
      .addError(Errors.Conflict)
      .annotate(OpenApi.Summary, "Import a file of location history")
      .annotate(
        OpenApi.Description,
        "GPX, KML, KMZ, GeoJSON, TCX, FIT, CSV, logs of OwnTracks, the Timeline export of an Android phone or an iPhone, a Google Takeout (Records.json, Timeline Edits.json, monthly files), or an archive of this " +
          `service (\`/v1/user/exports\`), up to ${Import.MAX_BYTES / Import.MIB} MiB, also packed as ZIP, TGZ or GZ. The service reads it in the background and feeds the history only: no rule fires. Of an archive, places ` +
          `and fixes come back. 409 when ${Import.MAX_OPEN} are waiting already, or their files have more than ${Import.MAX_WAITING_BYTES / Import.MIB} MiB.`
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
      .annotate(OpenApi.Summary, "Stop or remove an import")
      .annotate(
        OpenApi.Description,
        "Deletes the file. What was stored already stays in the history. 404 while the import is being undone."
      )
  )
  .add(
    HttpApiEndpoint.post("undo", "/v1/user/imports/:id/undo")
      .setPath(ImportPath)
      .addSuccess(ImportBody, { status: 202 })
      .addError(Errors.NotFound)
      .annotate(OpenApi.Summary, "Undo an import")
      .annotate(
        OpenApi.Description,
        "Deletes what the import added to the history, and the visits that were found in it, in the background. The import is `undoing`, and gone at the end. Fixes that a phone or another " +
          "import brought too stay. What apps learned stays with them."
      )
  )
  .middleware(SessionAuth)
  .annotate(OpenApi.Title, "Imports")
  .annotate(OpenApi.Description, "Files of location history of the signed-in user")
