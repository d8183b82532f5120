// The function with which a receiver checks a delivery. Decision deliveries-15.

/**
 * For receivers of our webhooks: checks that a delivery came from this service and is fresh (Spec §6.4). The module has
 * no dependency and uses Web Crypto, so it runs in Node, Deno, Bun, workers and browsers.
 *
 * ```ts
 * const header = request.headers.get("x-service-signature")
 * const result = await verify({ payload: rawBody, header, secrets: SECRET })
 * if (!result.ok) {
 *   console.warn(result.reason, result.message)
 *   return new Response(null, { status: 400 })
 * }
 * const event: WebhookEvent = JSON.parse(result.body)
 * // Deliveries are at-least-once: skip an `event.event_id` that was handled before.
 * ```
 */

export type {
  PingEvent,
  PlacesChangedEvent,
  RuleFiredEvent,
  SensitiveExpiringEvent,
  SensitiveLapsedEvent,
  SensitiveRemovedEvent,
  EventSensitiveScope,
  WebhookEvent
} from "./WebhookEvent.js"

export interface VerifyInput {
  /** The body exactly as it arrived: bytes or text, before any parsing. */
  readonly payload: string | Uint8Array | ArrayBuffer
  /** The header `X-Service-Signature`, as your server gives it: a value, or a list of values. */
  readonly header: string | ReadonlyArray<string> | null | undefined
  /** The endpoint's signing secret. For a day after a rotation, both the new and the old secret. */
  readonly secrets: string | ReadonlyArray<string>
  /** How many seconds the time `t` of the header may be before or after `now`. Default: 60. */
  readonly toleranceS?: number
  /** The present time in milliseconds since 1970. Default: the time of the machine's clock. */
  readonly now?: number
}

export type VerifyFailure =
  /** there is no `X-Service-Signature` */
  | "missing_header"
  /** the header is not `t=…,v1=…` */
  | "malformed_header"
  /** the header has more than eight signatures */
  | "too_many_signatures"
  /** the caller gave no secret */
  | "missing_secret"
  /** the payload is an object instead of the raw body, or missing */
  | "body_parsed"
  /** no signature matches: the secret is wrong, the body was changed, or the delivery is forged */
  | "no_match"
  /** genuine, but signed longer ago than the tolerance */
  | "too_old"
  /** genuine, but signed further ahead of this clock than the tolerance */
  | "too_new"
  /** this runtime has no `crypto.subtle`, like a page that was not loaded over https */
  | "no_web_crypto"

export type Verification =
  | {
      readonly ok: true
      /** The body as text: parse this. */
      readonly body: string
      /** When the delivery was signed, in seconds since 1970. */
      readonly signedAtS: number
    }
  | { readonly ok: false; readonly reason: VerifyFailure; /** A text for your log. */ readonly message: string }

export const DEFAULT_TOLERANCE_S = 60
/** The most signatures that a header may have; a header with more is refused. */
export const MAX_SIGNATURES = 8

type Subtle = typeof globalThis.crypto.subtle

const ADVICE = "Pass the raw body, as it arrived, from before any JSON middleware."

/**
 * Checks a delivery. It never throws: every fault of a delivery or a secret gives a `reason`. Do not send the reason to
 * the sender, who may be an attacker.
 */
export const verify = async (input: VerifyInput): Promise<Verification> => {
  const { payload, toleranceS = DEFAULT_TOLERANCE_S } = input
  // @effect-diagnostics-next-line globalDate:off -- receivers have no Clock
  const now = Number(input.now ?? Date.now())
  const header = valueOf(input.header)
  if (header === "") return no("missing_header", "There is no X-Service-Signature header.")
  const bytes = bytesOf(payload)
  if (bytes === undefined) return no("body_parsed", `${notRaw(payload)} ${ADVICE}`)
  const parsed = parse(header)
  if (typeof parsed === "string") return no(parsed, MALFORMED[parsed])
  const secrets = secretsOf(input.secrets)
  if (secrets.length === 0) return no("missing_secret", "No signing secret was given: is it in the environment?")
  const subtle: Subtle | undefined = globalThis.crypto?.subtle
  if (subtle === undefined) return no("no_web_crypto", "There is no crypto.subtle here. Pages have it over https only.")

  const { signatures, t } = parsed
  if (!(await anyMatches(subtle, secrets, signatures, `${t}.`, bytes))) return no("no_match", explain(bytes))
  const ageS = Math.floor(now / 1000) - Number(t)
  // A NaN in the tolerance or the clock makes both comparisons false, so the delivery is refused. The negated
  // comparisons would be false as well, and would accept every delivery.
  if (ageS >= -toleranceS && ageS <= toleranceS) return { ok: true, body: decode(bytes), signedAtS: Number(t) }
  return ageS < 0
    ? no("too_new", `It was signed ${-ageS} s ahead of this clock; the tolerance is ${toleranceS} s.`)
    : no("too_old", `It was signed ${ageS} s ago; the tolerance is ${toleranceS} s.`)
}

