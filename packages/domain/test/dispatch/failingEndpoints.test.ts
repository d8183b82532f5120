import { DeliveryStore } from "@place-access/domain/deliveries"
import { EndpointUrl } from "@place-access/domain/endpoints"
import { MemoryDatabase, MemoryWebhookSender } from "@place-access/domain/testing"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { endpointNow, fire, inVirtualTime, posts, scene, script, URL, withWorker } from "../support/webhooks.js"

const { answers, slowly } = MemoryWebhookSender

const SLOTS = 16
const FAILING = 6
const EVENTS = 40
const HEALTHY_MILLIS = 50

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Infinity

/**
 * The median of the times from an event of a healthy app until its receiver has answered, beside `failing` other apps
 * whose receivers never answer. Each app has an event every half second.
 */
const healthyMedian = (failing: number, isKnown = true): number =>
  inVirtualTime(
    Effect.gen(function* () {
      const healthy = yield* scene
      yield* script(slowly(HEALTHY_MILLIS, answers(200)))
      const silent = yield* Effect.forEach(Array.from({ length: failing }), (_, index) =>
        Effect.gen(function* () {
          const stage = yield* scene
          const { endpoints } = yield* MemoryDatabase
          const url = `${URL}/silent/${index}`
          const endpoint = yield* endpointNow(stage)
          endpoints.set(endpoint.id, { ...endpoint, url: EndpointUrl.EndpointUrl.make(url) })
          yield* script(MemoryWebhookSender.hangs, url)
          return stage
        })
      )
      const store = yield* DeliveryStore
      const firedAt = new Map<string, number>()
      yield* withWorker(
        Effect.gen(function* () {
          for (let turn = 0; turn < EVENTS; turn++) {
            for (const stage of silent) yield* fire(stage)
            const event = yield* fire(healthy)
            firedAt.set(event.id, event.occurredAt)
            yield* Effect.sleep("500 millis")
          }
        }),
        { slots: SLOTS, pollEvery: "1 second" }
      ).pipe(
        Effect.provideService(DeliveryStore, {
          ...store,
          claim: ({ failing, ...request }) =>
            store.claim(isKnown && failing !== undefined ? { ...request, failing } : request)
        })
      )
      const waits = (yield* posts()).map(
        ({ at, body }) => at + HEALTHY_MILLIS - (firedAt.get(JSON.parse(body).event_id) ?? 0)
      )
      return waits.length < 0.9 * EVENTS ? Infinity : median(waits)
    })
  )

describe("many endpoints that fail [deliveries-7]", () => {
  it("slow the others by half at most", () => {
    expect(healthyMedian(FAILING)).toBeLessThanOrEqual(1.5 * healthyMedian(0))
  })

  it("planted: a claim that does not know which endpoints fail slows the others more", () => {
    expect(healthyMedian(FAILING, false)).toBeGreaterThan(1.5 * healthyMedian(0))
  })
})
