import { Simulation } from "@place-access/domain/testing"
import { Effect } from "effect"
import type { HttpExchange, SimulatedResponse } from "./Exchange.js"
import { cookieOf } from "./people.js"

/** The service refused a request with this code and this body. */
export class RefusedRequest {
  readonly _tag = "RefusedRequest"
  readonly status: number
  readonly error: string
  readonly body: Readonly<Record<string, unknown>>
  constructor(status: number, error: string, body: Readonly<Record<string, unknown>>) {
    this.status = status
    this.error = error
    this.body = body
  }
}

export interface HttpAnswer {
  readonly status: number
  /** The JSON of the body with times as milliseconds; an empty object for an empty body. */
  readonly body: Readonly<Record<string, unknown>>
  readonly cookies: Readonly<Record<string, string>>
  readonly location: string | undefined
  readonly stream: SimulatedResponse["stream"]
}

/**
 * The sender of a request: a person whose browser is signed in, a browser with a given cookie, a program with a token,
 * an app without a token, or a person without a session.
 */
type RequestSender =
  | { readonly person: string }
  | { readonly cookie: string }
  | { readonly token: string }
  | { readonly app: string }
  | { readonly newcomer: string }

interface Options {
  readonly json?: unknown
  readonly query?: Readonly<Record<string, string | number | null | undefined>>
  /** The network address of the client; absent: the address that belongs to the caller. */
  readonly address?: string
}

/** Sends requests to the service, as browsers, phones and apps do. */
export interface OutsideClient {
  /** Fails with `RefusedRequest` when the status is 400 or more. */
  readonly send: (
    caller: RequestSender,
    method: string,
    path: string,
    options?: Options
  ) => Effect.Effect<HttpAnswer, RefusedRequest>
}

const SESSION = "__Host-session"

/** The session cookie that an answer sets; undefined when it sets none. */
export const sessionOf = ({ cookies }: HttpAnswer): string | undefined => cookies[SESSION]

export const make = (exchange: HttpExchange, registry: Simulation.Registry): OutsideClient => ({
  // The request carries an id, as from a trusted proxy, because the service would otherwise draw an id for the request.
  // So the service draws the same random numbers as without HTTP, and makes the same ids.
  send: (caller, method, path, { address, json, query = {} } = {}) => {
    const parameters = Object.entries(query).filter(([, value]) => value !== null && value !== undefined)
    const search = new URLSearchParams(
      Object.fromEntries(parameters.map(([name, value]) => [name, String(value)]))
    ).toString()
    const request = {
      method,
      url: search === "" ? path : `${path}?${search}`,
      headers: {
        host: new URL(Simulation.ISSUER).host,
        "x-request-id": `request-${registry.next("request")}`,
        ...(method === "GET" ? {} : { origin: Simulation.ISSUER }),
        ...(json === undefined ? {} : { "content-type": "application/json" }),
        ...credentials(caller, registry)
      },
      address: address ?? addressOf(caller),
      body: json === undefined ? undefined : JSON.stringify(json)
    }
    return Effect.flatMap(exchange(request), (response) => {
      const answer = read(response)
      return answer.status < 400 ? Effect.succeed(answer) : Effect.fail(refusal(answer))
    })
  }
})

const credentials = (caller: RequestSender, registry: Simulation.Registry): Readonly<Record<string, string>> =>
  "person" in caller
    ? { cookie: `${SESSION}=${cookieOf(registry, caller.person)}` }
    : "cookie" in caller
      ? { cookie: `${SESSION}=${caller.cookie}` }
      : "token" in caller
        ? { authorization: `Bearer ${caller.token}` }
        : {}

/** Gives each caller a network address, so that callers do not share the rate limits by address. */
const addressOf = (caller: RequestSender): string => {
  let sum = 0
  for (const character of Object.values(caller).join("")) sum = (sum * 31 + character.charCodeAt(0)) % 0xff_ff_ff
  return `10.${sum >> 16}.${(sum >> 8) & 0xff}.${sum & 0xff}`
}

const read = ({ body, cookies, headers, status, stream }: SimulatedResponse): HttpAnswer => {
  const isJson = (headers["content-type"] ?? "").includes("json")
  const parsed: unknown = isJson ? JSON.parse(body, withMillis) : undefined
  return {
    status,
    cookies,
    location: headers["location"],
    stream,
    body: typeof parsed === "object" && parsed !== null ? withScope(parsed, headers) : {}
  }
}

const TIME = /^[+-]?\d{4,6}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** Converts the times in an answer to milliseconds, because traces have times as milliseconds. */
const withMillis = (_: string, value: unknown): unknown =>
  typeof value === "string" && TIME.test(value) ? Date.parse(value) : value

/** Adds to the body of a refusal the scope that the refusal names in a header (RFC 6750 §3). */
const withScope = (body: object, headers: Readonly<Record<string, string>>): Readonly<Record<string, unknown>> => {
  const scope = /scope="([^"]*)"/.exec(headers["www-authenticate"] ?? "")?.[1]
  return scope === undefined ? { ...body } : { ...body, scope }
}

const refusal = ({ body, status }: HttpAnswer): RefusedRequest => {
  const { error } = body
  return new RefusedRequest(status, typeof error === "string" ? error : `status_${status}`, body)
}
