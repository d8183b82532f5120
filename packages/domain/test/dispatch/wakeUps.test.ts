import { DeliveryStore } from "@place-access/domain/deliveries"
import { WorkSignal } from "@place-access/domain/events"
import { EventStore } from "@place-access/domain/deliveries"
import { StoreError, Timestamp } from "@place-access/domain/shared"
import { MemoryWebhookSender } from "@place-access/domain/testing"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  deliveries,
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

const { answers, inTurn, slowly } = MemoryWebhookSender

/**
 * Counts a worker's calls of its stores, by method, and the wake-up signals that are raised. The stores and the signal
 * otherwise work as usual.
 */
const counted = Effect.gen(function* () {
  const [store, events, signal] = [yield* DeliveryStore, yield* EventStore, yield* WorkSignal]
  const calls = { claim: 0, nextDueAt: 0, pending: 0, raise: 0 }
  const count = <A, E>(what: keyof typeof calls, effect: Effect.Effect<A, E>) =>
    Effect.zipRight(
      Effect.sync(() => calls[what]++),
      effect
    )
  return {
    asked: calls,
    counting: <A, E, R>(program: Effect.Effect<A, E, R>) =>
      program.pipe(
        Effect.provideService(DeliveryStore, {
          ...store,
          claim: (request) => count("claim", store.claim(request)),
          nextDueAt: (after) => count("nextDueAt", store.nextDueAt(after))
        }),
        Effect.provideService(EventStore, {
          ...events,
          pending: (...args) => count("pending", events.pending(...args))
        }),
        Effect.provideService(WorkSignal, { ...signal, raise: count("raise", signal.raise) })
      )
  }
})

describe("what wakes the worker's loops", () => {
  it("a worker says that it has read the outbox and that it has claimed, and not while that fails [leases-4]", () => {
    inVirtualTime(
      Effect.gen(function* () {
        yield* scene
        const [events, deliveries] = [yield* EventStore, yield* DeliveryStore]
        let isAway = false
        const unlessAway = <A>(effect: Effect.Effect<A, StoreError>) =>
          Effect.suspend(() => (isAway ? Effect.fail(StoreError.unavailable("the database is away")) : effect))
        const done = { "fan-out": 0, delivery: 0 }
        const watch = Effect.gen(function* () {
          yield* Effect.sleep("5500 millis")
          expect(done["fan-out"]).toBeGreaterThanOrEqual(5)
          expect(done.delivery).toBeGreaterThanOrEqual(2)
          isAway = true
          const before = { ...done }
          yield* Effect.sleep("1 minute")
          expect(done).toEqual(before)
          isAway = false
          yield* Effect.sleep("11 seconds")
          expect(done["fan-out"]).toBeGreaterThan(before["fan-out"])
          expect(done.delivery).toBeGreaterThan(before.delivery)
        })
        yield* withWorker(watch, { pollEvery: "1 second", onRead: (loop) => void (done[loop] += 1) }).pipe(
          Effect.provideService(EventStore, {
            ...events,
            pending: (...args) => unlessAway(events.pending(...args))
          }),
          Effect.provideService(DeliveryStore, {
            ...deliveries,
            claim: (...args) => unlessAway(deliveries.claim(...args))
          })
        )
      })
    )
  })

  it("an event costs one look at the outbox, no claim, and no signal to others", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        yield* script(answers(200))
        const { asked, counting } = yield* counted
        yield* counting(
          withWorker(
            Effect.gen(function* () {
              yield* Effect.sleep("1 minute")
              const before = { ...asked }
              for (let made = 0; made < 10; made++) {
                yield* fire(stage)
                yield* Effect.sleep("100 millis")
              }
              expect((yield* posts()).length).toBe(10)
              expect(asked.pending - before.pending).toBe(10)
              expect(asked.claim - before.claim).toBe(0)
              expect(asked.nextDueAt - before.nextDueAt).toBeLessThan(2)
              // The stores raised these ten wake-up signals when they stored the ten events.
              expect(asked.raise - before.raise).toBe(10)
            })
          )
        )
      })
    )
  })

  it("with a backlog claims are by halves of the slots, not by what has just come free: 100 deliveries with 20 slots are 10 claims", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        // The POSTs take different times, from 20 to 39 ms, so slots become free one after the other.
        let sent = 0
        yield* script((post) => slowly(20 + (sent++ % 20), answers(200))(post))
        for (let made = 0; made < 100; made++) yield* fire(stage)
        const { asked, counting } = yield* counted
        yield* counting(
          withWorker(
            Effect.gen(function* () {
              yield* Effect.sleep("500 millis")
              expect((yield* deliveries).filter(({ state }) => state === "delivered").length).toBe(100)
              expect(asked.claim).toBeLessThanOrEqual(10 + 2)
            }),
            { slots: 20, perEndpoint: 40 }
          )
        )
      })
    )
  })

  it("other workers are called when more is queued than this one has slots for", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        yield* script(slowly(200, answers(200)))
        const { asked, counting } = yield* counted
        for (let made = 0; made < 5; made++) yield* fire(stage)
        yield* counting(withWorker(Effect.sleep("100 millis"), { slots: 4 }))
        expect(asked.raise).toBeGreaterThan(0)
      })
    )
  })

  it("the deliveries of an event are sent before it is marked in the outbox", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        const other = yield* register(stage.app.id, { url: `${URL}/2` })
        for (const url of [URL, other.endpoint.url]) yield* script(answers(200), url)
        const events = yield* EventStore
        const event = yield* fire(stage)
        yield* withWorker(Effect.sleep("10 seconds")).pipe(
          Effect.provideService(EventStore, {
            ...events,
            markFannedOut: (...args) => Effect.delay(events.markFannedOut(...args), "5 seconds")
          })
        )
        for (const url of [URL, other.endpoint.url]) expect(seconds(yield* posts(url), event.occurredAt)).toEqual([0])
      })
    )
  })

  it("an outbox that does not answer holds up no delivery longer than a lost signal does", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        yield* script(inTurn(answers(500), answers(200)))
        const events = yield* EventStore
        yield* fire(stage)
        let hangs = false
        yield* withWorker(
          Effect.gen(function* () {
            yield* Effect.sleep("1500 millis")
            hangs = true
            yield* Effect.sleep("1500 millis")
            const [row] = yield* deliveries
            if (row === undefined) throw new Error("there is one")
            const from = yield* Timestamp.now
            yield* (yield* DeliveryStore).hurry(row.appId, row.id, from)
            yield* (yield* WorkSignal).raise
            yield* Effect.sleep("3 seconds")
            const [, second] = yield* posts()
            expect((second?.at ?? Infinity) - from).toBeLessThanOrEqual(2_000)
          }),
          { pollEvery: "1 second" }
        ).pipe(
          Effect.provideService(EventStore, {
            ...events,
            pending: (...args) => (hangs ? Effect.never : events.pending(...args))
          })
        )
      })
    )
  })

  it("a retry is made when it is due, however much else goes on", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        yield* script(inTurn(answers(500), ...Array.from({ length: 600 }, () => answers(200))))
        yield* withWorker(
          Effect.gen(function* () {
            const first = yield* fire(stage)
            for (let made = 0; made < 500; made++) {
              yield* Effect.sleep("70 millis")
              yield* fire(stage)
            }
            const own = (yield* posts()).filter(({ body }) => JSON.parse(body).event_id === first.id)
            expect(seconds(own, first.occurredAt)).toEqual([0, 30])
          })
        )
      })
    )
  })
})
