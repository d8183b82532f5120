import type { WebhookAnswer } from "@place-access/domain/endpoints"
import { Signature } from "@place-access/domain/deliveries"
import { type WebhookSender } from "@place-access/domain/endpoints"
import { EndpointUrl } from "@place-access/domain/endpoints"
import { Event } from "@place-access/domain/events"
import { AppId, ConnectionId, EndpointId, EventId, PlaceId, RuleId, Timestamp } from "@place-access/domain/shared"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Example, sourceOf, start } from "./support/example.js"
import { insecure, withSender } from "./support/receiver.js"

const NEW = "whsec_new0n4k8x2c6v1b5m9q3w7e0r4t8y2u6i1o5p9a3s7d0f4g8h2j"
const OLD = "whsec_old1z5x9c3v7b0n4m8a2s6d1f5g9h3j7k0l4q8w2e6r1t5y9u3i"
const STRANGER = "whsec_str7q1w5e9r3t7y0u4i8o2p6a1s5d9f3g7h0j4k8l2z6x1c5v9b"

let made = 0
const envelopeOf = (payload: Event.Payload): Event.Envelope => ({
  eventId: EventId.make(`evt_${++made}`),
  appId: AppId.make("app_1"),
  grantId: payload.type === "ping" ? null : ConnectionId.make("con_1"),
  payload,
  occurredAt: Timestamp.make(Date.now())
})

/** A new arrival event, as the domain sends it. */
const entered = () =>
  envelopeOf({
    type: "place.enter",
    ruleId: RuleId.make("rule_1"),
    target: { placeId: PlaceId.make("pl_1"), label: 'Mum’s "house" 🏡' }
  })
const ping = () => envelopeOf({ type: "ping" })
const bodyOf = (envelope: Event.Envelope): string => Event.body(envelope, EndpointId.make("ep_1"))

interface DeliveryOptions {
  readonly secrets?: ReadonlyArray<string>
  readonly signedAgoS?: number
  /** Changes the body after it was signed. */
  readonly tamper?: (body: string) => string
}

/**
 * Makes one attempt as in production: the domain and the sender sign the webhook, and the sender posts it over a
 * socket.
 */
const deliver = ({ url }: Example, body: string, how: DeliveryOptions = {}): Promise<WebhookAnswer> =>
  withSender(insecure, (sender: typeof WebhookSender.Service) => {
    const { secrets = [NEW], signedAgoS = 0, tamper = (unchanged) => unchanged } = how
    const at = Timestamp.make(Date.now() - signedAgoS * 1_000)
    const message = Signature.message(at, body)
    const header = Signature.header(
      at,
      secrets.map((secret) => sender.sign(secret, message))
    )
    const headers = [
      ["content-type", "application/json"],
      [Signature.HEADER, header]
    ] as const
    return sender.post(EndpointUrl.EndpointUrl.make(url), headers, tamper(body))
  })

/** Replaces a text that must be in the source. */
const replacing = (from: string, to: string) => (source: string) => {
  if (!source.includes(from)) throw new Error(`The example does not have ${JSON.stringify(from)} any more`)
  return source.replace(from, to)
}

const ACCEPTED = { _tag: "Answered", status: 204 }
const REFUSED = { _tag: "Answered", status: 400, snippet: "" }

/**
 * The most common mistake of receivers is a body that was parsed too early. For each example: a change of its source
 * that makes this mistake, and the reason that the changed example logs.
 */
const mistakes = {
  "express.mjs": [replacing("const app = express()", "const app = express()\napp.use(express.json())"), "body_parsed"],
  "fastify.mjs": [(source: string) => source.replace(/^ *webhooks\.addContentTypeParser.*$/m, ""), "body_parsed"],
  "node-http.mjs": [
    replacing("await bodyOf(request)", "JSON.stringify(JSON.parse(await bodyOf(request)), null, 2)"),
    "no_match"
  ]
} as const

