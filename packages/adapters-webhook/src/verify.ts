/**
 * What the receiver of our webhooks imports: checks that a delivery came from us and is fresh (Spec §6.4). It has no dependency
 * and uses Web Crypto, so it runs in Node, Deno, Bun, workers and browsers alike.
 *
 * ```ts
 * const result = await verify({ payload: rawBody, header: request.headers.get("x-service-signature"), secrets: SECRET })
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
  SensitiveScope,
  WebhookEvent
} from "./WebhookEvent.js"

export interface VerifyInput {
  /** The body exactly as it arrived: bytes or text, before any parsing. */
  readonly payload: string | Uint8Array | ArrayBuffer
  /** `X-Service-Signature`, as your server gives it: a value, or a list of them. */
  readonly header: string | ReadonlyArray<string> | null | undefined
  /** The endpoint's signing secret; for a while after a rotation, the new and the old one. */
  readonly secrets: string | ReadonlyArray<string>
  /** How far `t` may be from now, either way, in seconds; 60 when absent. */
  readonly toleranceS?: number
  /** Milliseconds since 1970; the clock's when absent. */
  readonly now?: number
}

export type Reason =
  /** there is no `X-Service-Signature` */
  | "missing_header"
  /** it is not `t=…,v1=…` */
  | "malformed_header"
  /** it has more than eight signatures */
  | "too_many_signatures"
  /** the caller gave no secret */
  | "missing_secret"
  /** an object was given instead of the raw body, or nothing at all */
  | "body_parsed"
  /** no signature matches: another secret, a changed body, or not from us */
  | "no_match"
  /** genuine, but signed longer ago than the tolerance */
  | "too_old"
  /** genuine, but signed further ahead of this clock than the tolerance */
  | "too_new"
  /** this runtime has no `crypto.subtle`, like a page that did not come over https */
  | "no_web_crypto"

export type Verification =
  | {
      readonly ok: true
      /** The body as text: parse this. */
      readonly body: string
      /** When it was signed, in seconds since 1970. */
      readonly signedAtS: number
    }
  | { readonly ok: false; readonly reason: Reason; /** For your log. */ readonly message: string }

export const DEFAULT_TOLERANCE_S = 60
/** More signatures than this are not looked at. */
export const MAX_SIGNATURES = 8

type Subtle = typeof globalThis.crypto.subtle

const ADVICE = "Pass the raw body, as it arrived, from before any JSON middleware."

/** Whatever is wrong with a delivery or a secret is a `reason`: nothing is thrown. Strangers need not be told which. */
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
  // The other way round, a tolerance or clock that is NaN would let everything pass.
  if (ageS >= -toleranceS && ageS <= toleranceS) return { ok: true, body: decode(bytes), signedAtS: Number(t) }
  return ageS < 0
    ? no("too_new", `It was signed ${-ageS} s ahead of this clock; the tolerance is ${toleranceS} s.`)
    : no("too_old", `It was signed ${ageS} s ago; the tolerance is ${toleranceS} s.`)
}

const no = (reason: Reason, message: string): Verification => ({ ok: false, reason, message })

// Receivers are also written in JavaScript: what arrives here may be anything, whatever the types say.

const valueOf = (header: unknown): string =>
  typeof header === "string" ? header : Array.isArray(header) ? header.join(",") : ""

const secretsOf = (secrets: unknown): ReadonlyArray<string> =>
  (Array.isArray(secrets) ? secrets : [secrets]).filter((one) => typeof one === "string" && one !== "")

/** A buffer of another realm (a frame, a test runner's) is no `instanceof` this one's. */
const isBuffer = (payload: unknown): payload is ArrayBuffer =>
  Object.prototype.toString.call(payload) === "[object ArrayBuffer]"

const bytesOf = (payload: unknown): Uint8Array<ArrayBuffer> | undefined => {
  if (typeof payload === "string") return Uint8Array.from(new TextEncoder().encode(payload))
  if (isBuffer(payload)) return new Uint8Array(payload)
  // A copy, so that a view of shared memory is one too.
  return ArrayBuffer.isView(payload)
    ? Uint8Array.from(new Uint8Array(payload.buffer, payload.byteOffset, payload.byteLength))
    : undefined
}

const notRaw = (payload: unknown): string =>
  payload === undefined || payload === null
    ? "There is no payload: nobody kept the body before it was parsed."
    : "The payload is an object: the body was parsed already."

/** All of the text: without the option a byte order mark would be dropped. */
const decode = (bytes: Uint8Array): string => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)

const MALFORMED = {
  malformed_header: "X-Service-Signature is not of the form t=<seconds>,v1=<64 hex digits>.",
  too_many_signatures: `X-Service-Signature has more than ${MAX_SIGNATURES} signatures.`
} as const

/** `t` as it is written, because it is signed as it is written. Schemes other than v1 are passed over. */
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

/** Every secret with every signature, each compared in constant time, without stopping at the first that matches. */
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

/** What we send is JSON as `JSON.stringify` writes it, `event_id` first; a body that is not went through somebody's hands. */
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
