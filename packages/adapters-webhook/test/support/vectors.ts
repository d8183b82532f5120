import { createHmac } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import type { VerifyFailure } from "@place-access/adapters-webhook/verify"

/** One vector of vectors.json, for checkers in any language. */
export interface Vector {
  readonly name: string
  readonly secrets: ReadonlyArray<string>
  /** The value of `X-Service-Signature`; null if the request had no such header. */
  readonly header: string | null
  /** The body as UTF-8 text, or as hex if it is not text. */
  readonly body?: string
  readonly body_hex?: string
  /** The time of the receiver in Unix seconds. */
  readonly now_s: number
  readonly tolerance_s: number
  readonly ok: boolean
  /** The reason that `verify` gives; null if the delivery is genuine. Another checker may use other names. */
  readonly reason: VerifyFailure | null
  /** True if a correct checker may give another result. */
  readonly choice?: true
}

interface File {
  readonly about: ReadonlyArray<string>
  readonly vectors: ReadonlyArray<Vector>
}

const PATH = new URL("../../vectors.json", import.meta.url)

export const published = (): File => JSON.parse(readFileSync(PATH, "utf8"))

export const bytesOf = (vector: Vector): Buffer =>
  vector.body_hex === undefined ? Buffer.from(vector.body ?? "", "utf8") : Buffer.from(vector.body_hex, "hex")

// Makes the vectors. The code below does not use the service's signing code, so that a vector is an independent check.

const SECRET = "whsec_2h7w4m9kz0qv6y1c8t3n5xj0b4f7d9g2p6r8s1a3e5u7i9o0lxkq"
const OLD = "whsec_9r3k6x1z5m8v0b2n4q7w9y1t3c6f8h0j2d4g7p9s1a3e5u8i0oql"
const OTHER = "whsec_0a1b2c3d4e5f6g7h8j9k0m1n2p3q4r5s6t7v8w9x0y1z2a3b4c5d"
const T = 1_768_478_400

const BODY = JSON.stringify({
  event_id: "evt_2f6c1d9a7b3e",
  app_id: "app_4b8e0c2d6f1a",
  endpoint_id: "ep_7d3a9f5c1e0b",
  type: "place.enter",
  occurred_at: "2026-01-15T11:59:58.250Z",
  grant_id: "con_5e1b7d3f9a2c",
  rule_id: "rule_8c4e2a6f0d1b",
  target: { place_id: "pl_1a5c9e3b7d0f", label: 'Mum’s "house" \\ Grüße 東京 🏡' }
})

const hmac = (secret: string, bytes: Uint8Array, t: number | string = T): string =>
  createHmac("sha256", Buffer.from(secret, "utf8"))
    .update(Buffer.concat([Buffer.from(`${t}.`, "ascii"), bytes]))
    .digest("hex")

const header = (body: string | Uint8Array, ...secrets: ReadonlyArray<string>): string =>
  [`t=${T}`, ...secrets.map((secret) => `v1=${hmac(secret, Buffer.from(body))}`)].join(",")

const v1 = hmac(SECRET, Buffer.from(BODY))
const noise = (index: number): string => `v1=${hmac(OTHER, Buffer.from(String(index)))}`
const flip = (hex: string, index: number): string =>
  hex.slice(0, index) + (hex[index] === "0" ? "1" : "0") + hex.slice(index + 1)

type Part = Partial<Omit<Vector, "name" | "ok" | "reason" | "choice">>

const one = (name: string, reason: VerifyFailure | null, { body, body_hex, ...part }: Part = {}): Vector => ({
  name,
  secrets: [SECRET],
  header: header(BODY, SECRET),
  ...(body_hex === undefined ? { body: body ?? BODY } : { body_hex }),
  now_s: T,
  tolerance_s: 60,
  ...part,
  ok: reason === null,
  reason
})

/** A genuine vector: this body with its correct signature. */
const signed = (name: string, body: string): Vector => one(name, null, { body, header: header(body, SECRET) })
const signedBytes = (name: string, body_hex: string): Vector =>
  one(name, null, { body_hex, header: header(Buffer.from(body_hex, "hex"), SECRET) })
/** A vector with the usual body and this header. */
const headed = (name: string, reason: VerifyFailure | null, value: string | null): Vector =>
  one(name, reason, { header: value })

/** Marks a vector whose result is a choice of `verify`: another checker may read the header more or less strictly. */
const chosen = (vector: Vector): Vector => ({ ...vector, choice: true })

const rotating = header(BODY, SECRET, OLD)
const parsed = JSON.parse(BODY)
const sorted = JSON.stringify(Object.fromEntries(Object.entries(parsed).sort(([a], [b]) => (a < b ? -1 : 1))))
const escaped = BODY.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
/** A body that ends within the bytes of "東": the third byte is missing. */
const cut = Buffer.from(BODY).subarray(0, Buffer.from(BODY).indexOf(Buffer.from("東")) + 2)

