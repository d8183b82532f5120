import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { OwnKey, WithoutKey } from "../idempotency/WithoutKey.js"
import { ChecksBody } from "../openapi/ImpossibleErrors.js"
import * as Errors from "../wire/Errors.js"
import { NullableAt } from "../wire/Fields.js"

/**
 * The token endpoints (Spec §4.3; decisions O1 to O4). `OAuthRequest` reads the bodies of requests. The schemas of
 * requests in this file decode nothing. They are only documentation, because a body may be JSON or a form.
 */

const FORM = { kind: "UrlParams", contentType: "application/x-www-form-urlencoded" } as const

const ExchangeJson = Schema.Struct({
  grantType: Schema.Literal("authorization_code"),
  clientId: Schema.String,
  clientSecret: Schema.String,
  code: Schema.String,
  codeVerifier: Schema.String,
  redirectUri: Schema.String
}).annotations({ identifier: "TokenRequestAuthorizationCode" })

const RefreshJson = Schema.Struct({
  grantType: Schema.Literal("refresh_token"),
  clientId: Schema.String,
  clientSecret: Schema.String,
  refreshToken: Schema.String
}).annotations({ identifier: "TokenRequestRefreshToken" })

const CREDENTIALS = { description: "Required unless the client authenticates by HTTP Basic" }
const clientForm = {
  client_id: Schema.optional(Schema.String.annotations(CREDENTIALS)),
  client_secret: Schema.optional(Schema.String.annotations(CREDENTIALS))
}

const forExchange = (what: string) =>
  Schema.optional(
    Schema.String.annotations({ description: `Required for the grant type \`authorization_code\`: ${what}` })
  )

const TokenForm = Schema.Struct({
  grant_type: Schema.Literal("authorization_code", "refresh_token"),
  ...clientForm,
  code: forExchange("the code that the redirect brought; it works once, within 60 seconds"),
  code_verifier: forExchange("the PKCE verifier whose SHA-256 was the `code_challenge`"),
  redirect_uri: forExchange("the redirect URI of the authorization request, unchanged"),
  refresh_token: Schema.optional(
    Schema.String.annotations({
      description: "Required for the grant type `refresh_token`: the refresh token that was issued last"
    })
  )
}).annotations({ identifier: "TokenRequestForm" })

export const TokenResponse = Schema.Struct({
  access_token: Schema.String,
  token_type: Schema.Literal("Bearer"),
  expires_in: Schema.Int,
  refresh_token: Schema.String,
  refresh_token_expires_at: NullableAt,
  sensitive_scopes_expire_at: NullableAt,
  scope: Schema.String.annotations({
    description: "The scopes that the app can use now, with spaces between them; empty when there are none"
  }),
  sub: Schema.String
}).annotations({ identifier: "TokenResponse" })

const REVOKED = "The access token or the refresh token to revoke"

const RevokeJson = Schema.Struct({
  clientId: Schema.String,
  clientSecret: Schema.String,
  token: Schema.String.annotations({ description: REVOKED })
}).annotations({ identifier: "RevocationRequest" })

const RevokeForm = Schema.Struct({
  ...clientForm,
  token: Schema.String.annotations({ description: REVOKED })
}).annotations({
  identifier: "RevocationRequestForm"
})

/** The metadata of the authorization server (RFC 8414 §2). */
export const Metadata = Schema.Struct({
  issuer: Schema.String,
  authorization_endpoint: Schema.String,
  token_endpoint: Schema.String,
  revocation_endpoint: Schema.String,
  scopes_supported: Schema.Array(Schema.String),
  response_types_supported: Schema.Array(Schema.String),
  response_modes_supported: Schema.Array(Schema.String),
  grant_types_supported: Schema.Array(Schema.String),
  token_endpoint_auth_methods_supported: Schema.Array(Schema.String),
  revocation_endpoint_auth_methods_supported: Schema.Array(Schema.String),
  code_challenge_methods_supported: Schema.Array(Schema.String),
  authorization_response_iss_parameter_supported: Schema.Boolean
}).annotations({ identifier: "AuthorizationServerMetadata" })

export const OAuthApi = HttpApiGroup.make("oauth")
  .add(
    HttpApiEndpoint.post("token", "/v1/oauth/token")
      .annotate(
        WithoutKey,
        "an exchange of a code reads the key itself, and a refresh can be repeated for 30 seconds without one"
      )
      .annotate(
        OwnKey,
        "For the exchange of a code: a text of your choice, such as a random UUID. If the answer gets lost, send the same request with the same key again within 30 seconds: the answer has the same refresh token and another access token. A refresh needs no key and does not read it"
      )
      .annotate(OpenApi.Summary, "Exchange a code, or refresh")
      .annotate(
        OpenApi.Description,
        "JSON with camelCase names, or a form with the names of RFC 6749. The client authenticates in the body or by HTTP Basic. When the answer to a refresh gets lost, send the same request again within 30 seconds: the answer has the same refresh token and another access token. An exchange of a code can be repeated in the same way if both requests have the same `Idempotency-Key`. In all other cases a code or a refresh token that is sent again counts as stolen and ends the connection."
      )
      .setPayload(Schema.Union(ExchangeJson, RefreshJson, HttpApiSchema.withEncoding(TokenForm, FORM)))
      .addSuccess(TokenResponse)
      .addError(Errors.InvalidGrant)
      .addError(Errors.UnsupportedGrantType)
      .addError(Errors.InvalidClient)
      .addError(Errors.RateLimited)
      .addError(Errors.ConnectionOnHold)
  )
  .add(
    HttpApiEndpoint.post("revoke", "/v1/oauth/revoke")
      .annotate(WithoutKey, "revoking twice is revoking once")
      .annotate(OpenApi.Summary, "End the connection of a token")
      .annotate(
        OpenApi.Description,
        "Ends the connection with all its tokens and rules. A token from before the last approval of the user has no effect, also while the new code is not exchanged yet. 200 for any token, even an unknown or empty one. 401 only for wrong client credentials."
      )
      .setPayload(Schema.Union(RevokeJson, HttpApiSchema.withEncoding(RevokeForm, FORM)))
      .addSuccess(HttpApiSchema.Empty(200))
      .addError(Errors.InvalidClient)
      .addError(Errors.RateLimited)
  )
  .add(
    HttpApiEndpoint.get("metadata", "/.well-known/oauth-authorization-server")
      .annotate(OpenApi.Summary, "The metadata for OAuth clients (RFC 8414)")
      .annotate(OpenApi.Description, "Libraries read it on their own if their issuer is set to the base address.")
      .addSuccess(Metadata)
  )
  .annotateEndpoints(ChecksBody, true)
  .annotate(OpenApi.Title, "OAuth")
  .annotate(OpenApi.Description, "Issues and revokes the tokens of a connection, for the app's server")
