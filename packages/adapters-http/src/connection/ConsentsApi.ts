// The schemas of this file describe the content of the consent page, and the user's decision, as data (Spec §4.1).

import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { App } from "@place-access/domain/apps"
import { ConsentRequest } from "@place-access/domain/consent"
import { Place } from "@place-access/domain/places"
import { AppId, ConsentRequestId, PlaceId, PurposeId, Scope } from "@place-access/domain/shared"
import { Tier } from "@place-access/domain/tiers"
import { Schema } from "effect"
import { STATUS } from "../apps/AppsApi.js"
import { WithoutKey } from "../idempotency/WithoutKey.js"
import { MayForbid } from "../openapi/ImpossibleErrors.js"
import { SessionAuth } from "../security/SessionAuth.js"
import * as Errors from "../wire/Errors.js"
import { At, NullableAt, optional, request } from "../wire/Fields.js"
import { ConsentRequestIdText } from "../wire/PathIds.js"

export const Uses = Schema.Struct({
  since: At,
  by_purpose: Schema.Array(
    Schema.Struct({
      purpose: PurposeId.annotations({ description: "The purpose's id; the access log can be filtered by it" }),
      description: Schema.String.annotations({ description: "The purpose in the words that the user read at consent" }),
      count: Schema.Int.annotations({
        description: "How many requests for this purpose were answered, without those during a pause"
      })
    })
  ).annotations({ description: "The most used purpose first; purposes that were never used come last" }),
  without_purpose: Schema.Int.annotations({
    description: "Answers that disclosed no coordinates, without those during a pause"
  })
}).annotations({ identifier: "Uses" })

/**
 * A pause. In a connection: the pause in force. In an entry of the connection's history: the pause that was in force
 * after the change.
 */
export const PauseBody = Schema.Struct({
  since: At,
  until: NullableAt.annotations({ description: "Null: until the user resumes" })
}).annotations({ identifier: "Pause" })

const expiry = <Days extends Schema.Schema.Any>(days: Days) =>
  Schema.Array(Schema.Struct({ days, ends_at: NullableAt, preselected: Schema.Boolean }))

const Review = Schema.Struct({
  id: ConsentRequestId,
  mode: ConsentRequest.Mode,
  app: Schema.Struct({
    id: AppId,
    name: Schema.String,
    description: Schema.String,
    homepage_url: Schema.NullOr(Schema.String),
    status: App.AppStatus.annotations(STATUS),
    developer_name: Schema.String,
    redirect_origin: Schema.String
  }),
  scopes: Schema.Array(
    Schema.Struct({
      scope: Scope.Scope,
      sensitive: Schema.Boolean,
      description: Schema.String.annotations({ description: "What the scope lets the app do, as the page says it" }),
      purposes: Schema.Array(Schema.String).annotations({ description: "The purposes in their approved wording" }),
      held_before: Schema.NullOr(Schema.Boolean),
      preselected: Schema.Boolean
    })
  ).annotations({ description: "The scopes that the app asks for" }),
  leaving: Schema.Array(Scope.Scope).annotations({
    description: "The scopes that the app has now and no longer asks for"
  }),
  asks_places: Schema.Boolean,
  asks_standard_days: Schema.Boolean,
  places: Schema.Array(
    Schema.Struct({
      id: PlaceId,
      label: Schema.String,
      kind: Place.PlaceKind,
      preselected: Schema.Boolean,
      earlier_visits_preselected: Schema.Boolean
    })
  ).annotations({ description: "The user's places that are not archived" }),
  previous: Schema.NullOr(
    Schema.Struct({
      connected_at: At,
      grant_expires_at: NullableAt,
      sensitive_expires_at: NullableAt,
      pause: Schema.NullOr(PauseBody).annotations({ description: "The present pause, which an approval does not end" })
    })
  ),
  uses: Schema.NullOr(Uses).annotations({
    description: "Of the last 90 days; null unless the mode is renew_sensitive"
  }),
  standard_options: expiry(Tier.StandardDays),
  sensitive_options: expiry(Tier.SensitiveDays),
  phone_has_sent: Schema.Boolean
}).annotations({ identifier: "ConsentReview" })

const MAX_PLACES = 1_000

const Answer = request({
  decision: Schema.Literal("allow", "cancel", "stop").annotations({
    message: () => "must be allow, cancel or, in a renewal, stop",
    description: "`stop` declines a renewal: the exact location is no longer shared"
  }),
  mode: optional(ConsentRequest.Mode).annotations({ description: "The mode of the review that this decision answers" }),
  scopes: optional(Scope.listOf(Schema.String)).annotations({
    description: "The scopes that the user grants, of those that the review lists"
  }),
  places: optional(
    Schema.Array(
      Schema.Struct({
        id: Schema.String,
        include_earlier_visits: Schema.optionalWith(Schema.Boolean, { default: () => false })
      })
    ).pipe(Schema.maxItems(MAX_PLACES, { message: () => `must be at most ${MAX_PLACES} places` }))
  ).annotations({
    description:
      "The places that the user shares, of those that the review lists. Ignored in a change whose review has `asks_places` false: the shared places stay"
  }),
  standard_days: optional(Tier.StandardDays),
  sensitive_days: optional(Tier.SensitiveDays)
})

const id = HttpApiSchema.param("id", ConsentRequestIdText)

export const ConsentsApi = HttpApiGroup.make("consents")
  .add(
    HttpApiEndpoint.get("review")`/v1/user/consent-requests/${id}`
      .annotate(MayForbid, "an app in the sandbox is for its holder and test people, and a closed app for nobody")
      .annotate(OpenApi.Summary, "What an app requests from the user, as the consent page shows it")
      .annotate(
        OpenApi.Description,
        "The id is the last part of the consent page's address. 409 when the request is decided already, is more than an hour old, or the app no longer has its redirect URI."
      )
      .addSuccess(Review)
      .addError(Errors.NotFound)
      .addError(Errors.Forbidden)
      .addError(Errors.Conflict)
  )
  .add(
    HttpApiEndpoint.post("decide")`/v1/user/consent-requests/${id}/decision`
      .annotate(WithoutKey, "a repeated request gets the first answer, while the app may still get it")
      .annotate(OpenApi.Summary, "Decide on the request; answers with the address to send the browser to")
      .annotate(
        OpenApi.Description,
        "Idempotent: the first decision counts, and a repeated call gets the same code, while the app can still exchange it. 409 when the app has exchanged the code, when the code is older than 60 seconds or the request older than an hour, and when the app no longer has the redirect URI of the request. Sharing exact location with `standard_days: never` needs a fresh sign-in."
      )
      .setPayload(Answer)
      .addSuccess(Schema.Struct({ redirect_to: Schema.String }).annotations({ identifier: "ConsentAnswer" }))
      .addError(Errors.ConfirmationRequired)
      .addError(Errors.NotFound)
      .addError(Errors.Forbidden)
      .addError(Errors.Conflict)
  )
  .middleware(SessionAuth)
  .annotate(OpenApi.Title, "Consent")
  .annotate(OpenApi.Description, "What an app requests from the signed-in user")
