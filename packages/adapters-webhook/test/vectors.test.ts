import { verify } from "@place-access/adapters-webhook/verify"
import { Signature } from "@place-access/domain/deliveries"
import { Timestamp } from "@place-access/domain/shared"
import { Stripe } from "stripe"
import { describe, expect, it } from "vitest"
import { sign } from "../src/SignatureHeader.js"
import { bytesOf, made, publish, published, type Vector } from "./support/vectors.js"

if (process.env["UPDATE_VECTORS"] === "1") publish()

const { vectors } = published()
const where = (which: (vector: Vector) => boolean) => vectors.filter(which)

describe("vectors.json", () => {
  it("is what node:crypto makes of it, without any code of ours", () => {
    expect(published()).toEqual(made)
  })

  it("has each name once, and a vector for every reason that a delivery can be refused for", () => {
    expect(new Set(vectors.map(({ name }) => name)).size).toBe(vectors.length)
    expect(new Set(where(({ ok }) => !ok).map(({ reason }) => reason))).toEqual(
      new Set([
        "missing_header",
        "malformed_header",
        "too_many_signatures",
        "missing_secret",
        "no_match",
        "too_old",
        "too_new"
      ])
    )
  })

  it.each(vectors)("verify: $name", async (vector) => {
    const { header, now_s, ok, reason, secrets, tolerance_s } = vector
    const payload = bytesOf(vector)
    const result = await verify({ payload, header, secrets, toleranceS: tolerance_s, now: now_s * 1_000 })
    expect(result.ok ? { ok: true, reason: null } : { ok: false, reason: result.reason }).toEqual({ ok, reason })
    if (result.ok && vector.body !== undefined) expect(result.body).toBe(vector.body)
    if (vector.name.startsWith("serialised again")) {
      expect(result).toMatchObject({ message: expect.stringContaining("parsed and serialised again") })
    }
  })

  it("the service signs as the vectors say: the same header for the same body, secrets and moment", () => {
    // As it would be written by us: no other scheme, order, case or blanks.
    const ours = where(
      ({ body, header, ok }) => ok && body !== undefined && /^t=\d+,v1=[0-9a-f]{64}$/.test(header ?? "")
    )
    for (const { body = "", header, secrets } of ours) {
      const at = Timestamp.make(Number(/\d+/.exec(header ?? "")?.[0]) * 1_000 + 999)
      const headers = secrets.map((secret) => Signature.header(at, [sign(secret, Signature.message(at, body))]))
      expect(headers).toContain(header)
    }
    const [first, second] = where(({ name }) => name.startsWith("rotation: two signatures"))
    const [secret = "", old = ""] = [first?.secrets[0], second?.secrets[0]]
    const at = Timestamp.make((first?.now_s ?? 0) * 1_000)
    const message = Signature.message(at, first?.body ?? "")
    expect(Signature.header(at, [sign(secret, message), sign(old, message)])).toBe(first?.header)
    expect(ours.length).toBeGreaterThan(10)
  })
})

describe("Stripe's library, which knows nothing of us", () => {
  const accepts = (vector: Vector): boolean => {
    const { header, now_s, secrets, tolerance_s } = vector
    return secrets.some((secret) => {
      try {
        const { signature } = Stripe.webhooks
        // No tolerance is none to it: 0 would let everything pass.
        const seconds = Math.max(tolerance_s, 0.5)
        return (
          signature?.verifyHeader(bytesOf(vector), header ?? "", secret, seconds, undefined, now_s * 1_000) === true
        )
      } catch {
        return false
      }
    })
  }

  it("accepts what is genuine and fresh", () => {
    // It decodes bodies before it checks them, and takes a header only as it is usually written.
    const stricter = /no UTF-8|surrogate|every byte|byte order mark|upper-case|blanks around|comma at the end/
    const comparable = where(({ name, ok }) => ok && !stricter.test(name))
    expect(comparable.filter((vector) => !accepts(vector)).map(({ name }) => name)).toEqual([])
    expect(comparable.length).toBeGreaterThan(15)
  })

  it("refuses what is not, and what is old", () => {
    // It reads the time as a number and forgets how it was written.
    const laxer = /a nought in front/
    const refused = where(({ name, reason }) => (reason === "no_match" || reason === "too_old") && !laxer.test(name))
    expect(refused.filter(accepts).map(({ name }) => name)).toEqual([])
    expect(refused.length).toBeGreaterThan(20)
  })
})
