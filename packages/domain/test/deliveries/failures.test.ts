import { AccessLogStore } from "@place-access/domain/access-log"
import { DeliveryStore } from "@place-access/domain/deliveries"
import { EventStore } from "@place-access/domain/deliveries"
import { createSubscription } from "@place-access/domain/legacy"
import { StoreError } from "@place-access/domain/shared"
import { fanOutAll, deliverDue, MemoryDatabase, MemoryWebhookSender } from "@place-access/domain/testing"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  attempts,
  BY_CLAIMS,
  deliveries,
  fire,
  inVirtualTime,
  posts,
  register,
  scene,
  script,
  URL,
  withWorker
} from "../support/webhooks.js"

const { answers } = MemoryWebhookSender
const accept = script(answers(200))

/**
 * An event that was fanned out and whose delivery waits. The receiver will answer the delivery's next attempt with
 * success.
 */
const waiting = Effect.gen(function* () {
  const stage = yield* scene
  yield* accept
  yield* fire(stage)
  yield* fanOutAll(10)
})

const broken = StoreError.broken("as a test wants it")
const passing = StoreError.unavailable("as a test wants it")

/** Fails while `isDown()` is true. Otherwise calls the real method. */
const flaky =
  (isDown: () => boolean, error: StoreError) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | StoreError, R> =>
    Effect.suspend((): Effect.Effect<A, E | StoreError, R> => (isDown() ? Effect.fail(error) : effect))

/** True for the first `times` calls. */
const first = (times: number) => {
  let left = times
  return () => left-- > 0
}

