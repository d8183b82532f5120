import { createHmac } from "node:crypto"
import { runInNewContext } from "node:vm"
import { sign } from "../src/SignatureHeader.js"
import { MAX_SIGNATURES, type VerifyInput, verify } from "@place-access/adapters-webhook/verify"
import { Signature } from "@place-access/domain/deliveries"
import { EndpointUrl } from "@place-access/domain/endpoints"
import { Timestamp } from "@place-access/domain/shared"
import { Effect, FastCheck as fc } from "effect"
import { Stripe } from "stripe"
import { describe, expect, it, vi } from "vitest"
import { insecure, receiver, withSender } from "./support/receiver.js"

const SECRET = "whsec_0123456789abcdefghjkmnpqrstvwxyz"
const OLD = "whsec_old3456789abcdefghjkmnpqrstvwxyz"
const NOW = Timestamp.make(1_768_478_400_123)
const BODY = JSON.stringify({ event_id: "evt_1", target: { label: 'Mum\'s "place" \\ 🏡 ß' } })

const header = (body: string, ...secrets: ReadonlyArray<string>) =>
  Signature.header(
    NOW,
    secrets.map((secret) => sign(secret, Signature.message(NOW, body)))
  )

const check = (overrides: Partial<VerifyInput> = {}) =>
  verify({ payload: BODY, header: header(BODY, SECRET), secrets: SECRET, now: NOW, ...overrides })

const reason = async (overrides: Partial<VerifyInput>) => {
  const result = await check(overrides)
  return result.ok ? "fine" : result.reason
}

describe("what we sign", () => {
  it("is what RFC 2104 says of these bytes, with the whole secret as the key [§6.4.2, deliveries-15]", () => {
    const message = `${Math.floor(NOW / 1_000)}.${BODY}`
    expect(sign(SECRET, message)).toBe(createHmac("sha256", Buffer.from(SECRET)).update(message, "utf8").digest("hex"))
    // The command `printf '1.{}' | openssl dgst -sha256 -hmac key` prints the expected value.
    expect(sign("key", "1.{}")).toBe("1ba6b8171186efc613e8bcc0cbdab2748f24984d7c5a84faa2637afa0e40d224")
  })

  const stripe = new Stripe("sk_test_of_no_account")
  const accepts = (body: string, value: string, secret: string) =>
    stripe.webhooks.signature?.verifyHeader(body, value, secret, 60, undefined, NOW)

  it("Stripe's library, which knows nothing of us, accepts it [§6.4.2, deliveries-15]", () => {
    expect(accepts(BODY, header(BODY, SECRET), SECRET)).toBe(true)
  })

  it("also during a rotation, with either secret", () => {
    const rotating = header(BODY, SECRET, OLD)
    expect(rotating.match(/v1=/g)?.length).toBe(2)
    expect(accepts(BODY, rotating, SECRET)).toBe(true)
    expect(accepts(BODY, rotating, OLD)).toBe(true)
    expect(() => accepts(BODY, rotating, `${SECRET}x`)).toThrow(/No signatures found/)
  })

  it("on bytes that went through a socket", async () => {
    const { port, received } = await receiver()
    await withSender(insecure, (sender) =>
      sender.post(
        EndpointUrl.EndpointUrl.make(`http://hooks.example.com:${port}/`),
        [[Signature.HEADER, header(BODY, SECRET, OLD)]],
        BODY
      )
    )
    const [request] = received
    const value = String(request?.headers["x-service-signature"])
    expect(stripe.webhooks.signature?.verifyHeader(request?.body ?? "", value, OLD, 60, undefined, NOW)).toBe(true)
    expect(await verify({ payload: request?.body ?? "", header: value, secrets: OLD, now: NOW })).toMatchObject({
      ok: true
    })
  })

  it("for any body and secrets both libraries agree", async () => {
    const secret = fc.stringMatching(/^whsec_[0-9a-z]{52}$/)
    await fc.assert(
      fc.asyncProperty(
        fc.fullUnicodeString(),
        fc.array(secret, { minLength: 1, maxLength: 8 }),
        async (text, secrets) => {
          const body = JSON.stringify({ text })
          const value = header(body, ...secrets)
          for (const one of secrets) {
            expect(accepts(body, value, one)).toBe(true)
            expect(await verify({ payload: body, header: value, secrets: one, now: NOW })).toMatchObject({
              ok: true,
              body
            })
          }
        }
      ),
      { numRuns: 50 }
    )
  })
})

