/**
 * What the receiver of our webhooks imports: checks that a delivery came from us and is fresh (Spec §6.4). It has no dependency
 * and uses Web Crypto, so it runs in Node, Deno, Bun, workers and browsers alike.
 *
 * ```ts
 * const result = await verify({ payload: rawBody, header: request.headers.get("x-service-signature"), secrets: SECRET })
 * if (!result.ok) return new Response(result.message, { status: 400 })
 * const event = JSON.parse(result.body)
 * // Deliveries are at-least-once: skip an `event.event_id` that was handled before.
 * ```
 */

export interface VerifyInput {
  /** The body exactly as it arrived: bytes or text, before any parsing. */
  readonly payload: string | Uint8Array | ArrayBuffer
  /** The value of `X-Service-Signature`. */
  readonly header: string | null | undefined
  /** The endpoint's signing secret; for a while after a rotation, the old and the new one. */
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
  /** an object was given instead of the raw body */
  | "body_parsed"
  /** no signature matches: another secret, a changed body, or not from us */
  | "no_match"
  /** genuine, but signed longer ago than the tolerance */
  | "too_old"
  /** genuine, but signed further ahead of this clock than the tolerance */
  | "too_new"

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

const ADVICE = "Pass the raw body, as it arrived, from before any JSON middleware."

/** Never throws: whatever is wrong is a `reason`. */
export const verify = async (input: VerifyInput): Promise<Verification> => {
  // @effect-diagnostics-next-line globalDate:off -- receivers have no Clock
  const { header, now = Date.now(), payload, toleranceS = DEFAULT_TOLERANCE_S } = input
  if (header === null || header === undefined || header === "") {
    return no("missing_header", "There is no X-Service-Signature header.")
  }
  const bytes = bytesOf(payload)
  if (bytes === undefined) return no("body_parsed", `The payload is an object: the body was parsed already. ${ADVICE}`)
  const parsed = parse(header)
  if (typeof parsed === "string") return no(parsed, MALFORMED[parsed])
  const secrets = (typeof input.secrets === "string" ? [input.secrets] : input.secrets).filter((one) => one !== "")
  if (secrets.length === 0) return no("missing_secret", "No signing secret was given.")

  const { signatures, t } = parsed
  if (!(await anyMatches(secrets, signatures, `${t}.`, bytes))) return no("no_match", explain(bytes))
  const ageS = Math.floor(now / 1000) - Number(t)
  if (ageS > toleranceS) return no("too_old", `It was signed ${ageS} s ago; the tolerance is ${toleranceS} s.`)
  if (-ageS > toleranceS) {
    return no("too_new", `It was signed ${-ageS} s ahead of this clock; the tolerance is ${toleranceS} s.`)
  }
  return { ok: true, body: new TextDecoder().decode(bytes), signedAtS: Number(t) }
}

const no = (reason: Reason, message: string): Verification => ({ ok: false, reason, message })

const bytesOf = (payload: unknown): Uint8Array<ArrayBuffer> | undefined => {
  if (typeof payload === "string") return Uint8Array.from(new TextEncoder().encode(payload))
  if (payload instanceof ArrayBuffer) return new Uint8Array(payload)
  // A copy, so that a view of shared memory is one too.
  return ArrayBuffer.isView(payload)
    ? Uint8Array.from(new Uint8Array(payload.buffer, payload.byteOffset, payload.byteLength))
    : undefined
}

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
  secrets: ReadonlyArray<string>,
  signatures: ReadonlyArray<string>,
  prefix: string,
  bytes: Uint8Array<ArrayBuffer>
): Promise<boolean> => {
  const { subtle } = globalThis.crypto
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

/** What we send is JSON as `JSON.stringify` writes it; a body that is not went through somebody's hands. */
const explain = (bytes: Uint8Array): string => {
  if (bytes.length === 0) return `No signature matches, and the body is empty: something read it before. ${ADVICE}`
  const text = new TextDecoder().decode(bytes)
  return text === "[object Object]" || isRewritten(text)
    ? `No signature matches: the body was probably parsed and serialised again. ${ADVICE}`
    : "No signature matches: is this the endpoint's signing secret, and the body as it arrived?"
}

const isRewritten = (text: string): boolean => {
  try {
    return JSON.stringify(JSON.parse(text)) !== text
  } catch {
    return false
  }
}
