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

  const check = (vector: Vector) => {
    const { header, now_s, secrets, tolerance_s } = vector
    return verify({ payload: bytesOf(vector), header, secrets, toleranceS: tolerance_s, now: now_s * 1_000 })
  }

  it.each(where(({ ok }) => ok))("verify accepts: $name", async (vector) => {
    const { body = bytesOf(vector).toString("utf8"), header } = vector
    const signedAtS = Number(/(?:^|\D)t=(\d+)/.exec(header ?? "")?.[1])
    expect(await check(vector)).toEqual({ ok: true, body, signedAtS })
  })

  it.each(where(({ ok }) => !ok))("verify refuses: $name", async (vector) => {
    expect(await check(vector)).toMatchObject({ ok: false, reason: vector.reason })
  })

  it.each(where(({ name }) => name.startsWith("serialised again")))("verify sees that it was $name", async (vector) => {
    expect(await check(vector)).toMatchObject({ message: expect.stringContaining("parsed and serialised again") })
  })

  it("the service signs as the vectors say: the same header for the same body, secrets and moment", () => {
    // The vectors whose header has exactly the form that the service writes: no other scheme, order, case or blanks.
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
        // Stripe's library takes 0 as "no check of the time", and would accept every time.
        const seconds = Math.max(tolerance_s, 0.5)
        return (
          signature?.verifyHeader(bytesOf(vector), header ?? "", secret, seconds, undefined, now_s * 1_000) === true
        )
      } catch {
        return false
      }
    })
  }

  it("answers as the vectors say, where there is no choice", () => {
    // Vectors that Stripe's library judges differently: it decodes a body before it checks the signature, accepts every
    // time in the future, and accepts an empty secret.
    const otherwise = /no UTF-8|surrogate|every byte|byte order mark|s ahead|in milliseconds|empty secret/
    const comparable = where(({ choice, name }) => choice !== true && !otherwise.test(name))
    expect(comparable.filter((vector) => accepts(vector) !== vector.ok).map(({ name }) => name)).toEqual([])
    expect(new Set(comparable.map(({ ok }) => ok)).size).toBe(2)
    expect(comparable.length).toBeGreaterThan(50)
  })
})
