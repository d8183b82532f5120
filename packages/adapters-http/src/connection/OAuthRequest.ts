import type { HttpServerRequest } from "@effect/platform"
import { Effect } from "effect"
import * as Errors from "../wire/Errors.js"

/** What a client may send, by its name in a form; JSON has it in camelCase (decision O1). */
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
export type Name = keyof typeof NAMES

export interface OAuthRequest {
  readonly isForm: boolean
  /** Undefined when it is missing or empty (RFC 6749 §3.2); a `token` may be empty. */
  readonly get: (name: Name) => string | undefined
  /** Fails with `invalid_request`, naming all that are missing. */
  readonly require: <const Names extends ReadonlyArray<Name>>(
    ...names: Names
  ) => Effect.Effect<Readonly<Record<Names[number], string>>, InvalidRequest>
}

type InvalidRequest = typeof Errors.InvalidRequest.Type
type Fields = ReadonlyMap<Name, string>

export const isForm = (request: HttpServerRequest.HttpServerRequest): boolean =>
  /^application\/x-www-form-urlencoded\s*(?:;|$)/i.test((request.headers["content-type"] ?? "").trim())

/** Reads either dialect. Fails with `invalid_request`; never repeats a value. */
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

/** Every field, those that were not sent as "". */
const texts = (fields: Fields): Readonly<Record<Name, string>> => ({
  grant_type: fields.get("grant_type") ?? "",
  client_id: fields.get("client_id") ?? "",
  client_secret: fields.get("client_secret") ?? "",
  code: fields.get("code") ?? "",
  code_verifier: fields.get("code_verifier") ?? "",
  redirect_uri: fields.get("redirect_uri") ?? "",
  refresh_token: fields.get("refresh_token") ?? "",
  token: fields.get("token") ?? ""
})

const names = Object.keys(NAMES) as ReadonlyArray<Name>

/** A field without a value was not sent; but an empty token to revoke is one that nobody issued (RFC 7009 §2.2). */
const isGiven = (name: Name, value: string): boolean => value !== "" || name === "token"

const fromForm = (form: URLSearchParams, problems: Array<string>): Fields => {
  const fields = new Map<Name, string>()
  for (const name of names) {
    const [value, ...more] = form.getAll(name)
    if (more.length > 0) problems.push(`${name} must not be repeated`)
    if (value !== undefined && isGiven(name, value)) fields.set(name, value)
  }
  return fields
}

const fromJson = (body: unknown, problems: Array<string>): Fields => {
  const fields = new Map<Name, string>()
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
      else if (fields.has(name) && fields.get(name) !== value) problems.push(`${NAMES[name]} and ${name} differ`)
      else if (isGiven(name, value)) fields.set(name, value)
    }
  }
  return fields
}

interface Named extends Credentials {
  readonly clientId: string
}

export interface Credentials {
  readonly clientSecret: string
  readonly triedBasic: boolean
}

/** The name that the client goes by, and that its `credentials` are for; undefined when it has none, or none that can be read. */
export const clientId = (request: HttpServerRequest.HttpServerRequest, sent: OAuthRequest): string | undefined =>
  sent.get("client_id") ?? parseBasic(request.headers["authorization"] ?? "")?.clientId

/** What the client proves its name with: in the body or by HTTP Basic, not both (RFC 6749 §2.3). */
export const credentials = (
  request: HttpServerRequest.HttpServerRequest,
  sent: OAuthRequest
): Effect.Effect<Credentials, InvalidRequest | typeof Errors.InvalidClient.Type> => {
  const [id, secret] = [sent.get("client_id"), sent.get("client_secret")]
  const header = request.headers["authorization"] ?? ""
  if (!/^Basic(?: |$)/i.test(header)) {
    return id === undefined || secret === undefined
      ? Effect.fail(Errors.invalidClient(false))
      : Effect.succeed({ clientSecret: secret, triedBasic: false })
  }
  if (secret !== undefined) return Effect.fail(BOTH)
  const basic = parseBasic(header)
  if (basic === undefined) return Effect.fail(Errors.invalidClient(true))
  return id === undefined || id === basic.clientId ? Effect.succeed(basic) : Effect.fail(TWO_NAMES)
}

const BOTH = Errors.invalidRequest("The client must authenticate in the body or by HTTP Basic, not both")
const TWO_NAMES = Errors.invalidRequest("The client names itself differently in the body and in HTTP Basic")

const parseBasic = (header: string): Named | undefined => {
  const token = /^Basic +([A-Za-z0-9+/_-]+={0,2}) *$/i.exec(header)?.[1]
  if (token === undefined) return undefined
  const text = Buffer.from(token, "base64").toString("utf8")
  const colon = text.indexOf(":")
  if (colon < 0) return undefined
  return {
    clientId: formDecoded(text.slice(0, colon)),
    clientSecret: formDecoded(text.slice(colon + 1)),
    triedBasic: true
  }
}

/** RFC 6749 §2.3.1 wants each half form-encoded; clients that did not do it are read as they are. */
const formDecoded = (text: string): string => {
  try {
    return decodeURIComponent(text.replaceAll("+", " "))
  } catch {
    return text
  }
}
