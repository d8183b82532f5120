import { AccessLogStore } from "@place-access/domain/access-log"
import { figuresRecorder } from "@place-access/domain/figures"
import { EndpointId, StoreError, Timestamp } from "@place-access/domain/shared"
import { fanOutAll, MemoryDatabase, MemoryWebhookSender } from "@place-access/domain/testing"
import { describe, expect, it } from "@effect/vitest"
import { Effect, FastCheck as fc, Fiber, Function } from "effect"
import { runWorker } from "@place-access/domain/dispatch"
import { FRESH } from "../../src/dispatch/EventFreshness.js"
import { shareOf } from "../../src/dispatch/firstAttempts.js"
import { counted, over, readingNothingAhead } from "../support/changedStores.js"
import {
  attempts,
  counting,
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

const { answers, hangs, inTurn, slowly } = MemoryWebhookSender

const broken = StoreError.broken("as a test wants it")

const isMarked = (id: string) =>
  Effect.map(MemoryDatabase, ({ events }) =>
    [...events.values()].some((one) => one.id === id && one.fannedOutAt !== null)
  )

describe("the first attempt of an event [deliveries-18]", () => {
  it("is made before there is a row; the row is stored with its result, and the event is marked then", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        yield* script(slowly(1_000, answers(204)))
        const { counting, rows } = counted()
        yield* counting(
          withWorker(
            Effect.gen(function* () {
              const event = yield* fire(stage)
              yield* Effect.sleep(999)
              expect([(yield* posts()).length, yield* deliveries]).toEqual([1, []])
              expect(yield* isMarked(event.id)).toBe(false)
              yield* Effect.sleep(1)
              expect(yield* deliveries).toMatchObject([{ state: "delivered", attempt: 1, createdAt: event.occurredAt }])
              expect((yield* attempts).map(({ attempt, status }) => [attempt, status])).toEqual([[1, 204]])
              expect(yield* isMarked(event.id)).toBe(true)
            })
          )
        )
        expect(rows).toEqual({ waiting: 0, attempted: 1 })
      })
    )
  })

  it("is not made directly at an endpoint whose last attempt failed, nor for an event that waits for longer than 5 s", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        const { counting, rows } = counted()
        yield* script(inTurn(answers(500), ...Array.from({ length: 9 }, () => answers(200))))
        yield* counting(
          withWorker(
            Effect.gen(function* () {
              yield* fire(stage)
              yield* Effect.sleep("1 second")
              expect(rows).toEqual({ waiting: 0, attempted: 1 })
              yield* fire(stage)
              yield* Effect.sleep("1 second")
              expect(rows).toEqual({ waiting: 1, attempted: 1 })
              // The claimed delivery succeeded, so the endpoint does not count as failing. So the worker again makes
              // the first attempt of a delivery before it stores the delivery as a row.
              yield* fire(stage)
              yield* Effect.sleep("1 second")
              expect(rows).toEqual({ waiting: 1, attempted: 2 })
            })
          )
        )
        for (const [age, waits] of [
          [FRESH, 0],
          [FRESH + 1, 1]
        ] as const) {
          const before = { ...rows }
          yield* fire(stage)
          yield* Effect.sleep(age)
          yield* counting(withWorker(Effect.sleep("1 second")))
          expect(rows.waiting - before.waiting, `${age} ms`).toBe(waits)
        }
        expect((yield* deliveries).map(({ state }) => state)).toEqual(Array(5).fill("delivered").with(0, "trying"))
      })
    )
  })

  it("that fails is tried again on the schedule, as attempt 2 of the same delivery [§6.4.6]", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        yield* script(inTurn(answers(500), answers(200)))
        yield* withWorker(
          Effect.gen(function* () {
            const event = yield* fire(stage)
            yield* Effect.sleep("1 minute")
            expect(seconds(yield* posts(), event.occurredAt)).toEqual([0, 30])
            expect(yield* deliveries).toMatchObject([{ state: "delivered", attempt: 2 }])
            expect((yield* attempts).map(({ attempt, status }) => [attempt, status])).toEqual([
              [1, 500],
              [2, 200]
            ])
          })
        )
      })
    )
  })

  it("whose time the user deletes before the next one is not tried again [retention-choice-4]", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        yield* script(answers(500))
        yield* withWorker(
          Effect.gen(function* () {
            const { occurredAt } = yield* fire(stage)
            yield* Effect.sleep("29 seconds")
            const { erasures } = yield* MemoryDatabase
            const until = Timestamp.plus(occurredAt, 1)
            erasures.set(stage.user.id, [{ from: occurredAt, until, erasedAt: until }])
            yield* Effect.sleep("1 hour")
            expect((yield* posts()).length).toBe(1)
            // The deleted stretch contains only the millisecond of the first event. So the second event must be sent
            // and retried.
            yield* fire(stage)
            yield* Effect.sleep("1 minute")
            expect((yield* posts()).length).toBe(3)
          })
        )
      })
    )
  })

  it.each([
    [0, "fails", Effect.fail(broken)],
    [60_000, "fails", Effect.fail(broken)],
    [0, "is interrupted", Effect.interrupt]
  ] as const)(
    "whose result cannot be stored is made again after 30 s, then as a row that is claimed, with the same event_id: a worker that held the bucket for %i ms, and a store that %s [§6.3.6]",
    (heldFor, _, failure) => {
      inVirtualTime(
        Effect.gen(function* () {
          const stage = yield* scene
          yield* script(answers(200))
          const failing = over({ deliveries: () => ({ insertAttempted: () => failure }) })
          yield* failing(
            withWorker(
              Effect.gen(function* () {
                yield* Effect.sleep(heldFor)
                const event = yield* fire(stage)
                yield* Effect.sleep("10 minutes")
                expect(seconds(yield* posts(), event.occurredAt)).toEqual([0, 30])
                expect(new Set((yield* posts()).map(({ body }) => body)).size).toBe(1)
                expect((yield* MemoryDatabase).accessLog.map(({ at }) => at)).toEqual([event.occurredAt])
                expect(yield* deliveries).toMatchObject([{ state: "delivered", attempt: 1 }])
                expect(yield* isMarked(event.id)).toBe(true)
              }),
              { pollEvery: "1 second" }
            )
          )
        })
      )
    }
  )

  it.each([
    [4, { waiting: 0, attempted: 4 }],
    [5, { waiting: 5, attempted: 0 }]
  ])("with 8 slots, of which 4 are for first attempts: an event for %i endpoints", (endpoints, expected) => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        const { receiver, most } = counting(slowly(100, answers(204)))
        yield* script(receiver)
        for (let more = 1; more < endpoints; more++) {
          const { endpoint } = yield* register(stage.app.id, { url: `${URL}/${more}` })
          yield* script(receiver, endpoint.url)
        }
        const { counting: countingRows, rows } = counted()
        yield* countingRows(
          withWorker(
            Effect.gen(function* () {
              yield* fire(stage)
              yield* Effect.sleep("1 minute")
              expect((yield* deliveries).map(({ state }) => state)).toEqual(Array(endpoints).fill("delivered"))
            }),
            { slots: 8 }
          )
        )
        expect(rows).toEqual(expected)
        expect(most()).toBe(endpoints)
      })
    )
  })

  it("is not made again when only the mark on its event fails, and its entry in the access log is one [deliveries-12]", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        // The event needs two endpoints, so that it has two deliveries. With only one delivery, the store would mark
        // the event as fanned out when it stores this delivery.
        const other = yield* register(stage.app.id, { url: `${URL}/2` })
        for (const url of [URL, other.endpoint.url]) yield* script(answers(200), url)
        let isDown = true
        const failing = over({
          events: (store) => ({
            markFannedOut: (...args) => (isDown ? Effect.fail(broken) : store.markFannedOut(...args)),
            postpone: (...args) => (isDown ? Effect.fail(broken) : store.postpone(...args))
          })
        })
        yield* failing(
          withWorker(
            Effect.gen(function* () {
              const event = yield* fire(stage)
              yield* Effect.sleep("1 minute")
              expect(yield* isMarked(event.id)).toBe(false)
              isDown = false
              yield* Effect.sleep("1 minute")
              for (const url of [URL, other.endpoint.url]) expect((yield* posts(url)).length).toBe(1)
              expect(yield* isMarked(event.id)).toBe(true)
              expect((yield* MemoryDatabase).accessLog.length).toBe(1)
            }),
            { pollEvery: "1 second" }
          )
        )
      })
    )
  })

  it("counts for the developer once, also when its event is read again [figures-1]", () => {
    const firings = (markFails: number) =>
      inVirtualTime(
        Effect.gen(function* () {
          const stage = yield* scene
          const other = yield* register(stage.app.id, { url: `${URL}/2` })
          for (const url of [URL, other.endpoint.url]) yield* script(answers(200), url)
          let fired = 0
          let marks = 0
          const failing = over({
            events: (store) => ({
              markFannedOut: (...args) => (marks++ < markFails ? Effect.fail(broken) : store.markFannedOut(...args))
            })
          })
          yield* failing(
            withWorker(
              Effect.gen(function* () {
                const event = yield* fire(stage)
                yield* Effect.sleep("2 minutes")
                expect(yield* isMarked(event.id)).toBe(true)
                expect(marks).toBe(markFails + 1)
              }),
              { pollEvery: "1 second" }
            )
          ).pipe(
            Effect.locally(figuresRecorder, {
              called: () => undefined,
              attempted: () => undefined,
              fired: () => void fired++
            })
          )
          return fired
        })
      )
    expect([firings(0), firings(1), firings(2)]).toEqual([1, 1, 1])
  })

  it("at two endpoints: the event is marked when both deliveries are stored", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        const other = yield* register(stage.app.id, { url: `${URL}/2` })
        yield* script(answers(200))
        yield* script(slowly(2_000, answers(200)), other.endpoint.url)
        yield* withWorker(
          Effect.gen(function* () {
            const event = yield* fire(stage)
            yield* Effect.sleep("1 second")
            expect([(yield* deliveries).length, yield* isMarked(event.id)]).toEqual([1, false])
            yield* Effect.sleep("1 second")
            expect([(yield* deliveries).length, yield* isMarked(event.id)]).toEqual([2, true])
          })
        )
      })
    )
  })

  it.each([
    [1, "one server", 0],
    [2, "one server", 1],
    [1, "a cluster", 1]
  ])(
    "at %i endpoints, with the tables on %s: the outbox is written %i times to mark the event",
    (endpoints, on, writes) => {
      inVirtualTime(
        Effect.gen(function* () {
          const stage = yield* scene
          yield* script(answers(200))
          for (let more = 1; more < endpoints; more++) {
            const { endpoint } = yield* register(stage.app.id, { url: `${URL}/${more}` })
            yield* script(answers(200), endpoint.url)
          }
          let marks = 0
          const watched = over({
            // On a cluster, `insertAttempted` of the real store does not mark the event as fanned out.
            deliveries: (store) => ({
              insertAttempted: (row, how, attempt, isOnly) =>
                store.insertAttempted(row, how, attempt, isOnly && on === "one server")
            }),
            events: (store) => ({
              markFannedOut: (...args) => Effect.suspend(() => (marks++, store.markFannedOut(...args)))
            })
          })
          yield* watched(
            withWorker(
              Effect.gen(function* () {
                const event = yield* fire(stage)
                yield* Effect.sleep("1 minute")
                expect(yield* isMarked(event.id)).toBe(true)
              })
            )
          )
          expect(marks).toBe(writes)
        })
      )
    }
  )

  it.each([
    [50, 0, 1],
    [51, 1, 0]
  ])(
    "that begins %i ms after the read of the event reads the permission %i times more [events-4-early]",
    (ms, reads, sent) => {
      inVirtualTime(
        Effect.gen(function* () {
          const stage = yield* scene
          yield* script(answers(200))
          let asked = 0
          const slow = over({
            events: (store) => ({
              pending: (...args) => Effect.tap(store.pending(...args), () => Effect.sleep(ms)),
              authorisation: (...args) => Effect.suspend(() => (asked++, store.authorisation(...args)))
            })
          })
          yield* slow(
            withWorker(
              Effect.gen(function* () {
                yield* fire(stage)
                // The rule is removed after the event was read, and before the attempt begins.
                yield* Effect.sleep(1)
                const { rules } = yield* MemoryDatabase
                for (const [id, rule] of rules) rules.set(id, { ...rule, deletedAt: yield* Timestamp.now })
                yield* Effect.sleep("1 minute")
              })
            )
          )
          expect([asked, (yield* posts()).length]).toEqual([reads, sent])
        })
      )
    }
  )

  it("finds a row that another worker stored meanwhile, and changes nothing", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        yield* script(slowly(2_000, answers(200)))
        yield* withWorker(
          Effect.gen(function* () {
            const { endpoints } = yield* MemoryDatabase
            endpoints.set(stage.endpoint.id, { ...stage.endpoint, strikes: 3 })
            const event = yield* fire(stage)
            yield* Effect.sleep("1 second")
            // `fanOutAll` stands for a second worker, which has leased the bucket because it believes that the first
            // worker is dead. The first worker must then not store its result.
            yield* fanOutAll(10)
            const before = yield* deliveries
            expect(before).toMatchObject([{ state: "trying", attempt: 1 }])
            yield* Effect.sleep("1 second")
            expect([yield* deliveries, yield* attempts]).toEqual([before, []])
            expect((yield* endpointNow(stage)).strikes).toBe(3)
            expect(yield* isMarked(event.id)).toBe(true)
          })
        )
      })
    )
  })

  it("is not made when the check of the permission took too long for what was read: the delivery is claimed at once", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        yield* script(answers(200))
        let isSlow = true
        const slow = over({
          events: (store) => ({
            authorisation: (...args) =>
              Effect.suspend(() => {
                const wait = isSlow ? 25 * Timestamp.SECOND : 0
                isSlow = false
                return Effect.delay(store.authorisation(...args), wait)
              })
          })
        })
        yield* Function.compose(
          slow,
          readingNothingAhead
        )(
          withWorker(
            Effect.gen(function* () {
              const event = yield* fire(stage)
              yield* Effect.sleep("2 minutes")
              expect(seconds(yield* posts(), event.occurredAt)).toEqual([25])
              expect(yield* deliveries).toMatchObject([{ state: "delivered", attempt: 1 }])
            }),
            { pollEvery: "10 seconds" }
          )
        )
      })
    )
  })

  it("has its entry in the user's access log before it leaves [deliveries-12]", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        const log = yield* AccessLogStore
        yield* script(answers(200))
        yield* withWorker(
          Effect.gen(function* () {
            yield* fire(stage)
            yield* Effect.sleep("1 second")
            expect(yield* posts()).toEqual([])
          }),
          { pollEvery: "1 minute" }
        ).pipe(Effect.provideService(AccessLogStore, { ...log, record: () => Effect.fail(broken) }))
      })
    )
  })
})

