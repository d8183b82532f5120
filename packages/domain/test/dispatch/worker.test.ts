import { updateEndpoint } from "@place-access/domain/endpoints"
import { Timestamp } from "@place-access/domain/shared"
import { MemoryDatabase, MemoryWebhookSender } from "@place-access/domain/testing"
import { expect, it } from "@effect/vitest"
import { Effect, FastCheck as fc } from "effect"
import { describe } from "vitest"
import {
  attempts,
  deliveries,
  endpointNow,
  fire,
  inVirtualTime,
  posts,
  register,
  scene,
  script,
  seconds,
  URL,
  withWorker
} from "../support/webhooks.js"

const { answers, hangs, inTurn, ourFault, Receivers, refuses, slowly } = MemoryWebhookSender
const { HOUR, MINUTE, SECOND } = Timestamp

describe("a fired event on its way", () => {
  it("is posted once, at once, as JSON with a signature that the secret verifies [§3.5-arrives, §5.12, §6.4.1]", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        yield* script(answers(204))
        yield* withWorker(
          Effect.gen(function* () {
            yield* Effect.sleep("10 seconds")
            const event = yield* fire(stage)
            yield* Effect.sleep("1 millis")
            const all = yield* posts()
            expect(all.length).toBe(1)
            const [post] = all
            expect(post?.at).toBe(event.occurredAt)
            expect(JSON.parse(post?.body ?? "")).toEqual({
              event_id: event.id,
              app_id: stage.app.id,
              endpoint_id: stage.endpoint.id,
              type: "place.enter",
              occurred_at: "2026-01-01T00:00:10.000Z",
              grant_id: stage.connection.id,
              rule_id: stage.rule.id,
              target: { place_id: stage.place.id, label: "Home" }
            })
            const headers = new Map(post?.headers)
            expect(headers.get("content-type")).toBe("application/json")
            const t = event.occurredAt / 1_000
            const v1 = MemoryWebhookSender.sign(stage.secret, `${t}.${post?.body}`)
            expect(headers.get("X-Service-Signature")).toBe(`t=${t},v1=${v1}`)
            yield* Effect.sleep("3 days")
            expect((yield* posts()).length).toBe(1)
            expect(yield* deliveries).toMatchObject([{ state: "delivered", attempt: 1, dueAt: null }])
          })
        )
      })
    )
  })

  it("fails seven times at the schedule's moments and is given up: 23 h 35 min 30 s when attempts take no time [§3.5-trying, §3.5-used-up, §6.3.6-lost, §6.4.6]", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        yield* script(answers(500, "no"))
        yield* withWorker(
          Effect.gen(function* () {
            const { occurredAt } = yield* fire(stage)
            yield* Effect.sleep("2 days")
            expect(seconds(yield* posts(), occurredAt)).toEqual([0, 30, 330, 2_130, 9_330, 30_930, 84_930])
            const [delivery] = yield* deliveries
            expect(delivery).toMatchObject({ state: "failed", failReason: "exhausted", attempt: 7, dueAt: null })
            expect(delivery?.endedAt).toBe(occurredAt + 23 * HOUR + 35 * MINUTE + 30 * SECOND)
            expect(
              (yield* attempts).map(({ attempt, status, error, snippet }) => [attempt, status, error, snippet])
            ).toEqual([1, 2, 3, 4, 5, 6, 7].map((attempt) => [attempt, 500, "answered 500", "no"]))
            expect((yield* endpointNow(stage)).strikes).toBe(1)
          })
        )
      })
    )
  })

  it("waits from the end of an attempt, not from its beginning; nobody is waited for longer than 5 s [§6.4.5, §8-receiver, W2]", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        yield* script(inTurn(slowly(3_000, answers(503)), hangs, answers(200)))
        yield* withWorker(
          Effect.gen(function* () {
            const { occurredAt } = yield* fire(stage)
            yield* Effect.sleep("1 hour")
            expect(seconds(yield* posts(), occurredAt)).toEqual([0, 33, 33 + 5 + 300])
            const [first, second] = yield* attempts
            expect([first?.startedAt, first?.endedAt]).toEqual([occurredAt, occurredAt + 3_000])
            expect([second?.status, second?.error]).toEqual([null, "no complete answer within 5 s"])
          })
        )
      })
    )
  })

  it("each attempt has its own t and signature over the same body [§6.4.4, deliveries-2]", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        yield* script(inTurn(refuses, refuses, answers(200)))
        yield* withWorker(
          Effect.gen(function* () {
            yield* fire(stage)
            yield* Effect.sleep("1 hour")
            const all = yield* posts()
            expect(new Set(all.map(({ body }) => body)).size).toBe(1)
            for (const { at, body, headers } of all) {
              const t = Math.floor(at / SECOND)
              const v1 = MemoryWebhookSender.sign(stage.secret, `${t}.${body}`)
              expect(new Map(headers).get("X-Service-Signature")).toBe(`t=${t},v1=${v1}`)
            }
            expect(all.length).toBe(3)
          })
        )
      })
    )
  })

  it("goes to every endpoint that subscribes, with one event_id and the endpoint's own id [§2.8, §6.1-subscribing, §6.4.1]", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        const second = yield* register(stage.app.id, { url: `${URL}/2`, events: ["rule.fired"] })
        yield* register(stage.app.id, { url: `${URL}/3`, events: ["places.changed", "sensitive.lapsed"] })
        for (const url of [URL, `${URL}/2`, `${URL}/3`]) yield* script(answers(200), url)
        yield* withWorker(
          Effect.gen(function* () {
            const event = yield* fire(stage)
            yield* Effect.sleep("1 minute")
            const bodies = (yield* Effect.flatMap(Receivers, (receivers) => receivers.posts())).map(
              ({ body, url }) => ({
                url,
                ...JSON.parse(body)
              })
            )
            expect(bodies.map(({ url, event_id, endpoint_id }) => [url, event_id, endpoint_id]).sort()).toEqual([
              [URL, event.id, stage.endpoint.id],
              [`${URL}/2`, event.id, second.endpoint.id]
            ])
          })
        )
      })
    )
  })

  it("goes only to the endpoint whose address the rule names, whatever that one subscribes to [§4.6.7]", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        const named = yield* register(stage.app.id, { url: `${URL}/named`, events: ["places.changed"] })
        yield* script(answers(200), named.endpoint.url)
        yield* withWorker(
          Effect.gen(function* () {
            yield* fire(stage, { webhookUrl: named.endpoint.url })
            yield* fire(stage, { webhookUrl: `${URL}/gone` })
            yield* Effect.sleep("1 minute")
            expect((yield* deliveries).map(({ endpointId }) => endpointId)).toEqual([named.endpoint.id])
          })
        )
      })
    )
  })

  it("goes nowhere while the endpoint that the rule names is disabled, like any other event [events-2]", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        const named = yield* register(stage.app.id, { url: `${URL}/named`, events: ["rule.fired"] })
        const disabledAt = yield* Timestamp.now
        yield* Effect.flatMap(MemoryDatabase, ({ endpoints }) =>
          Effect.sync(() => endpoints.set(named.endpoint.id, { ...named.endpoint, disabledAt }))
        )
        yield* withWorker(
          Effect.gen(function* () {
            yield* fire(stage, { webhookUrl: named.endpoint.url })
            yield* Effect.sleep("1 minute")
            expect(yield* deliveries).toEqual([])
          })
        )
      })
    )
  })
})

