import { fanOut, runWorker } from "@place-access/domain/dispatch"
import { Bucket, everything } from "@place-access/domain/leases"
import { Timestamp } from "@place-access/domain/shared"
import { MemoryWebhookSender } from "@place-access/domain/testing"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import * as firstAttempts from "../../src/dispatch/firstAttempts.js"
import { FRESH, isFresh } from "../../src/dispatch/EventFreshness.js"
import { shareOf } from "../../src/dispatch/firstAttempts.js"
import * as flights from "../../src/dispatch/flights.js"
import { counted, over } from "../support/changedStores.js"
import {
  counting,
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

const { answers, slowly } = MemoryWebhookSender

const ALONE = { size: 1, place: 0, hasSurplus: false, heldSince: null }

describe("a first attempt while a backlog waits [deliveries-18]", () => {
  it("waits in line at its endpoint while a backlog waits: of ten, four are sent at once and six after them; without a backlog the six become rows", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        for (const [fanOutBatch, waiting, lasted] of [
          [10, 0, [0, 0, 0, 0, 1, 1, 1, 1, 2, 2]],
          [11, 6, [0, 0, 0, 0, 0, 0, 0, 0, 1, 1]]
        ] as const) {
          yield* script(slowly(100, answers(200)))
          const before = (yield* posts()).length
          const { counting, rows } = counted()
          for (let made = 0; made < 10; made++) yield* fire(stage)
          const startedAt = yield* Timestamp.now
          yield* counting(withWorker(Effect.sleep("1 second"), { fanOutBatch }))
          expect(rows, `of a read of ${fanOutBatch}`).toEqual({ waiting, attempted: 10 - waiting })
          const times = seconds((yield* posts()).slice(before), startedAt).map((second) => Math.floor(second * 10))
          expect(times).toEqual(lasted)
        }
        expect((yield* deliveries).map(({ state }) => state)).toEqual(Array(20).fill("delivered"))
      })
    )
  })

  it("waits in line as a quarter of what is enough for the worker at most, and becomes a row beyond that", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        yield* script(slowly(100, answers(200)))
        const { counting, rows } = counted()
        for (let made = 0; made < 10; made++) yield* fire(stage)
        // With 32 slots, a worker reads further events while at most 8 attempts wait in memory for a slot. At most a
        // quarter of these 8, two, may be for one endpoint. Four more attempts begin at once, because an endpoint may
        // have four first attempts in flight. So six of the ten deliveries are attempted from memory, and the other
        // four become rows.
        yield* counting(withWorker(Effect.sleep("1 second"), { fanOutBatch: 10, slots: 32 }))
        expect(rows).toEqual({ waiting: 4, attempted: 6 })
      })
    )
  })

  it("in line becomes a row when its endpoint fails, or when nothing began there for 200 ms", () => {
    inVirtualTime(
      Effect.gen(function* () {
        for (const [receiver, attempted] of [
          [slowly(100, answers(500)), 4],
          [slowly(150, answers(200)), 10],
          [slowly(4_000, answers(200)), 4]
        ] as const) {
          const stage = yield* scene
          yield* script(receiver)
          const { counting, rows } = counted()
          for (let made = 0; made < 10; made++) yield* fire(stage)
          yield* counting(withWorker(Effect.sleep("20 seconds"), { fanOutBatch: 10, pollEvery: "250 millis" }))
          expect(rows).toEqual({ waiting: 10 - attempted, attempted })
        }
        expect((yield* posts()).length).toBeGreaterThanOrEqual(30)
      })
    )
  })

  it.each([
    ["20 ms when receivers answer within 20 ms: then 64 attempts wait in line", 20, [20]],
    ["100 ms when they hang; once their lines are stuck, all others follow at once", 60_000, [100, 200, 300, 300, 300]]
  ])("is read as part of a backlog at eight endpoints after %s", (_, answersAfter, times) => {
    inVirtualTime(
      Effect.gen(function* () {
        const stages = [yield* scene, yield* scene]
        yield* script(slowly(answersAfter, answers(200)))
        for (const [
          app,
          {
            app: { id }
          }
        ] of stages.entries()) {
          for (const n of [1, 2, 3]) {
            const { endpoint } = yield* register(id, { url: `${URL}/${app}/${n}` })
            yield* script(slowly(answersAfter, answers(200)), endpoint.url)
          }
        }
        for (let made = 0; made < 200; made++) {
          for (const stage of stages) if (made % 2 === stages.indexOf(stage)) yield* fire(stage)
          yield* Effect.sleep(1)
        }
        const reads: Array<number> = []
        const startedAt = yield* Timestamp.now
        const noting = over({
          events: (store) => ({
            pending: (...args) =>
              Effect.zipRight(
                Effect.map(Timestamp.now, (now) => reads.push(now - startedAt)),
                store.pending(...args)
              )
          })
        })
        yield* noting(withWorker(Effect.sleep("1 second"), { fanOutBatch: 32, drainFor: 0 }))
        expect(reads.slice(0, times.length + 1)).toEqual([0, ...times])
      })
    )
  })

  it.each([
    ["is made next when the worker's share has grown again", 1, { waiting: 1, attempted: 2 }],
    ["becomes a row when the worker's share is still none", 0, { waiting: 2, attempted: 1 }]
  ])("that comes while the last attempt at its endpoint stores the line as rows %s", (_, lastShare, expected) => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        yield* script(slowly(100, answers(200)))
        const { counting, rows } = counted()
        const storing = over({
          deliveries: (store) => ({ insert: (all) => Effect.delay(store.insert(all), "50 millis") })
        })
        // At most one first attempt may be in flight to this endpoint. If two workers share this limit, one of them
        // gets a share of 0. `place` is the index of that worker.
        const { id } = stage.endpoint
        const place = [0, 1].find((at) => shareOf(1, { place: at, size: 2 }, id) === 0) ?? -1
        let share = 1
        const crew = () => ({ ...ALONE, heldSince: null, ...(share === 1 ? {} : { place, size: 2 }) })
        yield* Effect.gen(function* () {
          const inFlight = flights.make({ slots: 64, enough: 32, perEndpoint: 1, onChange: () => undefined })
          const firsts = yield* firstAttempts.make({
            flights: inFlight,
            leases: { crew, using: everything.people.using },
            perEndpoint: 1,
            enough: 16,
            onEnough: () => undefined,
            onWait: () => undefined
          })
          const read = (limit: number) => fanOut(limit, Bucket.ALL, Effect.void, firsts)
          yield* fire(stage)
          yield* fire(stage)
          yield* read(2)
          yield* Effect.sleep("50 millis")
          share = 0
          yield* Effect.sleep("70 millis")
          share = 1
          yield* fire(stage)
          yield* read(1)
          share = lastShare
          yield* Effect.sleep("1 second")
          expect(firsts.inHand(yield* Timestamp.now)).toEqual([])
        }).pipe(storing, counting)
        expect(rows).toEqual(expected)
      })
    )
  })

  it("is made of an event that waited in the outbox longer than 5 s, by a worker that held the bucket before", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        yield* script(answers(200))
        const { counting, rows } = counted()
        let isDown = true
        const stopping = over({
          events: (store) => ({
            pending: (...args) =>
              isDown ? Effect.succeed({ events: [], ahead: new Map(), unreadable: [] }) : store.pending(...args)
          })
        })
        yield* counting(
          stopping(
            withWorker(
              Effect.gen(function* () {
                yield* Effect.sleep(FRESH - 1)
                yield* fire(stage)
                yield* Effect.sleep("2 seconds")
                yield* fire(stage)
                yield* Effect.sleep("1 minute")
                isDown = false
                yield* Effect.sleep("2 seconds")
              }),
              { pollEvery: "1 second" }
            )
          )
        )
        expect(rows).toEqual({ waiting: 1, attempted: 1 })
      })
    )
  })

  it("is fresh for 5 s, and longer for a worker that held its buckets 5 s before the event was stored", () => {
    const at = (millis: number) => Timestamp.make(1_000_000 + millis)
    const stored = { storedAt: at(0) }
    for (const [heldSince, now, expected] of [
      [null, FRESH, true],
      [null, FRESH + 1, false],
      [null, -FRESH, true],
      [null, -FRESH - 1, false],
      [-FRESH, FRESH + 1, true],
      [-FRESH + 1, FRESH + 1, false],
      [-FRESH, 3_600_000, true],
      [-FRESH, -FRESH - 1, false]
    ] as const)
      expect(isFresh(stored, heldSince === null ? null : at(heldSince), at(now)), `${heldSince}, ${now}`).toBe(expected)
  })

  it("a worker makes fewer at an endpoint when another worker joins, also while a backlog keeps its lines full", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        const { most, receiver, reset } = counting(slowly(180, answers(200)))
        yield* script(receiver)
        const options = { pollEvery: "1 second", fanOutBatch: 2 } as const
        const firing = Effect.zipRight(Effect.replicateEffect(fire(stage), 4), Effect.sleep("64 millis"))
        yield* withWorker(
          Effect.gen(function* () {
            yield* Effect.sleep("10 seconds")
            yield* Effect.fork(Effect.forever(firing))
            yield* Effect.sleep("2 seconds")
            expect(most()).toBe(8)
            yield* withWorker(
              Effect.gen(function* () {
                yield* Effect.sleep("5 seconds")
                reset()
                yield* Effect.sleep("2 seconds")
                // At most six POSTs are in flight at the same time: four of claimed deliveries, and two first attempts.
                // With one worker there would be four first attempts; two workers share this limit.
                expect(most()).toBe(6)
              }),
              options
            )
          }),
          options
        )
      })
    )
  })

  it("a worker that gets a signal to stop begins none of those that wait in line, also without leases", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        yield* script(slowly(1_000, answers(200)))
        for (let made = 0; made < 10; made++) yield* fire(stage)
        const alone = { ...everything, look: Effect.succeed(Bucket.ALL), leave: Effect.void, crew: () => ALONE }
        const worker = yield* Effect.fork(Effect.interruptible(runWorker({ fanOutBatch: 10 }, alone)))
        yield* Effect.sleep("100 millis")
        yield* Fiber.interrupt(worker)
        expect((yield* posts()).length).toBe(4)
        expect((yield* deliveries).map(({ state }) => state)).toEqual(Array(4).fill("delivered"))
      })
    )
  })
})
