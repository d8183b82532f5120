import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { Purpose } from "@place-access/domain/purposes"
import { Scope } from "@place-access/domain/shared"
import { Schema } from "effect"
import { AppPath } from "../apps/AppsApi.js"
import { SessionAuth } from "../security/SessionAuth.js"
import * as Errors from "../wire/Errors.js"
import * as Fields from "../wire/Fields.js"

export const PurposeTerms = Schema.Struct({
  description: Schema.String,
  scopes: Schema.Array(Scope.SensitiveScope),
  expected_daily_volume: Schema.Int
})

export const PurposeBody = Schema.Struct({
  id: Schema.String,
  key: Schema.String,
  ...PurposeTerms.fields,
  status: Purpose.Status,
  review_note: Schema.NullOr(Schema.String).annotations({ description: "What the reviewer said last" }),
  submitted_at: Fields.NullableAt.annotations({ description: "In review since; null when it is not" }),
  approved: Schema.NullOr(PurposeTerms).annotations({
    description: "The wording that was approved last; it goes on working while an edit is in review"
  }),
  archived_at: Fields.NullableAt,
  created_at: Fields.At
}).annotations({ identifier: "Purpose" })

export const toTerms = (terms: Purpose.Terms): typeof PurposeTerms.Type => ({
  description: terms.description,
  scopes: terms.scopes,
  expected_daily_volume: terms.expectedDailyVolume
})

export const toBody = (purpose: Purpose.Purpose): typeof PurposeBody.Type => ({
  id: purpose.id,
  key: purpose.key,
  ...toTerms(purpose.terms),
  status: purpose.status,
  review_note: purpose.reviewNote,
  submitted_at: purpose.submission?.at ?? null,
  approved: purpose.approved === null ? null : toTerms(purpose.approved),
  archived_at: purpose.archivedAt,
  created_at: purpose.createdAt
})

const NewPurpose = Fields.request({
  key: Purpose.Key,
  description: Purpose.Terms.fields.description,
  scopes: Purpose.Terms.fields.scopes,
  expected_daily_volume: Purpose.Terms.fields.expectedDailyVolume
})

const Edit = Fields.request({
  description: Fields.optional(Purpose.Terms.fields.description),
  scopes: Fields.optional(Purpose.Terms.fields.scopes),
  expected_daily_volume: Fields.optional(Purpose.Terms.fields.expectedDailyVolume)
})

/** Any text, as for apps. */
const PurposePath = Schema.Struct({
  ...AppPath.fields,
  purpose_id: Schema.String.pipe(Schema.brand("PurposeId"))
})

export const PurposesApi = HttpApiGroup.make("purposes")
  .add(
    HttpApiEndpoint.get("list", "/v1/developer/apps/:app_id/purposes")
      .setPath(AppPath)
      .addSuccess(Schema.Struct({ purposes: Schema.Array(PurposeBody), nextCursor: Schema.Null }))
      .addError(Errors.NotFound)
      .annotate(OpenApi.Summary, "The app's purposes, by key")
      .annotate(
        OpenApi.Description,
        `Archived ones included: their keys stay taken. All on one page: an app has at most ${Purpose.MAX_PER_APP}.`
      )
  )
  .add(
    HttpApiEndpoint.post("create", "/v1/developer/apps/:app_id/purposes")
      .setPath(AppPath)
      .setPayload(NewPurpose)
      .addSuccess(PurposeBody, { status: 201 })
      .addError(Errors.NotFound)
      .addError(Errors.Conflict)
      .annotate(OpenApi.Summary, "Add a purpose")
      .annotate(
        OpenApi.Description,
        "A draft, which a sandbox app can use at once. 409 when the app has, or had, a purpose of that key."
      )
  )
  .add(
    HttpApiEndpoint.patch("update", "/v1/developer/apps/:app_id/purposes/:purpose_id")
      .setPath(PurposePath)
      .setPayload(Edit)
      .addSuccess(PurposeBody)
      .addError(Errors.NotFound)
      .addError(Errors.Conflict)
      .annotate(OpenApi.Summary, "Change a purpose")
      .annotate(
        OpenApi.Description,
        "An approved one goes into review and goes on working in its approved wording; a rejected one becomes a draft. 409 for an archived one."
      )
  )
  .add(
    HttpApiEndpoint.del("archive", "/v1/developer/apps/:app_id/purposes/:purpose_id")
      .setPath(PurposePath)
      .addSuccess(HttpApiSchema.NoContent)
      .addError(Errors.NotFound)
      .annotate(OpenApi.Summary, "Archive a purpose for good")
      .annotate(OpenApi.Description, "Calls that name it are refused from now on. Its key stays taken.")
  )
  .add(
    HttpApiEndpoint.post("submit", "/v1/developer/apps/:app_id/purposes/:purpose_id/submit")
      .setPath(PurposePath)
      .addSuccess(PurposeBody)
      .addError(Errors.NotFound)
      .addError(Errors.Conflict)
      .annotate(OpenApi.Summary, "Hand a purpose in for review")
      .annotate(OpenApi.Description, "A draft or a rejected one; 409 otherwise.")
  )
  .middleware(SessionAuth)
  .annotate(OpenApi.Title, "Purposes")
  .annotate(OpenApi.Description, "For developers: what coordinates are asked for, in words that users read")
