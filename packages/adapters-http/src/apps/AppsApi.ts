import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { App, AppLogo, AppProposal, RedirectUri } from "@place-access/domain/apps"
import { AccountLimits } from "@place-access/domain/quotas"
import { Scope } from "@place-access/domain/shared"
import { Schema } from "effect"
import { RepeatAction } from "../idempotency/RepeatAction.js"
import { MayForbid } from "../openapi/ImpossibleErrors.js"
import { CREATION, NEW_SECRET, RateOfAccount } from "../security/RateOfAccount.js"
import { SessionAuth } from "../security/SessionAuth.js"
import * as Errors from "../wire/Errors.js"
import * as Fields from "../wire/Fields.js"

/** Accepts any text as an id, so that a malformed id gets 404, like an unknown id, and not 400. */
export const AppPath = Schema.Struct({ app_id: Schema.String.pipe(Schema.brand("AppId")) })

const { homepageUrl, logo: _, redirectUris, ...sameNames } = AppProposal.Differences.fields

/**
 * A change of an app in production that waits for a reviewer: for each changed field the value in force and the
 * proposed value.
 */
export const PendingChange = Schema.Struct({
  ...sameNames,
  homepage_url: homepageUrl,
  // In this field, the two values are digests of logos: the logo in force and the proposed logo.
  logo: homepageUrl,
  redirect_uris: redirectUris
}).annotations({ identifier: "AppChange" })

export const toChange = ({
  homepageUrl,
  logo,
  redirectUris,
  ...same
}: AppProposal.Differences): typeof PendingChange.Type => ({
  ...same,
  homepage_url: homepageUrl,
  logo,
  redirect_uris: redirectUris
})

/** The annotation that every field with the status of an app has. */
export const STATUS = {
  description:
    "`sandbox`: only the app's holder and test people can connect it; `in_review`: it waits for a reviewer, and works as in the sandbox; `production`: everybody can connect it"
}

export const AppBody = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  description: Schema.String,
  homepage_url: Schema.NullOr(Schema.String),
  logo: Schema.NullOr(Schema.String).annotations({
    description: "The digest of the logo, which is at `/app-logos/{app_id}/{logo}.png`; null: the app has no logo"
  }),
  scopes: Schema.Array(Scope.Scope).annotations({ description: "The scopes that the developer declares" }),
  allowed_scopes: Schema.NullOr(Schema.Array(Scope.Scope)).annotations({
    description: "The scopes to which an admin restricted the app; null when it is not restricted"
  }),
  redirect_uris: Schema.Array(Schema.String),
  status: App.AppStatus.annotations(STATUS),
  review_note: Schema.NullOr(Schema.String).annotations({ description: "The note of the last decision" }),
  submitted_at: Fields.NullableAt.annotations({
    description: "Since when the app, or the change of an app in production, waits for review; null when nothing waits"
  }),
  pending: Schema.NullOr(PendingChange).annotations({
    description:
      "The change of an app in production that waits for a reviewer; null when none waits. Until the decision all other fields are in force. A part that is null does not change"
  }),
  on_hold_since: Fields.NullableAt.annotations({
    description:
      "Since when the app is on hold, because the account of its holder is suspended; null: it is not. An app on hold gets no answers and no events"
  }),
  revoked_at: Fields.NullableAt,
  created_at: Fields.At
}).annotations({ identifier: "App" })

export const toBody = (app: App.App): typeof AppBody.Type => ({
  id: app.id,
  name: app.name,
  description: app.description,
  homepage_url: app.homepageUrl,
  logo: app.logo,
  scopes: app.declaredScopes,
  allowed_scopes: app.allowedScopes,
  redirect_uris: app.redirectUris,
  status: app.status,
  review_note: app.reviewNote,
  submitted_at: app.submission?.at ?? null,
  pending: nullOr(AppProposal.differences(app), toChange),
  on_hold_since: app.suspendedAt,
  revoked_at: app.revokedAt,
  created_at: app.createdAt
})

/** Maps a value that may be null; null stays null. */
export const nullOr = <A, B>(value: A | null, to: (value: A) => B): B | null => (value === null ? null : to(value))

const NewApp = Fields.request({
  name: App.AppName,
  description: App.AppDescription,
  homepage_url: Fields.optional(App.HomepageUrl),
  scopes: App.DeclaredScopes
})