const bodies: ReadonlyArray<Vector> = [
  one("genuine", null),
  signed("genuine: a ping", '{"event_id":"evt_1","type":"ping"}'),
  signed("genuine: an empty body", ""),
  signed("genuine: blanks and line ends are signed like any other bytes", ' {\r\n\t"type": "ping"\n}\n'),
  signed("genuine: a body that is no JSON", "type=ping&event_id=evt_1"),
  signed("genuine: a byte order mark is signed like any other bytes", '\uFEFF{"type":"ping"}'),
  signed("genuine: NUL bytes", "a\0b\0"),
  signed("genuine: text that normalisation would change", "e\u0301 \u00e9 \u212b"),
  signedBytes("genuine: bytes that are no UTF-8", "7b2261223a22ff80c0ae227d"),
  signedBytes("genuine: half of a surrogate pair, as some encoders write it", "7b2261223a22eda0bd227d"),
  signedBytes(
    "genuine: every byte there is",
    Buffer.from(Uint8Array.from({ length: 256 }, (_, i) => i)).toString("hex")
  ),
  one("one byte of the body is changed", "no_match", { body: BODY.replace("place.enter", "place.exit") }),
  one("the body is empty, the signature is another's", "no_match", { body: "" }),
  one("the body is cut in the middle of a character", "no_match", { body_hex: cut.toString("hex") }),
  one("bytes that are no UTF-8, replaced on the way", "no_match", {
    header: header(Buffer.from("7b2261223a22ff80227d", "hex"), SECRET),
    body: '{"a":"\uFFFD\uFFFD"}'
  }),
  one("serialised again: indented", "no_match", { body: JSON.stringify(parsed, null, 2) }),
  one("serialised again: a blank after each colon", "no_match", { body: BODY.replaceAll('":', '": ') }),
  one("serialised again: keys sorted", "no_match", { body: sorted }),
  one("serialised again: what is not ASCII is escaped", "no_match", { body: escaped }),
  one("serialised again: a line end added", "no_match", { body: `${BODY}\n` }),
  one("serialised again: an object turned to text", "no_match", { body: "[object Object]" })
]

const secrets: ReadonlyArray<Vector> = [
  one("rotation: two signatures, the receiver knows the new secret", null, { header: rotating }),
  one("rotation: two signatures, the receiver knows the old secret", null, { header: rotating, secrets: [OLD] }),
  one("rotation: one signature by the new secret, the receiver knows both", null, { secrets: [SECRET, OLD] }),
  one("rotation: one signature by the old secret, the receiver knows both", null, {
    header: header(BODY, OLD),
    secrets: [SECRET, OLD]
  }),
  one("rotation is over: the receiver still has the old secret alone", "no_match", { secrets: [OLD] }),
  one("another secret", "no_match", { secrets: [OTHER] }),
  one("the key is all of the secret: not without whsec_", "no_match", { header: header(BODY, SECRET.slice(6)) }),
  one("the key is the secret's text, not what it would be in base64", "no_match", {
    header: `t=${T},v1=${createHmac("sha256", Buffer.from(SECRET.slice(6), "base64"))
      .update(`${T}.${BODY}`)
      .digest("hex")}`
  }),
  one("the body alone is signed, without the time", "no_match", {
    header: `t=${T},v1=${createHmac("sha256", SECRET).update(BODY).digest("hex")}`
  }),
  one("no secret is known", "missing_secret", { secrets: [] }),
  one("an empty secret is no secret, even if it signed", "missing_secret", { header: header(BODY, ""), secrets: [""] })
]

const signatures: ReadonlyArray<Vector> = [
  headed("the first digit of the signature is changed", "no_match", `t=${T},v1=${flip(v1, 0)}`),
  headed("the last digit of the signature is changed", "no_match", `t=${T},v1=${flip(v1, 63)}`),
  headed("the right signature is the last of eight", null, `t=${T},${[1, 2, 3, 4, 5, 6, 7].map(noise)},v1=${v1}`),
  headed("eight signatures, none of them right", "no_match", `t=${T},${[1, 2, 3, 4, 5, 6, 7, 8].map(noise)}`),
  chosen(
    headed(
      "nine signatures are refused, though the first is right",
      "too_many_signatures",
      `t=${T},v1=${v1},${[1, 2, 3, 4, 5, 6, 7, 8].map(noise)}`
    )
  ),
  chosen(headed("upper-case hex is hex", null, `t=${T},v1=${v1.toUpperCase()}`)),
  headed("signatures of other schemes are passed over", null, `t=${T},v0=${v1},v1=${v1},v2=abc,v10=${v1}`),
  headed("a right signature under another scheme is none", "malformed_header", `t=${T},v0=${v1}`),
  headed("names are case-sensitive", "malformed_header", `T=${T},V1=${v1}`)
]