describe("verify", () => {
  it("accepts what is genuine and fresh, and gives the body to parse", async () => {
    expect(await check()).toEqual({ ok: true, body: BODY, signedAtS: Math.floor(NOW / 1_000) })
  })

  it("takes text, bytes, a view into bytes and a buffer alike", async () => {
    const bytes = new TextEncoder().encode(BODY)
    const padded = new Uint8Array([1, 2, ...bytes, 3])
    for (const payload of [bytes, Buffer.from(BODY), padded.subarray(2, -1), bytes.buffer as ArrayBuffer]) {
      expect(await check({ payload })).toMatchObject({ ok: true, body: BODY })
    }
  })

  it("any of the caller's secrets may match any of the signatures", async () => {
    const rotating = header(BODY, SECRET, OLD)
    expect(await reason({ header: rotating, secrets: OLD })).toBe("fine")
    expect(await reason({ header: rotating, secrets: [SECRET] })).toBe("fine")
    expect(await reason({ header: header(BODY, SECRET), secrets: [OLD, SECRET] })).toBe("fine")
    expect(await reason({ header: header(BODY, SECRET), secrets: [OLD] })).toBe("no_match")
  })

  it.each([
    [59_999, "fine"],
    [60_000, "fine"],
    [60_999 - 123, "fine"],
    [61_000, "too_old"],
    [-59_000, "fine"],
    [-60_123, "fine"],
    [-60_124, "too_new"]
  ])("%i ms after the signing: %s [deliveries-15]", async (after, expected) => {
    expect(await reason({ now: NOW + after })).toBe(expected)
  })

  it("another tolerance is another tolerance, in both directions [§6.4.4-receivers]", async () => {
    expect(await reason({ now: NOW + 300_000, toleranceS: 300 })).toBe("fine")
    expect(await reason({ now: NOW - 300_000, toleranceS: 300 })).toBe("fine")
    expect(await reason({ now: NOW + 301_000, toleranceS: 300 })).toBe("too_old")
    expect(await reason({ now: NOW + 1_000, toleranceS: 0 })).toBe("too_old")
  })

  it("reads the clock when it is given none", async () => {
    const now = Timestamp.make(Date.now())
    const value = Signature.header(now, [sign(SECRET, Signature.message(now, BODY))])
    expect(await verify({ payload: BODY, header: value, secrets: SECRET })).toMatchObject({ ok: true })
    expect(await verify({ payload: BODY, header: header(BODY, SECRET), secrets: SECRET })).toMatchObject({ ok: false })
  })

  const v1 = sign(SECRET, Signature.message(NOW, BODY))
  const t = Math.floor(NOW / 1_000)
  it.each([
    [undefined, "missing_header"],
    [null, "missing_header"],
    ["", "missing_header"],
    ["nonsense", "malformed_header"],
    [`t=${t}`, "malformed_header"],
    [`v1=${v1}`, "malformed_header"],
    [`t=${t},v1=`, "malformed_header"],
    [`t=${t},v1=${v1.slice(1)}`, "malformed_header"],
    [`t=${t},v1=${v1}0`, "malformed_header"],
    [`t=${t},v1=${"z".repeat(64)}`, "malformed_header"],
    [`t=,v1=${v1}`, "malformed_header"],
    [`t=-1,v1=${v1}`, "malformed_header"],
    [`t=1e9,v1=${v1}`, "malformed_header"],
    [`t=${t}.5,v1=${v1}`, "malformed_header"],
    [`t=${t},t=${t + 1},v1=${v1}`, "malformed_header"],
    [`t=${"9".repeat(13)},v1=${v1}`, "malformed_header"],
    [`t=${t},v0=${v1}`, "malformed_header"],
    [`t=${t + 1},v1=${v1}`, "no_match"],
    [`t=0${t},v1=${v1}`, "no_match"],
    [`t=${t},v1=${"0".repeat(64)}`, "no_match"],
    [`t=${t},v1=${v1}`, "fine"],
    [`v1=${v1},t=${t}`, "fine"],
    [`t=${t}, v1=${v1}`, "fine"],
    [`t=${t},v1=${v1.toUpperCase()}`, "fine"],
    [`t=${t},v0=abc,v2=def,v1=${v1}`, "fine"]
  ])("header %j: %s", async (value, expected) => {
    expect(await reason({ header: value })).toBe(expected)
  })

  it("eight signatures are looked at, nine are refused unread [§6.4.4-receivers, deliveries-15]", async () => {
    const other = "0".repeat(64)
    const many = (count: number) =>
      `t=${t},${Array.from({ length: count - 1 }, () => `v1=${other}`).join(",")},v1=${v1}`
    expect(await reason({ header: many(MAX_SIGNATURES) })).toBe("fine")
    expect(await reason({ header: many(MAX_SIGNATURES + 1) })).toBe("too_many_signatures")
    expect(await reason({ header: many(5_000) })).toBe("too_many_signatures")
  })

  it("without a secret nothing is genuine, not even what is signed with an empty one", async () => {
    const empty = header(BODY, "")
    for (const secrets of ["", [], [""]]) expect(await reason({ header: empty, secrets })).toBe("missing_secret")
  })

  it("an old signature and a wrong one get different errors: only what is genuine can be late", async () => {
    expect(await reason({ now: NOW + 3_600_000, secrets: OLD })).toBe("no_match")
  })

  it("any change of the body is noticed", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(BODY.length - 1), fc.constantFrom("", "x", " "), async (index, instead) => {
        const changed = BODY.slice(0, index) + instead + BODY.slice(index + 1)
        return changed === BODY || (await reason({ payload: changed })) === "no_match"
      })
    )
  })
})

