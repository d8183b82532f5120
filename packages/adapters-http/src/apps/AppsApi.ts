import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { App, AppProposal, RedirectUri } from "@place-access/domain/apps"
import { Scope } from "@place-access/domain/shared"
import { Schema } from "effect"
import { SessionAuth } from "../security/SessionAuth.js"
import * as Errors from "../wire/Errors.js"
import * as Fields from "../wire/Fields.js"

/** Any text: an id that cannot exist is one that does not exist, 404. */
export const AppPath = Schema.Struct({ app_id: Schema.String.pipe(Schema.brand("AppId")) })

const { homepageUrl, redirectUris, ...sameNames } = AppProposal.Differences.fields

/** What is in force beside what is to replace it. */
export const PendingChange = Schema.Struct({
  ...sameNames,
  homepage_url: homepageUrl,
  redirect_uris: redirectUris
}).annotations({ identifier: "AppChange" })

export const toChange = ({
  homepageUrl,
  redirectUris,
  ...same
}: AppProposal.Differences): typeof PendingChange.Type => ({
  ...same,
  homepage_url: homepageUrl,
  redirect_uris: redirectUris
})

export const AppBody = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  description: Schema.String,
  homepage_url: Schema.NullOr(Schema.String),
  scopes: Schema.Array(Scope.Scope).annotations({ description: "Declared by the developer" }),
  allowed_scopes: Schema.NullOr(Schema.Array(Scope.Scope)).annotations({
    description: "What an admin left of them; null when nothing was narrowed"
  }),
  redirect_uris: Schema.Array(Schema.String),
  status: App.Status,
  review_note: Schema.NullOr(Schema.String).annotations({ description: "What was said with the last decision" }),
  submitted_at: Fields.NullableAt.annotations({
    description: "In review since, or in production with a change that waits since; null when nothing waits"
  }),
  pending: Schema.NullOr(PendingChange).annotations({
    description:
      "What of an app in production waits for a reviewer; null when nothing does. Until it is decided everything else here is in force, and parts that are null stay as they are"
  }),
  revoked_at: Fields.NullableAt,
  created_at: Fields.At
}).annotations({ identifier: "App" })

export const toBody = (app: App.App): typeof AppBody.Type => ({
  id: app.id,
  name: app.name,
  description: app.description,
  homepage_url: app.homepageUrl,
  scopes: app.declaredScopes,
  allowed_scopes: app.allowedScopes,
  redirect_uris: app.redirectUris,
  status: app.status,
  review_note: app.reviewNote,
  submitted_at: app.submission?.at ?? null,
  pending: nullOr(AppProposal.differences(app), toChange),
  revoked_at: app.revokedAt,
  created_at: app.createdAt
})

/** Null of null. */
export const nullOr = <A, B>(value: A | null, to: (value: A) => B): B | null => (value === null ? null : to(value))

const NewApp = Fields.request({
  name: App.Name,
  description: App.Description,
  homepage_url: Fields.optional(App.HomepageUrl),
  scopes: App.DeclaredScopes
})

const Edit = Fields.request({
  name: Fields.optional(App.Name),
  description: Fields.optional(App.Description),
  /** Null takes it away. */
  homepage_url: Schema.optionalWith(Schema.NullOr(App.HomepageUrl), { exact: true }),
  scopes: Fields.optional(App.DeclaredScopes)
})

/** The specification's name, or RFC 7591's (decision O1). One of them must be there, which a struct cannot say. */
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
  redirectUris: Schema.Array(Schema.String).annotations({ description: "Those that users can be sent back to now" }),
  pendingRedirectUris: Schema.Array(Schema.String).annotations({
    description:
      "Those that a reviewer has to approve first: of an app in production, on an origin that it did not have before"
  })
}).annotations({ identifier: "Client" })

export const AppsApi = HttpApiGroup.make("apps")
  .add(
    HttpApiEndpoint.get("list", "/v1/developer/apps")
      .setUrlParams(Fields.request(Fields.paging(100, 500)))
      .addSuccess(Schema.Struct({ apps: Schema.Array(AppBody), nextCursor: Schema.NullOr(Schema.String) }))
      .annotate(OpenApi.Summary, "One's own apps, oldest first")
  )
  .add(
    HttpApiEndpoint.post("create", "/v1/developer/apps")
      .setPayload(NewApp)
      .addSuccess(AppBody, { status: 201 })
      .annotate(OpenApi.Summary, "Make an app")
      .annotate(
        OpenApi.Description,
        "It starts in the sandbox, where only its developer can connect it. The first one makes the account a developer's."
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
        "Scopes given up narrow live tokens at once. In review none can be added (409). In production a new scope, name, description or homepage waits for a reviewer (`pending`) and what was approved stays in force; what was approved before comes back at once. Setting a part back to what is in force withdraws it, and `/withdraw` withdraws all of them. 409 for a revoked app."
      )
  )
  .add(
    HttpApiEndpoint.post("submit", "/v1/developer/apps/:app_id/submit")
      .setPath(AppPath)
      .addSuccess(AppBody)
      .addError(Errors.NotFound)
      .addError(Errors.Conflict)
      .annotate(OpenApi.Summary, "Hand an app in for review")
      .annotate(
        OpenApi.Description,
        "From the sandbox; 409 otherwise. Until it is in production only its developer can connect it."
      )
  )
  .add(
    HttpApiEndpoint.post("withdraw", "/v1/developer/apps/:app_id/withdraw")
      .setPath(AppPath)
      .addSuccess(AppBody)
      .addError(Errors.NotFound)
      .addError(Errors.Conflict)
      .annotate(OpenApi.Summary, "Withdraw the change that waits")
      .annotate(
        OpenApi.Description,
        "Of an app in production: `pending` is gone, what is in force stays, and the app leaves the reviewers' queue. 409 when nothing waits."
      )
  )
  .add(
    HttpApiEndpoint.post("register", "/v1/oauth/clients/:app_id")
      .setPath(AppPath)
      .setPayload(Registration)
      .addSuccess(Client, { status: 201 })
      .addError(Errors.NotFound)
      .addError(Errors.Conflict)
      .annotate(OpenApi.Summary, "Register redirect URIs and get a client secret")
      .annotate(
        OpenApi.Description,
        "Asked again it replaces the URIs and issues a new secret, shown this once; the one before works for another 24 hours. In production URIs on an origin that was approved work at once; those on a new one wait for a reviewer (`pendingRedirectUris`), and nobody is sent to them until then. When all of them wait, the present ones go on working. 409 for a revoked app."
      )
  )
  .middleware(SessionAuth)
  .annotate(OpenApi.Title, "Apps")
  .annotate(OpenApi.Description, "For developers: apps and their credentials")
