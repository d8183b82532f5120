import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, TestClock } from "effect"
import { arrivals } from "../../src/demo/arrivals.js"
import type { Received } from "../../src/demo/Receiver.js"

const webhook = (type: string): Received => ({
  at: 0,
  header: "",
  body: JSON.stringify({ type }),
  verification: { ok: false, reason: "missing_header", message: "" }
})
const receiver = (...types: ReadonlyArray<string>) => ({ url: "", received: types.map(webhook), trust: () => {} })

describe("the webhooks of the demo", () => {
  it.effect("the tour stops when a webhook does not arrive, and names it", () =>
    Effect.gen(function* () {
      const waiting = yield* Effect.fork(arrivals(receiver("place.enter", "place.enter"), ["enter", "dwell", "exit"]))
      yield* TestClock.adjust("10 seconds")
      const { message } = yield* Effect.flip(Fiber.join(waiting))
      expect(message).toBe("2 webhooks did not arrive within 10 s: place.dwell, place.exit")
    })
  )

  it.effect("the tour goes on as soon as every webhook has arrived", () =>
    Effect.gen(function* () {
      const late = receiver("place.enter")
      const waiting = yield* Effect.fork(arrivals(late, ["enter", "exit"]))
      yield* TestClock.adjust("9 seconds")
      late.received.push(webhook("place.exit"))
      yield* TestClock.adjust("50 millis")
      yield* Fiber.join(waiting)
    })
  )
})