describe("when the store fails", () => {
  it.each(["claim", "nextDueAt", "pending"] as const)("%s: the loops go on when it is back", (method) => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        yield* accept
        let down = true
        const guard = flaky(() => down, passing)
        const store = yield* DeliveryStore
        const events = yield* EventStore
        const failing = withWorker(
          Effect.gen(function* () {
            yield* fire(stage)
            yield* Effect.sleep("1 hour")
            if (method !== "nextDueAt") expect(yield* posts()).toEqual([])
            down = false
            yield* Effect.sleep("11 seconds")
            expect((yield* posts()).length).toBe(1)
          }),
          { pollEvery: "1 second", ...BY_CLAIMS }
        )
        yield* failing.pipe(
          Effect.provideService(DeliveryStore, {
            ...store,
            ...(method === "claim" ? { claim: (request) => guard(store.claim(request)) } : {}),
            ...(method === "nextDueAt" ? { nextDueAt: (after) => guard(store.nextDueAt(after)) } : {})
          }),
          Effect.provideService(EventStore, {
            ...events,
            ...(method === "pending" ? { pending: (...args) => guard(events.pending(...args)) } : {})
          })
        )
      })
    )
  })

  it("a defect in a loop does not end it either", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        yield* accept
        const store = yield* DeliveryStore
        const dies = first(3)
        yield* withWorker(
          Effect.gen(function* () {
            yield* fire(stage)
            yield* Effect.sleep("5 seconds")
            expect((yield* posts()).length).toBe(1)
          }),
          BY_CLAIMS
        ).pipe(
          Effect.provideService(DeliveryStore, {
            ...store,
            claim: (request) => (dies() ? Effect.die("a bug") : store.claim(request))
          })
        )
      })
    )
  })

  it("an answer that cannot be stored at first is stored when it can: one post, one attempt", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        yield* accept
        const store = yield* DeliveryStore
        const guard = flaky(first(3), passing)
        yield* fire(stage)
        yield* fanOutAll(10)
        yield* deliverDue({ limit: 10, perEndpoint: 10 }).pipe(
          Effect.provideService(DeliveryStore, { ...store, finish: (...args) => guard(store.finish(...args)) })
        )
        expect((yield* posts()).length).toBe(1)
        expect(yield* deliveries).toMatchObject([{ state: "delivered" }])
      })
    )
  })

  it("an answer that cannot be stored at all: the same attempt again after the lease, with the same event_id", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        yield* accept
        const store = yield* DeliveryStore
        const event = yield* fire(stage)
        yield* fanOutAll(10)
        yield* deliverDue({ limit: 10, perEndpoint: 10 }).pipe(
          Effect.provideService(DeliveryStore, { ...store, finish: () => Effect.fail(broken) })
        )
        expect(yield* deliverDue({ limit: 10, perEndpoint: 10 })).toBe(0)
        yield* Effect.sleep("30 seconds")
        expect(yield* deliverDue({ limit: 10, perEndpoint: 10 })).toBe(1)
        expect((yield* posts()).map(({ body }) => JSON.parse(body).event_id)).toEqual([event.id, event.id])
        expect((yield* attempts).map(({ attempt }) => attempt)).toEqual([1])
      })
    )
  })

  it("nothing is sent that could not be entered in the access log", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const log = yield* AccessLogStore
        yield* waiting
        yield* deliverDue({ limit: 10, perEndpoint: 10 }).pipe(
          Effect.provideService(AccessLogStore, { ...log, record: () => Effect.fail(broken) })
        )
        expect(yield* posts()).toEqual([])
        expect(yield* deliveries).toMatchObject([{ state: "trying", attempt: 1 }])
      })
    )
  })

  it("nothing is sent when the check before the attempt cannot be made", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const events = yield* EventStore
        yield* waiting
        yield* deliverDue({ limit: 10, perEndpoint: 10 }).pipe(
          Effect.provideService(EventStore, { ...events, authorisation: () => Effect.fail(broken) })
        )
        expect(yield* posts()).toEqual([])
        expect(yield* deliveries).toMatchObject([{ state: "trying", attempt: 1 }])
      })
    )
  })

  it("a worker that was slow to ask does not send on a lease that is about to end [deliveries-3]", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const events = yield* EventStore
        yield* waiting
        yield* deliverDue({ limit: 10, perEndpoint: 10 }).pipe(
          Effect.provideService(EventStore, {
            ...events,
            authorisation: (...args) => Effect.delay(events.authorisation(...args), "25 seconds")
          })
        )
        expect(yield* posts()).toEqual([])
        yield* Effect.sleep("5 seconds")
        yield* deliverDue({ limit: 10, perEndpoint: 10 })
        expect((yield* posts()).length).toBe(1)
      })
    )
  })

  it.each([
    ["24.999 seconds", 1],
    ["25 seconds", 0]
  ] as const)("nor does one that took %s to enter in the user's log what it sends", (delay, sent) => {
    inVirtualTime(
      Effect.gen(function* () {
        const log = yield* AccessLogStore
        yield* waiting
        yield* deliverDue({ limit: 10, perEndpoint: 10 }).pipe(
          Effect.provideService(AccessLogStore, {
            ...log,
            record: (...args) => Effect.delay(log.record(...args), delay)
          })
        )
        expect((yield* posts()).length).toBe(sent)
        yield* Effect.sleep("6 seconds")
        yield* deliverDue({ limit: 10, perEndpoint: 10 })
        expect((yield* posts()).length).toBe(1)
      })
    )
  })
})

