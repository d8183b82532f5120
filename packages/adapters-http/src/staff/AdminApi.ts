import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Connection } from "@place-access/domain/connection"
import { ReviewDecision, Verdict } from "@place-access/domain/reviews"
import { Scope } from "@place-access/domain/shared"
import { Schema } from "effect"
import { AppBody, AppPath, PendingChange } from "../apps/AppsApi.js"
import { PurposeBody, PurposeTerms } from "../purposes/PurposesApi.js"
import { FlagFields } from "../purposes/VolumeFlagsApi.js"
import { RequiredRole } from "../security/RequiredRole.js"
import { SessionAuth } from "../security/SessionAuth.js"
import * as Errors from "../wire/Errors.js"
import * as Fields from "../wire/Fields.js"

const Developer = Schema.Struct({
  id: Schema.String,
  email: Schema.NullOr(Schema.String).annotations({
    description: "Null when the developer's account lost its address, because another account confirmed it"
  }),
  display_name: Schema.String
}).annotations({ identifier: "Developer" })

const REVISION = {
  description:
    "Grows with every change of what a reviewer reads. Name it in the decision, so that a later change is not decided on"
}

/** An app as a reviewer reads it: with its revision and its developer. */
const ReviewedApp = Schema.Struct({
  ...AppBody.fields,
  revision: Schema.Int.annotations(REVISION),
  developer: Developer
}).annotations({ identifier: "ReviewedApp" })

const ReviewedPurpose = Schema.Struct({
  ...PurposeBody.fields,
  app_id: Schema.String,
  revision: Schema.Int.annotations(REVISION)
}).annotations({ identifier: "ReviewedPurpose" })

const Review = Schema.Struct({
  kind: Schema.Literal("app", "purpose").annotations({ description: "Whether the app or one of its purposes waits" }),
  submitted_at: Fields.At,
  app: ReviewedApp,
  purpose: Schema.NullOr(ReviewedPurpose).annotations({ description: "Null when the app itself is in review" })
}).annotations({ identifier: "Review" })

const Leak = Schema.Struct({
  app_id: Schema.String,
  app_name: Schema.String,
  connection_id: Schema.String,
  flagged_at: Fields.At,
  end_reason: Schema.NullOr(Connection.EndReason).annotations({
    description:
      "Why the connection ended. If the reason is not a leak, the connection had ended before the spent token was used again"
  })
}).annotations({ identifier: "Leak" })

const Subject = Schema.Union(
  Schema.Struct({
    kind: Schema.Literal("app").annotations({ description: "The decision is about the app" }),
    id: Schema.String,
    name: Schema.String,
    scopes: Schema.Array(Scope.Scope).annotations({ description: "The scopes that the app declared" }),
    allowed_scopes: Schema.NullOr(Schema.Array(Scope.Scope)),
    change: Schema.NullOr(PendingChange).annotations({
      description:
        "The change to an app in production that the decision was about, approved or not; null for any other decision"
    })
  }),
  Schema.Struct({
    kind: Schema.Literal("purpose").annotations({ description: "The decision is about a purpose" }),
    id: Schema.String,
    key: Schema.String,
    ...PurposeTerms.fields
  })
)

const Decision = Schema.Struct({
  id: Schema.String,
  at: Fields.At,
  decision: ReviewDecision.ReviewKind,
  note: Schema.NullOr(Schema.String),
  by: Schema.Struct({ id: Schema.String, display_name: Schema.String }),
  subject: Subject.annotations({ description: "The status after the decision" })
}).annotations({ identifier: "ReviewDecision" })

const VerdictBody = Fields.request({
  decision: Verdict.ReviewerDecision,
  note: Fields.optional(Verdict.Note).annotations({
    description: "For the developer. Required to reject: say what to change"
  }),
  revision: Fields.optional(Schema.Int).annotations({
    description: "The revision that was read: 409 if it was changed since. Left out: what can be read now"
  })
})

const Narrowing = Fields.request({
  allowed_scopes: Schema.NullOr(Scope.listOf(Scope.Scope)).annotations({
    description: "The declared scopes that the app may use; null: all of them"
  })
})

const Revocation = Fields.request({
  reason: Schema.propertySignature(Verdict.Note).annotations({
    description: "Why the app is revoked, for its developer"
  })
})

const Flag = Schema.Struct({
  ...FlagFields,
  connection_id: Schema.String,
  purpose_id: Schema.String,
  purpose: Schema.String.annotations({ description: "The key under which the app names the purpose" })
}).annotations({ identifier: "ReviewedVolumeFlag" })

/** Accepts any text as an id, so that a malformed id gets 404, like an unknown id, and not 400. */
const PurposePath = Schema.Struct({ purpose_id: Schema.String.pipe(Schema.brand("PurposeId")) })

const paged = Fields.request(Fields.paging(100, 500))
const nextCursor = Schema.NullOr(Schema.String)