describe.each(["express.mjs", "fastify.mjs", "node-http.mjs"] as const)("examples/%s", (name) => {
  let example: Example
  beforeAll(async () => {
    example = await start(name, [NEW])
  })
  afterAll(() => example.stop())

  /**
   * Sends a later event and waits until the receiver has handled it, because by then the receiver has handled every
   * earlier event too. Returns the lines about handled events.
   */
  const handled = async (): Promise<ReadonlyArray<string>> => {
    const last = ping()
    expect(await deliver(example, bodyOf(last))).toMatchObject(ACCEPTED)
    await example.hasWritten(`handled ${last.eventId} ping`)
    return example.lines().filter((line) => line.startsWith("handled"))
  }

  it("is short enough to be copied", () => {
    expect(sourceOf(name).split("\n").length).toBeLessThan(60)
  })

  it("accepts a genuine delivery, and handles its event", async () => {
    const event = entered()
    expect(await deliver(example, bodyOf(event))).toMatchObject(ACCEPTED)
    await example.hasWritten(`handled ${event.eventId} place.enter`)
  })

  it("accepts the same event again, and does not handle it again", async () => {
    const event = entered()
    const answers = await Promise.all([1, 2, 3].map(() => deliver(example, bodyOf(event))))
    expect(answers).toMatchObject([ACCEPTED, ACCEPTED, ACCEPTED])
    expect(await deliver(example, bodyOf(event), { secrets: [NEW, OLD] })).toMatchObject(ACCEPTED)
    expect((await handled()).filter((line) => line.includes(`${event.eventId} `)).length).toBe(1)
  })

  it.each<readonly [string, string, DeliveryOptions]>([
    ["changed on its way", "no_match", { tamper: (body) => body.replace("place.enter", "place.exit") }],
    ["signed by somebody else", "no_match", { secrets: [STRANGER] }],
    ["signed by a secret that is no more", "no_match", { secrets: [OLD] }],
    ["older than a minute", "too_old", { signedAgoS: 120 }],
    ["an hour ahead", "too_new", { signedAgoS: -3_600 }],
    ["signed nine times", "too_many_signatures", { secrets: Array.from({ length: 9 }, () => NEW) }],
    ["not signed", "malformed_header", { secrets: [] }]
  ])("refuses what is %s with 400: the reason is in the log, not in the answer", async (_, reason, how) => {
    const event = entered()
    const before = example.lines().filter((line) => line.includes(`refused, ${reason}:`)).length
    expect(await deliver(example, bodyOf(event), how)).toMatchObject(REFUSED)
    expect((await handled()).filter((line) => line.includes(`${event.eventId} `))).toEqual([])
    expect(example.lines().filter((line) => line.includes(`refused, ${reason}:`)).length).toBe(before + 1)
  })

  it("does not take more than 64 KiB, however well they are signed", async () => {
    const event = entered()
    // The receiver may refuse the body by closing the connection before it has answered, so the test also accepts an
    // attempt without an answer.
    const answer = await deliver(example, bodyOf(event) + " ".repeat(70_000))
    expect(answer._tag === "Answered" ? answer.status : 413).toBe(413)
    expect((await handled()).filter((line) => line.includes(`${event.eventId} `))).toEqual([])
  })

  it("during a rotation it knows two secrets: either one alone, or both at once", async () => {
    const rotating = await start(name, [NEW, OLD])
    for (const secrets of [[OLD], [NEW, OLD], [NEW]]) {
      expect(await deliver(rotating, bodyOf(entered()), { secrets })).toMatchObject(ACCEPTED)
    }
    expect(await deliver(rotating, bodyOf(entered()), { secrets: [STRANGER] })).toMatchObject(REFUSED)
    await rotating.stop()
  })

  it("without a secret it accepts nothing, and says why", async () => {
    const unset = await start(name, [])
    expect(await deliver(unset, bodyOf(entered()), { secrets: [""] })).toMatchObject(REFUSED)
    await unset.hasWritten("refused, missing_secret: ")
    await unset.stop()
  })

  it("answers before the work, whatever that takes", async () => {
    const slow = await start(
      name,
      [NEW],
      replacing(
        "=> {\n  console.log(`handled",
        "=> {\n  await new Promise(() => setInterval(() => {}, 1e6))\n  console.log(`handled"
      )
    )
    expect(await deliver(slow, bodyOf(entered()))).toMatchObject(ACCEPTED)
    await slow.stop()
  })

  it("with the body parsed before (planted) it refuses, and the log says so", async () => {
    const [plant, reason] = mistakes[name]
    const mistaken = await start(name, [NEW], plant)
    expect(await deliver(mistaken, bodyOf(entered()))).toMatchObject(REFUSED)
    await mistaken.hasWritten(`refused, ${reason}: `)
    expect(mistaken.lines().join("\n")).toMatch(/the body was (probably )?parsed/)
    await mistaken.stop()
  })
})