describe("fan-out", () => {
  it("dying between rows and mark, and being repeated, makes no second row [§6.3.6, events-1]", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        yield* register(stage.app.id, { url: `${URL}/2` })
        const events = yield* EventStore
        yield* fire(stage)
        const crash = Effect.provideService(EventStore, { ...events, markFannedOut: () => Effect.fail(broken) })
        yield* crash(fanOutAll(10))
        const before = yield* deliveries
        expect(before.length).toBe(2)
        expect(yield* fanOutAll(10)).toEqual({ taken: 0, deliveries: 0, legacy: [], offered: 0 })
        yield* Effect.sleep("30 seconds")
        yield* fanOutAll(10)
        expect(yield* deliveries).toEqual(before)
        yield* Effect.sleep("30 seconds")
        expect(yield* fanOutAll(10)).toEqual({ taken: 0, deliveries: 0, legacy: [], offered: 0 })
      })
    )
  })

  it("tries a mark that fails in passing again at once, so that listeners do not get the event again [listeners-4]", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        const events = yield* EventStore
        yield* fire(stage)
        let marks = 0
        const failing = Effect.provideService(EventStore, {
          ...events,
          markFannedOut: (...args) =>
            Effect.suspend(() =>
              marks++ < 3 ? Effect.fail(StoreError.unavailable("as a test wants it")) : events.markFannedOut(...args)
            )
        })
        expect(yield* failing(fanOutAll(10))).toMatchObject({ taken: 1, deliveries: 1 })
        yield* Effect.sleep("30 seconds")
        expect(yield* fanOutAll(10)).toMatchObject({ taken: 0 })
      })
    )
  })

  it("one app whose rows cannot be written does not hold up the others [events-1]", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const [one, other] = [yield* scene, yield* scene]
        const store = yield* DeliveryStore
        yield* fire(one)
        yield* fire(other)
        yield* fanOutAll(10).pipe(
          Effect.provideService(DeliveryStore, {
            ...store,
            insert: (rows) => (rows[0]?.appId === one.app.id ? Effect.fail(broken) : store.insert(rows))
          })
        )
        expect((yield* deliveries).map(({ appId }) => appId)).toEqual([other.app.id])
        yield* Effect.sleep("30 seconds")
        yield* fanOutAll(10)
        expect((yield* deliveries).map(({ appId }) => appId)).toEqual([other.app.id, one.app.id])
      })
    )
  })

  it.each([
    ["fail", Effect.fail(broken)],
    ["have a defect", Effect.die("a bug")]
  ])(
    "an app whose rows and whose postponement %s loses no legacy delivery of another [legacy-4, events-1]",
    (_, failure) => {
      inVirtualTime(
        Effect.gen(function* () {
          const [one, other] = [yield* scene, yield* scene]
          yield* createSubscription(other.connection, { url: `${URL}/subscribed` })
          const [store, events] = [yield* DeliveryStore, yield* EventStore]
          yield* fire(one)
          const event = yield* fire(other)
          const { legacy, taken } = yield* fanOutAll(10).pipe(
            Effect.provideService(DeliveryStore, {
              ...store,
              // For the app `one` this call fails after a second. By then the deliveries of the app `other` are already
              // stored.
              insert: (rows) => (rows[0]?.appId === one.app.id ? Effect.delay(failure, "1 second") : store.insert(rows))
            }),
            Effect.provideService(EventStore, { ...events, postpone: () => failure })
          )
          expect([taken, legacy.map(({ envelope }) => envelope.eventId)]).toEqual([1, [event.id]])
          // The event of the app `one` could not be postponed. So it is still due, and the next fan-out must take it.
          expect(yield* fanOutAll(10)).toMatchObject({ taken: 1, deliveries: 1, legacy: [] })
        })
      )
    }
  )

  it("an event that can be neither stored nor postponed is read again at the worker's pace", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        yield* accept
        const [store, events] = [yield* DeliveryStore, yield* EventStore]
        let reads = 0
        // The store fails only until the worker has read the event 100 times, so that the test ends even if the worker
        // wrongly reads the event again and again without a pause.
        const guard = flaky(() => reads < 100, broken)
        yield* withWorker(
          Effect.gen(function* () {
            yield* fire(stage)
            yield* Effect.sleep("5500 millis")
            expect(reads).toBeLessThan(10)
          }),
          { pollEvery: "1 second", fanOutBatch: 1, ...BY_CLAIMS }
        ).pipe(
          Effect.provideService(DeliveryStore, { ...store, insert: (rows) => guard(store.insert(rows)) }),
          Effect.provideService(EventStore, {
            ...events,
            postpone: (...args) => {
              reads++
              return guard(events.postpone(...args))
            }
          })
        )
      })
    )
  })

  it("an event for nobody is marked and done [events-2]", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        const tables = yield* MemoryDatabase
        tables.endpoints.clear()
        const event = yield* fire(stage)
        expect(yield* fanOutAll(10)).toEqual({ taken: 1, deliveries: 0, legacy: [], offered: 0 })
        expect(tables.events.get(event.id)?.fannedOutAt).toBe(event.occurredAt)
        expect(yield* deliveries).toEqual([])
      })
    )
  })

  it("a disabled endpoint gets no row [§3.4-disabled]", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        const { endpoints } = yield* MemoryDatabase
        endpoints.set(stage.endpoint.id, { ...stage.endpoint, disabledAt: stage.endpoint.createdAt, epoch: 1 })
        yield* fire(stage)
        yield* fanOutAll(10)
        expect(yield* deliveries).toEqual([])
      })
    )
  })
})