export const AdminApi = HttpApiGroup.make("admin")
  .add(
    HttpApiEndpoint.get("reviews", "/v1/admin/reviews")
      .setUrlParams(paged)
      .addSuccess(Schema.Struct({ reviews: Schema.Array(Review), nextCursor }))
      .annotate(RequiredRole, "reviewer")
      .annotate(OpenApi.Summary, "Purposes and apps in review, longest waiting first")
  )
  .add(
    HttpApiEndpoint.post("decidePurpose", "/v1/admin/purposes/:purpose_id/decision")
      .setPath(PurposePath)
      .setPayload(VerdictBody)
      .addSuccess(PurposeBody)
      .addError(Errors.NotFound)
      .addError(Errors.Conflict)
      .annotate(RequiredRole, "reviewer")
      .annotate(OpenApi.Summary, "Approve or reject a purpose")
      .annotate(
        OpenApi.Description,
        "Records the decision and sends the developer an e-mail. 409 when the purpose is not in review, or was changed since it was read."
      )
  )
  .add(
    HttpApiEndpoint.post("decideApp", "/v1/admin/apps/:app_id/decision")
      .setPath(AppPath)
      .setPayload(VerdictBody)
      .addSuccess(AppBody)
      .addError(Errors.NotFound)
      .addError(Errors.Conflict)
      .annotate(RequiredRole, "reviewer")
      .annotate(OpenApi.Summary, "Let an app into production, or send it back to the sandbox")
      .annotate(
        OpenApi.Description,
        "For an app in production: decides on its change (`pending`). Approved, the change is in force; rejected, the earlier approved version stays. Records the decision and sends the developer an e-mail. 409 when nothing waits for review, or when it was changed since it was read."
      )
  )
  .add(
    HttpApiEndpoint.get("apps", "/v1/admin/apps")
      .setUrlParams(paged)
      .addSuccess(Schema.Struct({ apps: Schema.Array(ReviewedApp), nextCursor }))
      .annotate(RequiredRole, "reviewer")
      .annotate(OpenApi.Summary, "Everybody's apps, newest first")
  )
  .add(
    HttpApiEndpoint.get("app", "/v1/admin/apps/:app_id")
      .setPath(AppPath)
      .addSuccess(
        Schema.Struct({ ...ReviewedApp.fields, purposes: Schema.Array(ReviewedPurpose) }).annotations({
          identifier: "InspectedApp"
        })
      )
      .addError(Errors.NotFound)
      .annotate(RequiredRole, "reviewer")
      .annotate(OpenApi.Summary, "One app of any developer, with its purposes")
  )
  .add(
    HttpApiEndpoint.get("decisions", "/v1/admin/apps/:app_id/decisions")
      .setPath(AppPath)
      .setUrlParams(paged)
      .addSuccess(Schema.Struct({ decisions: Schema.Array(Decision), nextCursor }))
      .addError(Errors.NotFound)
      .annotate(RequiredRole, "reviewer")
      .annotate(OpenApi.Summary, "The decisions about an app and its purposes, newest first")
  )
  .add(
    HttpApiEndpoint.patch("narrow", "/v1/admin/apps/:app_id")
      .setPath(AppPath)
      .setPayload(Narrowing)
      .addSuccess(AppBody)
      .addError(Errors.NotFound)
      .addError(Errors.Conflict)
      .annotate(RequiredRole, "admin")
      .annotate(OpenApi.Summary, "Restrict an app to some of its scopes")
      .annotate(OpenApi.Description, "Applies to live tokens at once. 409 for a revoked app.")
  )
  .add(
    HttpApiEndpoint.post("revoke", "/v1/admin/apps/:app_id/revoke")
      .setPath(AppPath)
      .setPayload(Revocation)
      .addSuccess(AppBody)
      .addError(Errors.NotFound)
      .addError(Errors.Conflict)
      .annotate(RequiredRole, "admin")
      .annotate(OpenApi.Summary, "Revoke an app permanently")
      .annotate(
        OpenApi.Description,
        "Once this is answered, none of the app's tokens, codes, rules and deliveries works. Idempotent: a repeated call keeps the first time and reason."
      )
  )
  .add(
    HttpApiEndpoint.get("flags", "/v1/admin/flags")
      .setUrlParams(paged)
      .addSuccess(Schema.Struct({ flags: Schema.Array(Flag), nextCursor }))
      .annotate(RequiredRole, "reviewer")
      .annotate(OpenApi.Summary, "Purposes used more than twice as often as expected, newest first")
      .annotate(
        OpenApi.Description,
        "Counted every hour for each connection, over the last 24 hours. Calls are not refused."
      )
  )
  .add(
    HttpApiEndpoint.get("leaks", "/v1/admin/leaks")
      .setUrlParams(paged)
      .addSuccess(Schema.Struct({ leaks: Schema.Array(Leak), nextCursor }))
      .annotate(RequiredRole, "reviewer")
      .annotate(OpenApi.Summary, "Connections whose spent token or code was used again, newest first")
      .annotate(
        OpenApi.Description,
        "Somebody used a spent refresh token or an exchanged code a second time. The connection ended at once, and its user got an e-mail. Several connections of one app suggest that the app leaks its tokens."
      )
  )
  .middleware(SessionAuth)
  .annotate(OpenApi.Title, "Review and administration")
  .annotate(OpenApi.Description, "For reviewers and admins")
