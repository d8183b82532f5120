import type { WorkerOptions } from "@place-access/domain/dispatch"
import { Timestamp } from "@place-access/domain/shared"
import { MemoryDatabase, MemoryWebhookSender } from "@place-access/domain/testing"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { describe } from "vitest"
import {
  counting,
  attempts,
  BY_CLAIMS,
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

const { answers, hangs, inTurn, slowly } = MemoryWebhookSender

describe("the worker's loops", () => {
  it("one endpoint that hangs does not delay the others, however much it has waiting", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        const healthy = yield* register(stage.app.id, { url: `${URL}/healthy` })
        yield* script(hangs)
        yield* script(answers(200), healthy.endpoint.url)
        for (let made = 0; made < 300; made++) yield* fire(stage)
        yield* withWorker(
          Effect.gen(function* () {
            const started = yield* Timestamp.now
            yield* Effect.sleep("2 seconds")
            const arrived = yield* posts(healthy.endpoint.url)
            expect(arrived.length).toBe(300)
            // The healthy receiver answers immediately, and its POSTs take no time on the virtual clock. So all 300
            // POSTs must arrive at the instant at which the worker starts.
            expect(new Set(seconds(arrived, started))).toEqual(new Set([0]))
            expect((yield* posts()).length).toBe(8)
          }),
          { slots: 20, perEndpoint: 8 }
        )
      })
    )
  })

  it("with a backlog no slot is free for longer than 50 ms, and never are there more under way than slots", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        const { most, receiver } = counting(slowly(200, answers(200)))
        yield* script(receiver)
        for (let made = 0; made < 50; made++) yield* fire(stage)
        yield* withWorker(
          Effect.gen(function* () {
            yield* Effect.sleep("2501 millis")
            expect((yield* deliveries).filter(({ state }) => state === "delivered").length).toBe(50)
            expect(most()).toBe(5)
          }),
          { slots: 5, perEndpoint: 10 }
        )
      })
    )
  })

  it("what an endpoint has room for is filled as soon as it has", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        yield* script(slowly(200, answers(200)))
        for (let made = 0; made < 40; made++) yield* fire(stage)
        yield* withWorker(
          Effect.gen(function* () {
            yield* Effect.sleep("2001 millis")
            expect((yield* deliveries).filter(({ state }) => state === "delivered").length).toBe(40)
          }),
          { slots: 100, perEndpoint: 8 }
        )
      })
    )
  })

  it("an event that nobody signalled is found by polling", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        yield* script(answers(200))
        const { events } = yield* MemoryDatabase
        yield* withWorker(
          Effect.gen(function* () {
            yield* Effect.sleep("1500 millis")
            const event = yield* fire(stage)
            // The signal wakes the worker while the event is missing. Then the event is put back without a signal, so
            // only the next poll can find it.
            events.delete(event.id)
            yield* Effect.sleep("1 millis")
            events.set(event.id, { ...event, fanOutDueAt: event.occurredAt, fannedOutAt: null })
            yield* Effect.sleep("1 second")
            expect((yield* posts()).length).toBe(1)
          }),
          { pollEvery: "1 second" }
        )
      })
    )
  })

  it("several workers deliver each event once", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        yield* script(slowly(50, answers(200)))
        const options: Partial<WorkerOptions> = { slots: 7, perEndpoint: 50 }
        yield* withWorker(
          withWorker(
            withWorker(
              Effect.gen(function* () {
                for (let made = 0; made < 60; made++) {
                  yield* fire(stage)
                  yield* Effect.sleep("7 millis")
                }
                yield* Effect.sleep("1 minute")
                const ids = (yield* posts()).map(({ body }) => JSON.parse(body).event_id)
                expect(ids.length).toBe(60)
                expect(new Set(ids).size).toBe(60)
              }),
              options
            ),
            options
          ),
          options
        )
      })
    )
  })

  it("told to stop, it claims nothing more and waits for what is under way", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        yield* script(slowly(3_000, answers(200)))
        for (let made = 0; made < 10; made++) yield* fire(stage)
        const stopped = yield* withWorker(Effect.zipRight(Effect.sleep("1 second"), Timestamp.now), { perEndpoint: 4 })
        // `withWorker` returns only after the worker has stopped.
        expect((yield* Timestamp.now) - stopped).toBe(2_000)
        expect((yield* deliveries).map(({ state }) => state).sort()).toEqual([
          ...Array.from({ length: 4 }, () => "delivered"),
          ...Array.from({ length: 6 }, () => "trying")
        ])
      })
    )
  })

  it("what is not answered by the end of its patience is left to its lease: the same attempt, by another worker [§6.4.6-stored]", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        yield* script(inTurn(hangs, answers(200)))
        const event = yield* fire(stage)
        yield* withWorker(Effect.sleep("1 second"), { drainFor: "1 second", ...BY_CLAIMS })
        expect(yield* deliveries).toMatchObject([{ state: "trying", attempt: 1 }])
        yield* withWorker(Effect.sleep("1 minute"), { pollEvery: "1 second" })
        expect(seconds(yield* posts(), event.occurredAt)).toEqual([0, 30])
        expect(yield* deliveries).toMatchObject([{ state: "delivered", attempt: 1 }])
        expect((yield* attempts).map(({ attempt, status }) => [attempt, status])).toEqual([[1, 200]])
      })
    )
  })
})