describe("first attempts and other workers [deliveries-7, deliveries-18]", () => {
  it("the shares of all workers at an endpoint add up to the bound", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 0, max: 12 }), fc.nat(), (size, most, id) => {
        const shares = Array.from({ length: size }, (_, place) =>
          shareOf(most, { place, size }, EndpointId.make(`ep_${id}`))
        )
        expect(shares.reduce((sum, one) => sum + one, 0)).toBe(most)
        expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1)
      })
    )
  })

  it("workers that come while attempts are in flight take no bucket of them: each event is posted once", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stages = yield* Effect.replicateEffect(scene, 12)
        yield* script(slowly(3_000, answers(200)))
        const workers = [yield* Effect.fork(Effect.interruptible(runWorker({ pollEvery: "1 second" })))]
        for (let turn = 0; turn < 40; turn++) {
          yield* fire(stages[turn % stages.length] ?? (yield* scene))
          yield* Effect.sleep("250 millis")
          if (turn % 10 === 5)
            workers.push(yield* Effect.fork(Effect.interruptible(runWorker({ pollEvery: "1 second" }))))
        }
        yield* Effect.sleep("1 minute")
        const ids = (yield* posts()).map(({ body }) => JSON.parse(body).event_id)
        expect([ids.length, new Set(ids).size]).toEqual([40, 40])
        yield* Effect.forEach(workers, Fiber.interrupt)
      })
    )
  })

  it("never are more in flight at one endpoint than eight, of several workers together", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stages = yield* scene
        const { most, receiver } = counting(slowly(1_000, answers(200)))
        yield* script(receiver)
        const options = { pollEvery: "1 second" } as const
        yield* withWorker(
          withWorker(
            withWorker(
              Effect.gen(function* () {
                yield* Effect.sleep("10 seconds")
                for (let made = 0; made < 60; made++) {
                  yield* fire(stages)
                  yield* Effect.sleep("20 millis")
                }
                yield* Effect.sleep("1 minute")
              }),
              options
            ),
            options
          ),
          options
        )
        expect((yield* posts()).length).toBe(60)
        expect(most()).toBeLessThanOrEqual(8)
        expect(most()).toBeGreaterThan(4)
      })
    )
  })

  it("a worker that gets a signal to stop waits for them and stores them; what is not answered in time another worker sends again", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        yield* script(inTurn(slowly(3_000, answers(200)), hangs, answers(200)))
        yield* fire(stage)
        yield* withWorker(Effect.sleep("1 second"))
        expect(yield* deliveries).toMatchObject([{ state: "delivered", attempt: 1 }])
        const event = yield* fire(stage)
        yield* withWorker(Effect.sleep("1 second"), { drainFor: "1 second" })
        expect((yield* deliveries).length).toBe(1)
        yield* withWorker(Effect.sleep("1 minute"), { pollEvery: "1 second" })
        const own = (yield* posts()).filter(({ body }) => JSON.parse(body).event_id === event.id)
        expect(own.length).toBe(2)
        expect(yield* deliveries).toMatchObject([{ state: "delivered" }, { state: "delivered", attempt: 1 }])
        expect((yield* attempts).length).toBe(2)
        expect((yield* endpointNow(stage)).strikes).toBe(0)
      })
    )
  })
})
