import type { HttpServerRequest } from "@effect/platform"
import { Effect } from "effect"
import * as IdempotencyKey from "../idempotency/IdempotencyKey.js"
import * as ClientCredentials from "../security/ClientCredentials.js"
import * as Errors from "../wire/Errors.js"

/**
 * The fields that a client may send: the name of each field in a form, with its name in camelCase. JSON may use either
 * of the two names (decision O1).
 */
const NAMES = {
  grant_type: "grantType",
  client_id: "clientId",
  client_secret: "clientSecret",
  code: "code",
  code_verifier: "codeVerifier",
  redirect_uri: "redirectUri",
  refresh_token: "refreshToken",
  token: "token"
} as const
export type OAuthParameter = keyof typeof NAMES

export interface OAuthRequest {
  readonly isForm: boolean
  /** The value of a field. Undefined if the field is missing or empty (RFC 6749 §3.2); only `token` may be empty. */
  readonly get: (name: OAuthParameter) => string | undefined
  /** The values of several fields. Fails with `invalid_request`, which names all missing fields. */
  readonly require: <const Names extends ReadonlyArray<OAuthParameter>>(
    ...names: Names
  ) => Effect.Effect<Readonly<Record<Names[number], string>>, InvalidRequest>
}

type InvalidRequest = typeof Errors.InvalidRequest.Type
type Fields = ReadonlyMap<OAuthParameter, string>

export const isForm = (request: HttpServerRequest.HttpServerRequest): boolean =>
  /^application\/x-www-form-urlencoded\s*(?:;|$)/i.test((request.headers["content-type"] ?? "").trim())

/** Reads a form or JSON. Fails with `invalid_request`, whose messages never repeat a value. */
export const read = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<OAuthRequest, InvalidRequest> =>
  isForm(request)
    ? Effect.flatMap(Effect.orDie(request.text), (text) => {
        const problems: Array<string> = []
        return of(true, fromForm(new URLSearchParams(text), problems), problems)
      })
    : Effect.flatMap(Effect.orDie(request.json), (body) => {
        const problems: Array<string> = []
        return of(false, fromJson(body, problems), problems)
      })

const of = (
  form: boolean,
  fields: Fields,
  problems: ReadonlyArray<string>
): Effect.Effect<OAuthRequest, InvalidRequest> =>
  problems.length > 0
    ? Effect.fail(Errors.invalidRequest(problems.join("; ")))
    : Effect.succeed({
        isForm: form,
        get: (name) => fields.get(name),
        require: (...names) => {
          const missing = names.filter((name) => !fields.has(name)).map((name) => (form ? name : NAMES[name]))
          return missing.length > 0
            ? Effect.fail(Errors.invalidRequest(`${missing.join(", ")} ${missing.length > 1 ? "are" : "is"} missing`))
            : Effect.succeed(texts(fields))
        }
      })

/** The value of every field; "" for a field that was not sent. */
const texts = (fields: Fields): Readonly<Record<OAuthParameter, string>> => ({
  grant_type: fields.get("grant_type") ?? "",
  client_id: fields.get("client_id") ?? "",
  client_secret: fields.get("client_secret") ?? "",
  code: fields.get("code") ?? "",
  code_verifier: fields.get("code_verifier") ?? "",
  redirect_uri: fields.get("redirect_uri") ?? "",
  refresh_token: fields.get("refresh_token") ?? "",
  token: fields.get("token") ?? ""
})

const names = Object.keys(NAMES) as ReadonlyArray<OAuthParameter>

/**
 * Whether a field counts as sent. An empty field counts as missing (RFC 6749 §3.2), except for `token`: the empty text
 * is a token that nobody issued (RFC 7009 §2.2).
 */
const isGiven = (name: OAuthParameter, value: string): boolean => value !== "" || name === "token"

const fromForm = (form: URLSearchParams, problems: Array<string>): Fields => {
  const fields = new Map<OAuthParameter, string>()
  for (const name of names) {
    const [value, ...more] = form.getAll(name)
    if (more.length > 0) problems.push(`${name} must not be repeated`)
    if (value !== undefined && isGiven(name, value)) fields.set(name, value)
  }
  return fields
}

const fromJson = (body: unknown, problems: Array<string>): Fields => {
  const fields = new Map<OAuthParameter, string>()
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    problems.push("The body must be a JSON object")
    return fields
  }
  const own = new Map<string, unknown>(Object.entries(body))
  for (const name of names) {
    const spellings = [...new Set([NAMES[name], name])].filter((key) => (own.get(key) ?? null) !== null)
    for (const key of spellings) {
      const value = own.get(key)
      if (typeof value !== "string") problems.push(`${key} must be a string`)
      else if (!isGiven(name, value)) continue
      else if (fields.has(name) && fields.get(name) !== value) problems.push(`${NAMES[name]} and ${name} differ`)
      else fields.set(name, value)
    }
  }
  return fields
}

export interface ClientProof {
  readonly clientSecret: string
  readonly triedBasic: boolean
}

/**
 * The client id in the body. When the body has no client id: the client id in the header (HTTP Basic), or undefined
 * when the header is missing or cannot be read.
 */
export const clientId = (request: HttpServerRequest.HttpServerRequest, sent: OAuthRequest): string | undefined =>
  sent.get("client_id") ?? ClientCredentials.basic(request)?.clientId

/**
 * The client's secret, from the body or from HTTP Basic. A request may not have a secret in both places (RFC 6749
 * §2.3). It may name the client id in both places if the two ids are equal.
 */
export const credentials = (
  request: HttpServerRequest.HttpServerRequest,
  sent: OAuthRequest
): Effect.Effect<ClientProof, InvalidRequest | typeof Errors.InvalidClient.Type> => {
  const [id, secret] = [sent.get("client_id"), sent.get("client_secret")]
  const header = request.headers["authorization"] ?? ""
  if (!/^Basic(?: |$)/i.test(header)) {
    return id === undefined || secret === undefined
      ? Effect.fail(Errors.invalidClient(false))
      : Effect.succeed({ clientSecret: secret, triedBasic: false })
  }
  if (secret !== undefined) return Effect.fail(BOTH)
  const basic = ClientCredentials.basic(request)
  if (basic === undefined) return Effect.fail(Errors.invalidClient(true))
  return id === undefined || id === basic.clientId
    ? Effect.succeed({ clientSecret: basic.clientSecret, triedBasic: true })
    : Effect.fail(TWO_NAMES)
}

/** The header `Idempotency-Key`, with which a client can repeat the exchange of a code (decision tokens-1). */
export const idempotencyKey = (
  request: HttpServerRequest.HttpServerRequest
): Effect.Effect<{ readonly idempotencyKey?: string }, InvalidRequest> => {
  const key = request.headers["idempotency-key"]
  if (key === undefined) return Effect.succeed({})
  return IdempotencyKey.isKey(key) ? Effect.succeed({ idempotencyKey: key }) : Effect.fail(WRONG_KEY)
}

const WRONG_KEY = Errors.invalidRequest(IdempotencyKey.INVALID)
const BOTH = Errors.invalidRequest("The client must authenticate in the body or by HTTP Basic, not both")
const TWO_NAMES = Errors.invalidRequest("The client names itself differently in the body and in HTTP Basic")