describe("two endpoints of one address [endpoints-3]", () => {
  it("both get the event, each signed with its own secret; a rule that names an address that is gone gets nothing sent", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        const twin = yield* register(stage.app.id)
        yield* script(answers(200))
        yield* withWorker(
          Effect.gen(function* () {
            yield* fire(stage)
            yield* Effect.sleep("1 minute")
            const both = yield* posts()
            const signed = [stage, twin].map(({ endpoint, secret }) => {
              const post = both.find(({ body }) => body.includes(endpoint.id))
              const header = new Map(post?.headers).get("X-Service-Signature") ?? ""
              const [t = "", v1] = header.split(",")
              return v1 === `v1=${MemoryWebhookSender.sign(secret, `${t.slice(2)}.${post?.body}`)}`
            })
            expect([both.length, signed]).toEqual([2, [true, true]])
            const moved = yield* updateEndpoint(
              stage.developer,
              stage.app.id,
              stage.endpoint.id,
              { url: `${URL}/2` },
              "unchecked"
            )
            yield* updateEndpoint(stage.developer, stage.app.id, twin.endpoint.id, { url: `${URL}/2` }, "unchecked")
            yield* script(answers(200), moved.url)
            yield* fire(stage, { webhookUrl: URL })
            yield* Effect.sleep("1 minute")
            expect([(yield* posts()).length, (yield* posts(moved.url)).length]).toEqual([2, 0])
          })
        )
      })
    )
  })
})

