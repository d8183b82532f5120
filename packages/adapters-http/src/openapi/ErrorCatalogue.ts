import { Rule } from "@place-access/domain/rules"
import { Timestamp } from "@place-access/domain/shared"
import { SchemaAST } from "effect"
import * as ErrorHelp from "../wire/ErrorHelp.js"
import * as Errors from "../wire/Errors.js"
import * as Values from "./ExampleValues.js"
import { object } from "./Json.js"

type Code = Errors.WireError["error"]

/** An error as the documentation describes it to developers. */
interface Entry {
  readonly code: Code
  readonly status: number
  readonly meaning: string
  /** What a caller that gets this error should do. */
  readonly advice: string
  /** The body as handlers make it. `exampleOf` adds the fields that the edge adds to the body. */
  readonly example: unknown
}

const at = (iso: string): Timestamp.Timestamp => Timestamp.make(Date.parse(iso))

const MIB = 1_048_576

/** An example of each error: the same constant as the real error, or made by the same function. */
const EXAMPLES: { readonly [One in Code]: Extract<Errors.WireError, { readonly error: One }> } = {
  validation_failed: Errors.validationFailed([
    `type must be one of ${Rule.RuleType.literals.join(", ")}`,
    "place_id is missing"
  ]),
  invalid_request: Errors.invalidRequest("The request could not be read"),
  invalid_purpose: Errors.invalidPurpose("The purpose is missing, unknown, or does not cover the scope"),
  webhook_url_not_registered: Errors.webhookUrlNotRegistered,
  invalid_grant: Errors.invalidGrant("The code or token is not good any more"),
  unsupported_grant_type: Errors.unsupportedGrantType,
  invalid_token: Errors.invalidToken,
  invalid_client: Errors.invalidClient(false),
  not_signed_in: Errors.notSignedIn(),
  missing_scope: Errors.missingScope("location.rules.place"),
  scope_expired: Errors.scopeExpired("location.latest.read", {
    sensitiveExpiredAt: at("2026-03-31T09:15:00.000Z"),
    renewalGraceEndsAt: at("2026-04-14T09:15:00.000Z")
  }),
  confirmation_required: Errors.confirmationRequired,
  second_factor_required: Errors.secondFactorRequired,
  second_factor_missing: Errors.secondFactorMissing,
  forbidden: Errors.forbidden("the app is still being tested: only its holder can connect it"),
  not_found: Errors.notFound("place"),
  method_not_allowed: Errors.methodNotAllowed("GET, HEAD"),
  rule_limit_reached: Errors.ruleLimitReached(at("2026-03-02T08:00:00.000Z")),
  conflict: Errors.conflict("an app can have 5 webhook endpoints; remove one first"),
  idempotency_key_in_use: Errors.idempotencyKeyInUse,
  payload_too_large: Errors.payloadTooLarge(MIB),
  unsupported_media_type: Errors.unsupportedMediaType(["application/json"]),
  idempotency_key_reused: Errors.idempotencyKeyReused,
  rate_limited: Errors.rateLimited(30),
  budget_exceeded: Errors.budgetExceeded(600),
  internal_error: Errors.internalError,
  unavailable: Errors.unavailable,
  connection_on_hold: Errors.connectionOnHold
}

const ADVICE: Readonly<Record<Code, string>> = {
  validation_failed:
    "Correct the fields that `message` names, then send the request again. Repeating it unchanged does not help.",
  invalid_request: "Send well-formed JSON in UTF-8 (or a form, where one is read) and an address without `%00`.",
  invalid_purpose:
    "Send `purpose` with the key of a purpose that covers the endpoint's scope; in production it must be approved.",
  webhook_url_not_registered:
    "Register the address as an endpoint first, or leave `webhook_url` out: every subscribed endpoint then gets the events.",
  invalid_grant:
    "The user has to connect again: send them to the consent page. Do not repeat the request. If it happens with a new code, check the redirect URI and the PKCE verifier that you send: a wrong one is answered like this and does not use up the code.",
  unsupported_grant_type: "Use `authorization_code` or `refresh_token`.",
  invalid_token:
    "Refresh the token once, then repeat the call. If the refresh answers `invalid_grant`, the user has to connect again. Never retry in a loop.",
  invalid_client: "Check the app's id and its client secret; registering redirect URIs issues a new secret.",
  not_signed_in: "Sign in: send the session cookie of `POST /v1/session`.",
  missing_scope:
    "The message names the scope, or says that any standard scope is enough. Request it at consent, or do without it: the user may have declined it.",
  scope_expired:
    "Before `renewal_grace_ends_at`, send the user to the consent page with exactly the scopes that you hold. One confirmation renews them. Each sensitive scope needs a purpose that you may use: if you have archived the purpose, register another one and have it approved.",
  confirmation_required:
    "Send `POST /v1/session/confirmation` in the same session, then the request again. A person with a browser confirms at `/confirm`.",
  second_factor_required: "Send the request again with `code`. A browser signs in at `/sign-in`, also with a passkey.",
  second_factor_missing: "Set up a second factor in the settings of the portal, then sign in again.",
  forbidden: "This account may not do this, or the call did not come from a page of this service: send `Origin`.",
  not_found: "What you asked for does not exist, was removed, or you may not see it. The answer does not say which.",
  method_not_allowed: "Use one of the methods that the `Allow` header lists.",
  rule_limit_reached:
    "Remove a rule, or move the window of this one: ten rules, disabled ones included, count at `instant` already. Any standard scope is enough to list and remove both kinds of rules.",
  conflict: "Read the state again; `message` says what the request conflicts with.",
  idempotency_key_in_use: "Wait `Retry-After` seconds, then send the same request with the same key again.",
  payload_too_large: "Split the request into smaller ones.",
  unsupported_media_type: "Send the content type that the route reads, in UTF-8 and not compressed.",
  idempotency_key_reused:
    "Repeat the first request unchanged, or give this one a new key. A key is for one request and its repetitions.",
  rate_limited: "Wait `Retry-After` seconds, then go on.",
  budget_exceeded: "Wait `Retry-After` seconds. A standing rule notifies you without polling.",
  internal_error:
    "A fault of the service: repeating the request will hardly help. Report the `X-Request-Id` of the answer.",
  unavailable: "A temporary failure. Retry after `Retry-After` seconds, and back off: wait longer each time.",
  connection_on_hold:
    "Keep the tokens: the connection works again when the hold ends. The refused request spent no code and no refresh token. Ask again after `Retry-After` seconds. A refresh token that an earlier request may have spent, because its answer got lost, counts as a leak after the hold: do not send it again."
}

/** Every error, in the order of status codes. */
export const ENTRIES: ReadonlyArray<Entry> = Errors.WireError.members.map(({ ast, fields }) => {
  const code = fields.error.literals[0]
  return {
    code,
    status: fields.statusCode.literals[0],
    meaning: String(ast.annotations[SchemaAST.DescriptionAnnotationId] ?? ""),
    advice: ADVICE[code],
    example: Errors.encode(EXAMPLES[code])
  }
})

const examples: ReadonlyMap<string, unknown> = new Map(ENTRIES.map(({ code, example }) => [code, example]))

/** The body of an error as the server at `baseUrl` sends it (decision wire-4). */
export const exampleOf = (code: Code, server: { readonly baseUrl: string }): unknown => ({
  ...object(examples.get(code)),
  ...ErrorHelp.of(code, Values.ids.request, server)
})
