import { DeliveryStore } from "@place-access/domain/deliveries"
import { EndpointUrl } from "@place-access/domain/endpoints"
import { MemoryDatabase, MemoryWebhookSender, VirtualTime } from "@place-access/domain/testing"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  counting,
  endpointNow,
  fire,
  inVirtualTime,
  posts,
  scene,
  script,
  URL,
  withWorker
} from "../support/webhooks.js"

const { answers, hangs, slowly } = MemoryWebhookSender

const SLOTS = 16
const OTHERS = 6
const EVENTS = 40
const HEALTHY_MILLIS = 50

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Infinity

/** A receiver that answers shortly before the worker would give up. */
const late = (status: number) => slowly(4_900, answers(status))

interface Beside {
  /** The number of apps in addition to the healthy app. */
  readonly others: number
  /** What the receivers of the additional apps (`others`) do. Default: the receivers never answer. */
  readonly behaviour?: MemoryWebhookSender.Behaviour
  /** Whether claims get the list of endpoints that fail or answer late. Default: true. */
  readonly isKnown?: boolean
}

/**
 * The median time, in milliseconds, from an event of the healthy app until its receiver has answered. Meanwhile
 * `others` further apps have receivers with the given behaviour. Each app has an event every half second.
 */
const healthyMedian = ({ behaviour = hangs, isKnown = true, others }: Beside): number =>
  inVirtualTime(
    Effect.gen(function* () {
      const healthy = yield* scene
      yield* script(slowly(HEALTHY_MILLIS, answers(200)))
      const beside = yield* Effect.forEach(Array.from({ length: others }), (_, index) =>
        Effect.gen(function* () {
          const stage = yield* scene
          const { endpoints } = yield* MemoryDatabase
          const url = `${URL}/other/${index}`
          const endpoint = yield* endpointNow(stage)
          endpoints.set(endpoint.id, { ...endpoint, url: EndpointUrl.EndpointUrl.make(url) })
          yield* script(behaviour, url)
          return stage
        })
      )
      const store = yield* DeliveryStore
      const firedAt = new Map<string, number>()
      yield* withWorker(
        Effect.gen(function* () {
          for (let turn = 0; turn < EVENTS; turn++) {
            for (const stage of beside) yield* fire(stage)
            const event = yield* fire(healthy)
            firedAt.set(event.id, event.occurredAt)
            yield* Effect.sleep("500 millis")
          }
        }),
        { slots: SLOTS, pollEvery: "1 second" }
      ).pipe(
        Effect.provideService(DeliveryStore, {
          ...store,
          claim: ({ slow, ...request }) => store.claim(isKnown && slow !== undefined ? { ...request, slow } : request)
        })
      )
      const waits = (yield* posts()).map(
        ({ at, body }) => at + HEALTHY_MILLIS - (firedAt.get(JSON.parse(body).event_id) ?? 0)
      )
      return waits.length < 0.9 * EVENTS ? Infinity : median(waits)
    })
  )

describe.each([
  ["fail", hangs],
  ["answer late", late(200)]
])("many endpoints that %s [deliveries-7]", (_, behaviour) => {
  it("slow the others by half at most", () => {
    const beside = healthyMedian({ others: OTHERS, behaviour })
    expect(beside).toBeLessThanOrEqual(1.5 * healthyMedian({ others: 0 }))
  })

  it("planted: a claim that does not know these endpoints slows the others more", () => {
    const beside = healthyMedian({ others: OTHERS, behaviour, isKnown: false })
    expect(beside).toBeGreaterThan(1.5 * healthyMedian({ others: 0 }))
  })
})

it.each([
  ["fail", 500],
  ["answer late", 200]
])("endpoints that %s take half of the slots at most, as soon as the worker knows them [deliveries-7]", (_, status) => {
  const receivers = counting(late(status))
  const behaviour = (post: MemoryWebhookSender.Post) => {
    // The count of POSTs in flight is reset during the first ten seconds. By then the first attempts to each endpoint
    // have ended, so the worker knows which endpoints fail or answer late.
    if (post.at - VirtualTime.START < 10_000) receivers.reset()
    return receivers.receiver(post)
  }
  healthyMedian({ others: OTHERS, behaviour })
  expect(receivers.most()).toBe(SLOTS / 2)
})