const no = (reason: VerifyFailure, message: string): Verification => ({ ok: false, reason, message })

// Receivers may be written in JavaScript, so the input may be anything, whatever the types say.

const valueOf = (header: unknown): string =>
  typeof header === "string" ? header : Array.isArray(header) ? header.join(",") : ""

const secretsOf = (secrets: unknown): ReadonlyArray<string> =>
  (Array.isArray(secrets) ? secrets : [secrets]).filter((one) => typeof one === "string" && one !== "")

/**
 * Whether the payload is an `ArrayBuffer`. Also true for a buffer of another realm (a frame, a test runner), for which
 * `instanceof` is false.
 */
const isBuffer = (payload: unknown): payload is ArrayBuffer =>
  Object.prototype.toString.call(payload) === "[object ArrayBuffer]"

const bytesOf = (payload: unknown): Uint8Array<ArrayBuffer> | undefined => {
  if (typeof payload === "string") return Uint8Array.from(new TextEncoder().encode(payload))
  if (isBuffer(payload)) return new Uint8Array(payload)
  // The bytes are copied, because a view may be of shared memory, which Web Crypto refuses to read.
  return ArrayBuffer.isView(payload)
    ? Uint8Array.from(new Uint8Array(payload.buffer, payload.byteOffset, payload.byteLength))
    : undefined
}

const notRaw = (payload: unknown): string =>
  payload === undefined || payload === null
    ? "There is no payload: nobody kept the body before it was parsed."
    : "The payload is an object: the body was parsed already."

/**
 * Decodes the whole body. Without `ignoreBOM`, the decoder would drop a byte order mark, which is part of the signed
 * bytes.
 */
const decode = (bytes: Uint8Array): string => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)

const MALFORMED = {
  malformed_header: "X-Service-Signature is not of the form t=<seconds>,v1=<64 hex digits>.",
  too_many_signatures: `X-Service-Signature has more than ${MAX_SIGNATURES} signatures.`
} as const

/**
 * Parses the signature header. Keeps `t` as it is written, because the signature covers that text. Ignores schemes
 * other than v1.
 */
const parse = (
  header: string
): { readonly t: string; readonly signatures: ReadonlyArray<string> } | keyof typeof MALFORMED => {
  const parts = header.split(",").map((part) => part.trim())
  const values = (name: string) =>
    parts.filter((part) => part.startsWith(`${name}=`)).map((part) => part.slice(name.length + 1))
  const [times, signatures] = [values("t"), values("v1")]
  const [t] = times
  if (t === undefined || times.length > 1 || !/^\d{1,12}$/.test(t)) return "malformed_header"
  if (signatures.length > MAX_SIGNATURES) return "too_many_signatures"
  if (signatures.length === 0 || !signatures.every((one) => /^[0-9a-f]{64}$/i.test(one))) return "malformed_header"
  return { t, signatures }
}

/**
 * Compares every secret with every signature, each in constant time. The function does not stop at the first match, so
 * that the time reveals nothing.
 */
const anyMatches = async (
  subtle: Subtle,
  secrets: ReadonlyArray<string>,
  signatures: ReadonlyArray<string>,
  prefix: string,
  bytes: Uint8Array<ArrayBuffer>
): Promise<boolean> => {
  const head = new TextEncoder().encode(prefix)
  const message = new Uint8Array(head.length + bytes.length)
  message.set(head)
  message.set(bytes, head.length)
  let matches = false
  for (const secret of secrets) {
    const key = await subtle.importKey(
      "raw",
      new TextEncoder().encode(secret),
      { name: "HMAC", hash: "SHA-256" },
      false,
      ["verify"]
    )
    for (const signature of signatures) {
      if (await subtle.verify("HMAC", key, fromHex(signature), message)) matches = true
    }
  }
  return matches
}

const fromHex = (hex: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from({ length: hex.length / 2 }, (_, index) => Number.parseInt(hex.slice(2 * index, 2 * index + 2), 16))

/**
 * Explains a mismatch. The service sends JSON as `JSON.stringify` writes it, with `event_id` first. A body of another
 * form was changed on its way.
 */
const explain = (bytes: Uint8Array): string => {
  if (bytes.length === 0) return `No signature matches, and the body is empty: something read it before. ${ADVICE}`
  const text = decode(bytes)
  return text === "[object Object]" || isRewritten(text)
    ? `No signature matches: the body was probably parsed and serialised again. ${ADVICE}`
    : "No signature matches: is this the endpoint's signing secret, and the body as it arrived?"
}

const isRewritten = (text: string): boolean => {
  try {
    const parsed: unknown = JSON.parse(text)
    if (JSON.stringify(parsed) !== text) return true
    const keys = typeof parsed === "object" && parsed !== null ? Object.keys(parsed) : []
    return keys.indexOf("event_id") > 0
  } catch {
    return false
  }
}
