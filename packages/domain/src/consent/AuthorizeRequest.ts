// How an app's `GET /authorize` is checked (decision consent-1).
import { Either, Option, Schema } from "effect"
import * as App from "../apps/App.js"
import * as RedirectUri from "../apps/RedirectUri.js"
import * as Purpose from "../purposes/Purpose.js"
import { AppId, Scope } from "../shared/index.js"
import { type ConsentRequest, ExternalUserId, ConsentRequestState } from "./ConsentRequest.js"
import { AuthorizePage, AuthorizeRedirect, ConsentRefused } from "../connection/Errors.js"
import * as Pkce from "../tokens/Pkce.js"

/** The query of `GET /authorize` as it was sent. A parameter that was sent twice is an array. */
export type Parameters = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

/** A valid request, for which a consent page may be shown. */
export type CheckedRequest = Omit<ConsentRequest, "id" | "createdAt" | "decided">

type RefusedRequest<E> = Either.Either<never, E>

const page = (parameter: AuthorizePage["parameter"], message: string): RefusedRequest<AuthorizePage> =>
  Either.left(new AuthorizePage({ parameter, message }))

/** The values of a parameter. A parameter that was sent once, without a value, counts as absent (RFC 6749 §3.1). */
const values = (parameters: Parameters, name: string): ReadonlyArray<string> => {
  const value = Object.hasOwn(parameters, name) ? parameters[name] : undefined
  const list = value === undefined ? [] : typeof value === "string" ? [value] : value
  return list.length > 1 ? list : list.filter((text) => text !== "")
}

/** The id of the app to look up. Fails with `AuthorizePage` unless `client_id` is one well-formed id. */
export const clientId = (parameters: Parameters): Either.Either<AppId, AuthorizePage> => {
  const [id, ...more] = values(parameters, "client_id")
  return id !== undefined && more.length === 0 && Schema.is(AppId)(id) ? Either.right(id) : unknownClient
}

const unknownClient = page("client_id", "The link names no app that is known here (client_id).")

/**
 * The parameters that `check` reads last. A problem with one of these parameters is sent to the app's redirect URI,
 * because `check` has verified this URI by then.
 */
const REDIRECTED = ["response_type", "scope", "code_challenge", "code_challenge_method", "external_user_id"] as const

/**
 * Checks the parameters of `GET /authorize` (decision O3). The app, the redirect URI and the state are checked first:
 * while one of these is wrong, no error can be sent to the app, so a page of the service shows the error
 * (`AuthorizePage`). Other errors are sent to the app (`AuthorizeRedirect`). Fails with `ConsentRefused` when the app
 * is suspended. The answer to the app contains `issuer`, as the parameter `iss`, when the request has `response_type`
 * (RFC 9207).
 */
export const check = (
  parameters: Parameters,
  app: Option.Option<App.App>,
  purposes: ReadonlyArray<Purpose.Purpose>,
  issuer: string
): Either.Either<CheckedRequest, AuthorizePage | AuthorizeRedirect | ConsentRefused> => {
  // No browser is redirected to a revoked or suspended app, not even with an error.
  if (Option.isNone(app) || app.value.revokedAt !== null) return unknownClient
  if (app.value.suspendedAt !== null) return Either.left(new ConsentRefused({ reason: "app_suspended" }))
  const uri = values(parameters, "redirect_uri")
  const redirectUri = app.value.redirectUris.find((registered) => registered === uri[0])
  if (redirectUri === undefined || uri.length > 1) {
    return page("redirect_uri", "The address to go back to (redirect_uri) is not one that the app registered.")
  }
  const states = values(parameters, "state")
  const state = states[0]
  if (state === undefined || states.length > 1 || !Schema.is(ConsentRequestState)(state)) {
    return page("state", "The link carries no usable state parameter (8 to 512 characters in UTF-8).")
  }

  const responseType = values(parameters, "response_type")
  const answersIssuer = responseType.length > 0
  const refuse = (error: AuthorizeRedirect["error"], description: string): RefusedRequest<AuthorizeRedirect> =>
    Either.left(
      new AuthorizeRedirect({
        error,
        uri: answer({ redirectUri, state, answersIssuer }, issuer, [
          ["error", error],
          ["error_description", description]
        ])
      })
    )

  const repeated = REDIRECTED.find((name) => values(parameters, name).length > 1)
  if (repeated !== undefined) return refuse("invalid_request", `${repeated} must not be repeated`)
  if (answersIssuer && responseType[0] !== "code") {
    return refuse("unsupported_response_type", "response_type must be code")
  }
  const [challenge] = values(parameters, "code_challenge")
  if (challenge === undefined || !Schema.is(Pkce.Challenge)(challenge) || !Pkce.isDigest(challenge)) {
    return refuse("invalid_request", "code_challenge must be the base64url SHA-256 of the verifier, 43 characters")
  }
  if (values(parameters, "code_challenge_method")[0] !== "S256") {
    return refuse("invalid_request", "code_challenge_method must be S256")
  }
  const [externalUserId] = values(parameters, "external_user_id")
  if (externalUserId !== undefined && !Schema.is(ExternalUserId)(externalUserId)) {
    return refuse(
      "invalid_request",
      "external_user_id must be at most 128 characters in UTF-8, none of them a control character"
    )
  }
  const names = (values(parameters, "scope")[0] ?? "").split(" ").filter((name) => name !== "")
  if (names.length === 0) return refuse("invalid_scope", "scope must name at least one scope")
  if (!names.every(Scope.isScope)) return refuse("invalid_scope", "scope names a scope that does not exist")
  const scopes = Scope.normalise(names)
  const refused = unavailable(scopes, app.value, purposes)
  if (refused !== undefined) return refuse("invalid_scope", `${refused.scope} ${refused.why}`)

  return Either.right({
    appId: app.value.id,
    redirectUri,
    scopes,
    challenge,
    state,
    externalUserId: externalUserId ?? null,
    answersIssuer
  })
}

/**
 * The first requested scope that the app cannot ask for at this moment, with the reason; undefined when the app can ask
 * for all of them (decisions §3).
 */
export const unavailable = (
  scopes: ReadonlyArray<Scope.Scope>,
  app: App.App,
  purposes: ReadonlyArray<Purpose.Purpose>
): { readonly scope: Scope.Scope; readonly why: string } | undefined => {
  const declared = App.scopes(app)
  const covered: ReadonlyArray<Scope.Scope> = Purpose.coveredScopes(purposes, app.status)
  for (const scope of scopes) {
    if (!declared.includes(scope)) return { scope, why: "is not among the scopes that the app declares" }
    if (Scope.isSensitive(scope) && !covered.includes(scope)) {
      return { scope, why: "needs a purpose that the app may use" }
    }
  }
  return undefined
}

/**
 * The address to which the browser is redirected: the registered redirect URI with the parameters of the answer and the
 * `state`, and with `iss` when `answersIssuer` is true.
 */
export const answer = (
  request: Pick<ConsentRequest, "redirectUri" | "state" | "answersIssuer">,
  issuer: string,
  parameters: ReadonlyArray<readonly [string, string]>
): string =>
  RedirectUri.withQuery(request.redirectUri, [
    ...parameters,
    ["state", request.state],
    ...(request.answersIssuer ? [["iss", issuer] as const] : [])
  ])