const Edit = Fields.request({
  name: Fields.optional(App.AppName),
  description: Fields.optional(App.AppDescription),
  /** Null removes the homepage. */
  homepage_url: Schema.optionalWith(Schema.NullOr(App.HomepageUrl), { exact: true }),
  logo_png: Schema.optionalWith(Schema.NullOr(AppLogo.LogoPng), { exact: true }).annotations({
    description: "A PNG in base64: square, 64 to 512 pixels wide, at most 64 KiB, not animated. Null removes the logo"
  }),
  scopes: Fields.optional(App.DeclaredScopes).annotations({ description: "The scopes that the app may ask users for" })
})

/**
 * Accepts the redirect URIs as `redirectUris`, the specification's name, or as `redirect_uris`, the name in RFC 7591
 * (decision O1). A registration needs one of the two fields. A struct cannot express this, so the handler checks it.
 */
const Registration = Fields.request({
  redirectUris: Fields.optional(RedirectUri.List),
  redirect_uris: Fields.optional(RedirectUri.List)
}).annotations({
  jsonSchema: {
    anyOf: (["redirectUris", "redirect_uris"] as const).map((name) => ({
      type: "object",
      required: [name],
      properties: {
        [name]: {
          type: "array",
          items: { type: "string", maxLength: RedirectUri.MAX_LENGTH },
          minItems: 1,
          maxItems: RedirectUri.MAX
        }
      }
    }))
  }
})

const Client = Schema.Struct({
  clientId: Schema.String,
  clientSecret: Schema.String,
  redirectUris: Schema.Array(Schema.String).annotations({ description: "The redirect URIs that work now" }),
  pendingRedirectUris: Schema.Array(Schema.String).annotations({
    description: "The redirect URIs that a reviewer has to approve first: those of an app in production on a new origin"
  })
}).annotations({ identifier: "Client" })

const ClientSecretBody = Schema.Struct({
  created_at: Fields.At,
  expires_at: Fields.NullableAt.annotations({ description: "Null for the newest secret, which does not expire" })
}).annotations({ identifier: "ClientSecret" })

