import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { Purpose } from "@place-access/domain/purposes"
import { Scope } from "@place-access/domain/shared"
import { Schema } from "effect"
import { RepeatAction } from "../idempotency/RepeatAction.js"
import { CREATION, RateOfAccount } from "../security/RateOfAccount.js"
import { AppPath } from "../apps/AppsApi.js"
import { SessionAuth } from "../security/SessionAuth.js"
import * as Errors from "../wire/Errors.js"
import * as Fields from "../wire/Fields.js"

const WORDING = { description: "What the app uses exact locations for, as users read it at consent" }
const COVERED = { description: "The scopes that the purpose covers" }

export const PurposeTerms = Schema.Struct({
  description: Schema.String.annotations(WORDING),
  scopes: Schema.Array(Scope.SensitiveScope).annotations(COVERED),
  expected_daily_volume: Schema.Int
})

export const PurposeBody = Schema.Struct({
  id: Schema.String,
  key: Schema.String,
  ...PurposeTerms.fields,
  status: Purpose.PurposeStatus.annotations({
    description:
      "`draft`: not submitted; `in_review`: waits for a reviewer; `approved`: in force; `rejected`: `review_note` says what to change; `archived`: no call may name it"
  }),
  review_note: Schema.NullOr(Schema.String).annotations({ description: "The reviewer's last note" }),
  submitted_at: Fields.NullableAt.annotations({
    description: "Since when the purpose is in review; null when it is not"
  }),
  approved: Schema.NullOr(PurposeTerms).annotations({
    description: "The wording that was approved last. It stays in force while an edit is in review"
  }),
  archived_at: Fields.NullableAt,
  created_at: Fields.At
}).annotations({ identifier: "Purpose" })

export const toTerms = (terms: Purpose.PurposeTerms): typeof PurposeTerms.Type => ({
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
  key: Purpose.PurposeKey,
  description: Schema.propertySignature(Purpose.PurposeTerms.fields.description).annotations(WORDING),
  scopes: Schema.propertySignature(Purpose.PurposeTerms.fields.scopes).annotations(COVERED),
  expected_daily_volume: Purpose.PurposeTerms.fields.expectedDailyVolume
})

const Edit = Fields.request({
  description: Fields.optional(Purpose.PurposeTerms.fields.description).annotations(WORDING),
  scopes: Fields.optional(Purpose.PurposeTerms.fields.scopes).annotations(COVERED),
  expected_daily_volume: Fields.optional(Purpose.PurposeTerms.fields.expectedDailyVolume)
})

/** Accepts any text as an id, so that a malformed id gets 404, like an unknown id, and not 400. */
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
        `Archived purposes are included, because their keys stay taken. The list has one page, as an app has at most ${Purpose.MAX_PER_APP}.`
      )
  )
  .add(
    HttpApiEndpoint.post("create", "/v1/developer/apps/:app_id/purposes")
      .setPath(AppPath)
      .setPayload(NewPurpose)
      .addSuccess(PurposeBody, { status: 201 })
      .addError(Errors.NotFound)
      .addError(Errors.Conflict)
      .addError(Errors.RateLimited)
      .annotate(RateOfAccount, CREATION)
      .annotate(OpenApi.Summary, "Add a purpose")
      .annotate(
        OpenApi.Description,
        `The purpose starts as a draft, which a sandbox app can use at once. 409 when the app has or had a purpose with this key, has ${Purpose.MAX_PER_APP} purposes, or is revoked.`
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
        "An approved purpose goes into review, and its approved wording stays in force. A rejected purpose becomes a draft. 409 for an archived purpose, and when the app is revoked. Before you have confirmed your e-mail address, 403 for an edit after which the purpose waits for a reviewer."
      )
  )
  .add(
    HttpApiEndpoint.del("archive", "/v1/developer/apps/:app_id/purposes/:purpose_id")
      .setPath(PurposePath)
      .addSuccess(HttpApiSchema.NoContent)
      .addError(Errors.NotFound)
      .annotate(OpenApi.Summary, "Archive a purpose permanently")
      .annotate(OpenApi.Description, "Calls that name the purpose are refused from now on. Its key stays taken.")
  )
  .add(
    HttpApiEndpoint.post("submit", "/v1/developer/apps/:app_id/purposes/:purpose_id/submit")
      .setPath(PurposePath)
      .addSuccess(PurposeBody)
      .addError(Errors.NotFound)
      .addError(Errors.Conflict)
      .annotate(OpenApi.Summary, "Submit a purpose for review")
      .annotate(
        OpenApi.Description,
        "Only for a draft or a rejected purpose; 409 otherwise. 403 before you have confirmed your e-mail address."
      )
  )
  .middleware(SessionAuth)
  .annotate(RepeatAction, "develop")
  .annotate(OpenApi.Title, "Purposes")
  .annotate(
    OpenApi.Description,
    "For developers: the reasons for which an app asks for coordinates, in words that users read"
  )