const times: ReadonlyArray<Vector> = [
  one("60 s old", null, { now_s: T + 60 }),
  one("61 s old", "too_old", { now_s: T + 61 }),
  one("60 s ahead", null, { now_s: T - 60 }),
  one("61 s ahead", "too_new", { now_s: T - 61 }),
  one("300 s old, with a tolerance of 300 s", null, { now_s: T + 300, tolerance_s: 300 }),
  one("301 s old, with a tolerance of 300 s", "too_old", { now_s: T + 301, tolerance_s: 300 }),
  one("300 s ahead, with a tolerance of 300 s", null, { now_s: T - 300, tolerance_s: 300 }),
  one("1 s old, with no tolerance", "too_old", { now_s: T + 1, tolerance_s: 0 }),
  one("this very second, with no tolerance", null, { tolerance_s: 0 }),
  one("two times, the signed one first: it is old, and the other is not", "malformed_header", {
    header: `t=${T},t=${T + 3_600},v1=${v1}`,
    now_s: T + 3_600
  }),
  one("two times, the signed one last: it is old, and the other is not", "malformed_header", {
    header: `t=${T + 3_600},t=${T},v1=${v1}`,
    now_s: T + 3_600
  }),
  headed("another time than the signed one", "no_match", `t=${T + 1},v1=${v1}`),
  chosen(headed("the time is signed as it is written: not with a nought in front", "no_match", `t=0${T},v1=${v1}`)),
  one("a genuine signature of long ago, played again", "too_old", { now_s: T + 86_400 }),
  one("old, and by another secret: not genuine comes first", "no_match", { now_s: T + 86_400, secrets: [OTHER] })
]

const headers: ReadonlyArray<Vector> = [
  headed("no header", "missing_header", null),
  headed("an empty header", "missing_header", ""),
  headed("not of this form", "malformed_header", `sha256=${v1}`),
  headed("no signature", "malformed_header", `t=${T}`),
  headed("no time", "malformed_header", `v1=${v1}`),
  headed("an empty signature", "malformed_header", `t=${T},v1=`),
  chosen(headed("a right signature and an empty one", "malformed_header", `t=${T},v1=${v1},v1=`)),
  headed("63 digits", "malformed_header", `t=${T},v1=${v1.slice(1)}`),
  headed("65 digits", "malformed_header", `t=${T},v1=${v1}0`),
  headed("64 characters that are not all hex", "malformed_header", `t=${T},v1=${v1.slice(0, 63)}g`),
  headed("base64", "malformed_header", `t=${T},v1=${Buffer.from(v1, "hex").toString("base64")}`),
  headed("an empty time", "malformed_header", `t=,v1=${v1}`),
  headed("a negative time", "malformed_header", `t=-${T},v1=${v1}`),
  chosen(headed("a signed time", "malformed_header", `t=+${T},v1=${v1}`)),
  chosen(headed("a time with a fraction", "malformed_header", `t=${T}.0,v1=${v1}`)),
  headed("a time in milliseconds", "malformed_header", `t=${T}000,v1=${hmac(SECRET, Buffer.from(BODY), `${T}000`)}`),
  headed("a time of twenty digits", "malformed_header", `t=${"9".repeat(20)},v1=${v1}`),
  headed("a time with an exponent", "malformed_header", `t=1.768e9,v1=${v1}`),
  headed("a time in hex", "malformed_header", `t=0x${T.toString(16)},v1=${v1}`),
  headed("a time in other digits than ASCII", "malformed_header", `t=${"１".repeat(10)},v1=${v1}`),
  chosen(headed("two times", "malformed_header", `t=${T},t=${T + 1},v1=${v1}`)),
  chosen(
    headed("two headers, which servers join with a comma", "malformed_header", `t=${T},v1=${v1}, t=${T},v1=${v1}`)
  ),
  chosen(headed("the time after the signature", null, `v1=${v1},t=${T}`)),
  chosen(headed("blanks around the commas", null, ` t=${T} , v1=${v1} `)),
  chosen(headed("a comma at the end", null, `t=${T},v1=${v1},`))
]

const ABOUT = [
  "Test vectors for X-Service-Signature: t=<unix seconds>,v1=<hex>[,v1=<hex>...]",
  "v1 is HMAC-SHA256 in hex. Its key is the UTF-8 bytes of a whole secret, whsec_ included; its message is t as it is written, a dot, and the bytes of the body as they arrived.",
  "A delivery is genuine if any v1 matches any of the secrets, of at most 8; it is accepted if t is at most tolerance_s from now_s, before or after.",
  "body is text, to be encoded as UTF-8; body_hex is bytes. header is null where there was none.",
  "ok says what a checker must answer; with choice it may answer otherwise, and has no hole. reason is what ours calls it; not genuine comes before too old."
]

/**
 * The vectors to publish. To write the file again: `UPDATE_VECTORS=1 npx vitest run
 * packages/adapters-webhook/test/vectors.test.ts`.
 */
export const made: File = { about: ABOUT, vectors: [bodies, secrets, signatures, times, headers].flat() }

export const publish = (): void => writeFileSync(PATH, `${JSON.stringify(made, null, 2)}\n`)