export const AppsApi = HttpApiGroup.make("apps")
  .add(
    HttpApiEndpoint.get("list", "/v1/developer/apps")
      .setUrlParams(Fields.request(Fields.paging(100, 500)))
      .addSuccess(Schema.Struct({ apps: Schema.Array(AppBody), nextCursor: Schema.NullOr(Schema.String) }))
      .annotate(OpenApi.Summary, "The signed-in developer's apps, oldest first")
  )
  .add(
    HttpApiEndpoint.post("create", "/v1/developer/apps")
      .setPayload(NewApp)
      .addSuccess(AppBody, { status: 201 })
      .addError(Errors.NotFound)
      .addError(Errors.Conflict)
      .addError(Errors.RateLimited)
      .annotate(RateOfAccount, CREATION)
      .annotate(OpenApi.Summary, "Create an app")
      .annotate(
        OpenApi.Description,
        `The app starts in the sandbox, where, apart from test people, only its holder can connect it. The first app makes the account a developer account. 409 when the account has ${AccountLimits.APPS.most} apps.`
      )
  )
  .add(
    HttpApiEndpoint.get("get", "/v1/developer/apps/:app_id")
      .setPath(AppPath)
      .addSuccess(AppBody)
      .addError(Errors.NotFound)
      .annotate(OpenApi.Summary, "One app")
  )
  .add(
    HttpApiEndpoint.patch("update", "/v1/developer/apps/:app_id")
      .setPath(AppPath)
      .setPayload(Edit)
      .addSuccess(AppBody)
      .addError(Errors.NotFound)
      .addError(Errors.Conflict)
      .annotate(OpenApi.Summary, "Change an app")
      .annotate(
        OpenApi.Description,
        "A scope that is given up leaves live tokens at once. While the app is in review, no scope can be added (409). In production a new scope, name, description, homepage or logo waits for a reviewer (`pending`), and the approved version stays in force. A scope that was approved before needs no second review and is in force at once. Setting a part back to the version in force withdraws its change; `/withdraw` withdraws all changes. 409 for a revoked app. Before you have confirmed your e-mail address, 403 for a change after which the app waits for a reviewer."
      )
  )
  .add(
    HttpApiEndpoint.post("submit", "/v1/developer/apps/:app_id/submit")
      .setPath(AppPath)
      .addSuccess(AppBody)
      .addError(Errors.NotFound)
      .addError(Errors.Conflict)
      .annotate(RepeatAction, "develop")
      .annotate(OpenApi.Summary, "Submit an app for review")
      .annotate(
        OpenApi.Description,
        "Only for an app in the sandbox; 409 otherwise. 403 before you have confirmed your e-mail address. Until the app is in production, only its holder can connect it, apart from test people."
      )
  )
  .add(
    HttpApiEndpoint.post("withdraw", "/v1/developer/apps/:app_id/withdraw")
      .setPath(AppPath)
      .addSuccess(AppBody)
      .addError(Errors.NotFound)
      .addError(Errors.Conflict)
      .annotate(RepeatAction, "develop")
      .annotate(OpenApi.Summary, "Withdraw the change that waits for review")
      .annotate(
        OpenApi.Description,
        "For an app in production: drops `pending`, keeps the version in force, and takes the app out of the reviewers' queue. 409 when nothing waits. When redirect URIs wait, only owners of the app may withdraw the change; 403 for developers."
      )
  )
  .add(
    HttpApiEndpoint.post("register", "/v1/oauth/clients/:app_id")
      .setPath(AppPath)
      .setPayload(Registration)
      .addSuccess(Client, { status: 201 })
      .addError(Errors.NotFound)
      .addError(Errors.Conflict)
      .addError(Errors.RateLimited)
      .annotate(RateOfAccount, NEW_SECRET)
      .annotate(RepeatAction, "secrets")
      .annotate(OpenApi.Summary, "Register redirect URIs and get a client secret")
      .annotate(
        OpenApi.Description,
        "A repeated call replaces the URIs and issues a new secret, shown only in this answer. The previous secret works for another 24 hours. In production, URIs on an approved origin work at once. URIs on a new origin wait for a reviewer (`pendingRedirectUris`), and users are not sent to them until then. When all of them wait, the current ones go on working. 409 for a revoked app. Before you have confirmed your e-mail address, 403 for new URIs when the app waits for a reviewer afterwards. 429 after 300 new secrets in a day."
      )
  )
  .add(
    HttpApiEndpoint.get("secrets", "/v1/developer/apps/:app_id/secrets")
      .annotate(MayForbid, "only owners may see the app's secrets")
      .setPath(AppPath)
      .addSuccess(Schema.Struct({ secrets: Schema.Array(ClientSecretBody), nextCursor: Schema.Null }))
      .addError(Errors.NotFound)
      .annotate(OpenApi.Summary, "The client secrets that work, newest first")
      .annotate(OpenApi.Description, "Without the secrets themselves, which are shown once. The list has one page.")
  )
  .add(
    HttpApiEndpoint.post("replaceSecret", "/v1/developer/apps/:app_id/replace-secret")
      .setPath(AppPath)
      .addSuccess(Schema.Struct({ clientId: Schema.String, clientSecret: Schema.String }))
      .addError(Errors.NotFound)
      .addError(Errors.Conflict)
      .addError(Errors.RateLimited)
      .annotate(RateOfAccount, NEW_SECRET)
      .annotate(RepeatAction, "secrets")
      .annotate(OpenApi.Summary, "Replace the client secret and end all others at once")
      .annotate(
        OpenApi.Description,
        "For a secret that somebody else may have. Connections and access tokens stay. The app's servers cannot get or refresh tokens until they have the new secret, which only this answer shows. 409 for a revoked app, and for an app that never registered redirect URIs. 429 after 300 new secrets in a day."
      )
  )
  .add(
    HttpApiEndpoint.del("endPreviousSecrets", "/v1/developer/apps/:app_id/previous-secrets")
      .setPath(AppPath)
      .addSuccess(HttpApiSchema.NoContent)
      .addError(Errors.NotFound)
      .addError(Errors.Conflict)
      .annotate(OpenApi.Summary, "End the previous client secrets at once")
      .annotate(
        OpenApi.Description,
        "Without waiting for the rest of their 24 hours. The newest secret stays. Idempotent. 409 as for `replace-secret`."
      )
  )
  .middleware(SessionAuth)
  .annotate(OpenApi.Title, "Apps")
  .annotate(OpenApi.Description, "For developers: apps and their credentials")
