import { ConsentFlow, Fixtures, MemoryDatabase } from "@place-access/domain/testing"
import { changeConnection, endExactLocation, pauseConnection, resumeConnection } from "@place-access/domain/steering"
import { Effect, FastCheck as fc } from "effect"
import { expect, it } from "vitest"
import { inWorld } from "../support/connections.js"
import { liveSteered, STEER_MARKS, steerLives, steerStories } from "../support/steerLife.js"

it("a steered connection tells nothing beyond what is agreed at that moment, and nothing during a pause, over generated lives [connection-4, connection-6, connection-7]", async () => {
  const seen = new Set<string>()
  await fc.assert(
    fc.asyncProperty(steerLives, (steps) => inWorld(Effect.asVoid(liveSteered(steps, seen)))),
    { numRuns: steerStories.length + 60, examples: steerStories.map((story) => [[...story]]) }
  )
  expect([...seen].sort()).toEqual(STEER_MARKS)
}, 120_000)

it("permissions, ends and the end of exact location are mailed, a pause is not [connection-8]", () =>
  inWorld(
    Effect.gen(function* () {
      const user = yield* Fixtures.user
      const { app } = yield* Fixtures.registeredApp(user)
      yield* Fixtures.purpose(app.id, "finding_coffee")
      const { connectionId: id } = yield* ConsentFlow.connect(app, user, ["location.place.current", "location.lookup"])
      const { mail } = yield* MemoryDatabase
      const subjects = () => [...mail.values()].map(({ subject }) => subject).slice(1)
      yield* pauseConnection(user.id, id, "day")
      yield* resumeConnection(user.id, id)
      expect(subjects()).toEqual([])
      yield* changeConnection(user.id, id, { standardDays: 7 })
      yield* endExactLocation(user.id, id)
      expect(subjects()).toEqual([
        "You changed what Coffee Finder may do",
        "You stopped sharing your exact location with Coffee Finder"
      ])
    })
  ))