describe("whatever a receiver's code gives it, verify does not throw and does not believe", () => {
  const given = (overrides: object) => reason(overrides as Partial<VerifyInput>)

  it("a secret that is missing from the environment", async () => {
    for (const secrets of [undefined, null, 7, [undefined], [null, ""]]) {
      expect(await given({ secrets })).toBe("missing_secret")
    }
    expect(await given({ secrets: [undefined, SECRET] })).toBe("fine")
  })

  it("a tolerance or a clock that is not a number lets nothing pass", async () => {
    for (const toleranceS of [Number.NaN, Number("sixty"), -1]) expect(await given({ toleranceS })).toBe("too_old")
    for (const now of [Number.NaN, "yesterday"]) expect(await given({ now })).toBe("too_old")
    expect(await given({ now: BigInt(NOW) })).toBe("fine")
  })

  it("a header as a list, which some servers give: its values are one header's", async () => {
    expect(await given({ header: [header(BODY, SECRET)] })).toBe("fine")
    expect(await given({ header: [] })).toBe("missing_header")
    expect(await given({ header: [header(BODY, SECRET), header(BODY, SECRET)] })).toBe("malformed_header")
    expect(await given({ header: 7 })).toBe("missing_header")
  })

  it("a buffer of another realm, as test runners and frames have them", async () => {
    const payload = runInNewContext("Uint8Array.from(bytes).buffer", { bytes: Buffer.from(BODY) })
    expect(payload instanceof ArrayBuffer).toBe(false)
    expect(await given({ payload })).toBe("fine")
  })

  it("a runtime without Web Crypto is named", async () => {
    vi.stubGlobal("crypto", {})
    try {
      expect(await given({})).toBe("no_web_crypto")
    } finally {
      vi.unstubAllGlobals()
    }
  })

  it("a byte order mark is signed like any other bytes, and stays in the body", async () => {
    const body = `\uFEFF${BODY}`
    expect(await check({ payload: body, header: header(body, SECRET) })).toMatchObject({ ok: true, body })
    expect(await check({ payload: BODY, header: header(body, SECRET) })).toMatchObject({ reason: "no_match" })
  })
})

describe("a body that was parsed before (the most frequent mistake) is called by its name [deliveries-15]", () => {
  const message = async (payload: unknown) => {
    const result = await check({ payload: payload as string })
    return result.ok ? "" : `${result.reason}: ${result.message}`
  }

  it("an object instead of the body", async () => {
    for (const payload of [JSON.parse(BODY), [], 7, null, undefined]) {
      expect(await message(payload)).toMatch(/^body_parsed: .*was parsed/)
    }
  })

  it("nothing instead of the body: nobody kept it", async () => {
    for (const payload of [null, undefined]) expect(await message(payload)).toMatch(/^body_parsed: There is no payload/)
  })

  it("a body that was serialised again, with other spaces, escapes or order", async () => {
    const ascii = BODY.replace(/[^\x20-\x7e]/gu, (c) =>
      Array.from({ length: c.length }, (_, i) => `\\u${c.charCodeAt(i).toString(16).padStart(4, "0")}`).join("")
    )
    const sorted = JSON.stringify({ app_id: "app_1", ...JSON.parse(BODY) })
    const rewritten = [JSON.stringify(JSON.parse(BODY), null, 2), BODY.replace(":", ": "), `${BODY}\n`, ascii, sorted]
    for (const payload of [...rewritten, "[object Object]"]) {
      expect(await message(payload)).toMatch(/^no_match: .*probably parsed and serialised again/)
    }
  })

  it("an empty body was read by somebody else", async () => {
    expect(await message("")).toMatch(/^no_match: .*the body is empty/)
  })

  it("a body that could be ours is not blamed", async () => {
    expect(await message(BODY.replace("evt_1", "evt_2"))).toMatch(/^no_match: .*is this the endpoint's signing secret/)
  })
})

it("a delivery is one that verifies: the domain's header and the sender's signature", async () => {
  const value = await withSender(insecure, (sender) =>
    Effect.succeed(Signature.header(NOW, [sender.sign(SECRET, Signature.message(NOW, BODY))]))
  )
  expect(await reason({ header: value })).toBe("fine")
})
