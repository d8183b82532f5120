import { type HttpServerRequest, HttpServerResponse } from "@effect/platform"
import type { Registered } from "@place-access/domain/apps"
import { exchangeCode, refreshTokens, revokeToken, type TokenGrant } from "@place-access/domain/tokens"
import { fn, Scope } from "@place-access/domain/shared"
import { Effect, type Option, Schema } from "effect"
import { Api } from "../Api.js"
import * as Group from "../Group.js"
import * as Body from "../edge/Body.js"
import * as CurrentRequest from "../edge/CurrentRequest.js"
import { HttpOptions } from "../HttpOptions.js"
import * as ClientCalls from "../security/ClientCalls.js"
import * as ErrorHelp from "../wire/ErrorHelp.js"
import * as Errors from "../wire/Errors.js"
import * as Json from "../wire/Json.js"
import { type Shared, toWire } from "../wire/toWire.js"
import { Metadata, TokenResponse } from "./OAuthApi.js"
import * as OAuthRequest from "./OAuthRequest.js"
import { tokensOf } from "./tokensOf.js"

type Request = HttpServerRequest.HttpServerRequest

/** Forbids caches to store an answer (RFC 6749 §5.1). `Pragma` is for HTTP/1.0 caches. */
const NO_STORE = { "cache-control": "no-store", pragma: "no-cache" }

export const layer = Group.group(Api, "oauth", (handlers) =>
  handlers
    .handleRaw("token", ({ request }) => answer(request, token(request)), { uninterruptible: true })
    .handleRaw("revoke", ({ request }) => answer(request, revoke(request)), { uninterruptible: true })
    .handleRaw("metadata", () => Effect.map(HttpOptions, metadata))
)

interface CountedRequest {
  readonly sent: OAuthRequest.OAuthRequest
  /** The app that the client id names, if it exists. */
  readonly found: Option.Option<Registered>
}

/**
 * Reads the request, and counts it against the limit of the app and the network address (`ClientCalls.counted`). The
 * app is recorded before its secret is checked, because developers look in the app's request log for calls with a wrong
 * secret.
 */
const counted = fn(function* (request: Request) {
  const sent = yield* OAuthRequest.read(request)
  const clientId = OAuthRequest.clientId(request, sent)
  const found = yield* ClientCalls.counted(clientId, ({ id }) => CurrentRequest.clientIs(id))
  return { sent, found } satisfies CountedRequest
})

const authenticate = (request: Request, { found, sent }: CountedRequest) =>
  Effect.flatMap(OAuthRequest.credentials(request, sent), ({ clientSecret, triedBasic }) =>
    ClientCalls.proved(found, clientSecret, triedBasic)
  )

const token = fn(function* (request: Request) {
  const client = yield* counted(request)
  const { sent } = client
  const { grant_type } = yield* sent.require("grant_type")
  switch (grant_type) {
    case "authorization_code": {
      const { code, code_verifier, redirect_uri } = yield* sent.require("code", "code_verifier", "redirect_uri")
      const app = yield* authenticate(request, client)
      const repeatable = yield* OAuthRequest.idempotencyKey(request)
      return issued(
        yield* exchangeCode(app, {
          code,
          codeVerifier: code_verifier,
          redirectUri: redirect_uri,
          ...repeatable
        }).pipe(
          Effect.catchTags({
            InvalidGrant: () => Effect.fail(CODE_REFUSED),
            Suspended: () => Effect.fail(Errors.connectionOnHold)
          })
        )
      )
    }
    case "refresh_token": {
      const { refresh_token } = yield* sent.require("refresh_token")
      const app = yield* authenticate(request, client)
      return issued(
        yield* refreshTokens(app, refresh_token).pipe(
          Effect.catchTags({
            InvalidGrant: () => Effect.fail(REFRESH_REFUSED),
            Suspended: () => Effect.fail(Errors.connectionOnHold)
          })
        )
      )
    }
    default:
      return yield* Effect.fail(Errors.unsupportedGrantType)
  }
})

const CODE_REFUSED = Errors.invalidGrant(
  "The code is unknown, used or expired, or does not match this client, redirect URI or verifier"
)
const REFRESH_REFUSED = Errors.invalidGrant("The refresh token is no longer valid: the user must connect again")

const encodeTokens = Schema.encodeSync(TokenResponse)

const issued = (grant: TokenGrant.TokenGrant): HttpServerResponse.HttpServerResponse =>
  Json.response(encodeTokens(tokensOf(grant)), { status: 200, headers: NO_STORE })

const revoke = (request: Request) =>
  Effect.gen(function* () {
    const client = yield* counted(request)
    const { token } = yield* client.sent.require("token")
    yield* revokeToken(yield* authenticate(request, client), token)
    // The answer has no content type. With the content type of JSON, clients would try to parse the empty body.
    return HttpServerResponse.empty({ status: 200, headers: NO_STORE })
  })

/**
 * Runs `program` and encodes its errors, including the refusal of a body that cannot be read. Clients that send forms
 * also get `error_description`, which RFC 6749 §5.2 defines. Clients that send JSON get the body without this field.
 */
const answer = <E extends Shared | Errors.WireError, R>(
  request: Request,
  program: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
): Effect.Effect<HttpServerResponse.HttpServerResponse, never, R | HttpOptions> =>
  Effect.catchAll(Body.refusalAsError(toWire(program)), (error: Errors.WireError) =>
    Effect.flatMap(HttpOptions, (options) =>
      CurrentRequest.cellWith(({ id }) => {
        const body = { ...Errors.encode(error), ...ErrorHelp.of(error.error, id, options) }
        return Effect.as(
          CurrentRequest.refusedWith(error.error),
          HttpServerResponse.unsafeJson(
            OAuthRequest.isForm(request) ? { ...body, error_description: described(error) } : body,
            { status: error.statusCode, headers: { ...Errors.headersOf(error), ...NO_STORE } }
          )
        )
      })
    )
  )

const described = ({ message }: Errors.WireError): string =>
  typeof message === "string" ? message : message.join("; ")

const metadata = (options: typeof HttpOptions.Service): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.unsafeJson(
    Schema.encodeSync(Metadata)({
      issuer: options.baseUrl,
      authorization_endpoint: `${options.authUrl}/authorize`,
      token_endpoint: `${options.baseUrl}/v1/oauth/token`,
      revocation_endpoint: `${options.baseUrl}/v1/oauth/revoke`,
      scopes_supported: Scope.all,
      response_types_supported: ["code"],
      response_modes_supported: ["query"],
      grant_types_supported: ["authorization_code", "refresh_token"],
      token_endpoint_auth_methods_supported: AUTHENTICATION,
      revocation_endpoint_auth_methods_supported: AUTHENTICATION,
      code_challenge_methods_supported: ["S256"],
      authorization_response_iss_parameter_supported: true
    }),
    { headers: { "cache-control": "public, max-age=3600" } }
  )

const AUTHENTICATION = ["client_secret_basic", "client_secret_post"]