describe("faults of our own spend no attempt [W3]", () => {
  it("a resolver that is down for a while costs the receiver nothing", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        yield* script(inTurn(ourFault, ourFault, ourFault, answers(500), ourFault, answers(200)))
        yield* withWorker(
          Effect.gen(function* () {
            const { occurredAt } = yield* fire(stage)
            yield* Effect.sleep("1 hour")
            expect(seconds(yield* posts(), occurredAt)).toEqual([0, 5, 10, 15, 45, 50])
            expect((yield* attempts).map(({ attempt, status }) => [attempt, status])).toEqual([
              [1, 500],
              [2, 200]
            ])
          })
        )
      })
    )
  })

  it("a secret that cannot be unsealed is not an unsigned delivery", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        const { endpoints } = yield* MemoryDatabase
        const other = yield* register(stage.app.id, { url: `${URL}/2` })
        // These secrets are encrypted for another endpoint, so the worker cannot decrypt them for this endpoint.
        endpoints.set(stage.endpoint.id, { ...stage.endpoint, secrets: other.endpoint.secrets })
        yield* withWorker(
          Effect.gen(function* () {
            yield* fire(stage)
            yield* Effect.sleep("1 minute")
            expect(yield* posts()).toEqual([])
            const row = (yield* deliveries).find(({ endpointId }) => endpointId === stage.endpoint.id)
            expect(row).toMatchObject({ state: "trying", attempt: 1 })
            endpoints.set(stage.endpoint.id, stage.endpoint)
            yield* Effect.sleep("10 seconds")
            expect((yield* posts()).length).toBe(1)
          })
        )
      })
    )
  })
})

describe("the strike counter [§3.4]", () => {
  it("20 exhausted events in a row disable the endpoint; what waits fails and enabling brings nothing back [§3.4-strikes, §3.5-disabled, §6.3.6-lost, §8-disabling, W4]", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        yield* script(answers(500))
        yield* withWorker(
          Effect.gen(function* () {
            for (let made = 0; made < 20; made++) yield* fire(stage)
            yield* Effect.sleep("1 hour")
            const late = yield* fire(stage)
            yield* Effect.sleep("2 days")
            const endpoint = yield* endpointNow(stage)
            expect([endpoint.strikes, endpoint.epoch, endpoint.disabledAt === null]).toEqual([20, 1, false])
            const row = (yield* deliveries).find(({ envelope }) => envelope.eventId === late.id)
            expect(row).toMatchObject({
              state: "failed",
              failReason: "endpoint_disabled",
              endedAt: endpoint.disabledAt
            })
            const before = (yield* posts()).length
            yield* fire(stage)
            yield* Effect.sleep("2 days")
            expect((yield* posts()).length).toBe(before)
          })
        )
      })
    )
  })

  it("one success in between starts the count again [§3.4-success]", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        yield* script(answers(500))
        yield* withWorker(
          Effect.gen(function* () {
            for (let made = 0; made < 19; made++) yield* fire(stage)
            yield* Effect.sleep("2 days")
            expect((yield* endpointNow(stage)).strikes).toBe(19)
            yield* script(answers(200))
            yield* fire(stage)
            yield* Effect.sleep("1 second")
            expect((yield* endpointNow(stage)).strikes).toBe(0)
            yield* script(answers(500))
            yield* fire(stage)
            yield* Effect.sleep("2 days")
            expect(yield* endpointNow(stage)).toMatchObject({ strikes: 1, disabledAt: null })
          })
        )
      })
    )
  })
})

describe("any receiver", () => {
  const kinds = fc.constantFrom("ok", "500", "refuse", "hang", "ours", "slow-ok", "slow-500")
  const behaviourOf = (kind: string): MemoryWebhookSender.Behaviour =>
    kind === "ok"
      ? answers(200)
      : kind === "500"
        ? answers(500)
        : kind === "refuse"
          ? refuses
          : kind === "hang"
            ? hangs
            : kind === "ours"
              ? ourFault
              : slowly(4_999, answers(kind === "slow-ok" ? 200 : 500))

  it("the posts of one event come exactly at the moments that the answers before them imply [§6.4.6]", () => {
    fc.assert(
      fc.property(fc.array(kinds, { minLength: 1, maxLength: 14 }), (series) => {
        inVirtualTime(
          Effect.gen(function* () {
            const stage = yield* scene
            yield* script(inTurn(behaviourOf(series[0] ?? "ok"), ...series.slice(1).map(behaviourOf), answers(200)))
            yield* withWorker(
              Effect.gen(function* () {
                const { occurredAt } = yield* fire(stage)
                yield* Effect.sleep("3 days")
                expect((yield* posts()).map(({ at }) => at - occurredAt)).toEqual(impliedBy([...series, "ok"]))
              }),
              { pollEvery: "1 day" }
            )
          })
        )
      }),
      { numRuns: 120 }
    )
  })

  /** A second implementation, from the specification: when each POST is due, in milliseconds after the first. */
  const impliedBy = (series: ReadonlyArray<string>): ReadonlyArray<number> => {
    const steps = [30, 300, 1_800, 7_200, 21_600, 54_000]
    const times: Array<number> = []
    let clock = 0
    let failed = 0
    for (const kind of series) {
      times.push(clock)
      clock += kind === "hang" ? 5_000 : kind.startsWith("slow") ? 4_999 : 0
      if (kind.endsWith("ok")) return times
      if (kind === "ours") {
        clock += 5_000
        continue
      }
      const step = steps[failed++]
      if (step === undefined) return times
      clock += step * 1_000
    }
    return times
  }
})
