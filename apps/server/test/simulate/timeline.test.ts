import { Simulation } from "@place-access/domain/testing"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { timelineOf } from "../../src/simulate/timeline/timeline.js"

const ME = { endpoint: "GET /v1/me" } as const
const SCOPES = ["location.rules.place"]

interface Dot {
  readonly t: number
  readonly i: number
}

it("a clock that is set back: the timeline draws what came later further to the right", () => {
  const result = Simulation.runSync({ seed: 1 }, (world) =>
    Effect.gen(function* () {
      const ana = yield* world.user("ana")
      const app = yield* world.app({ scopes: SCOPES })
      const connection = yield* app.connect(ana, { scopes: SCOPES })
      yield* connection.call(ME)
      yield* world.advance("10 minutes")
      yield* world.jump(-3_600_000)
      yield* connection.call(ME)
      yield* world.advance("10 minutes")
      yield* connection.call(ME)
    })
  )
  const [, json = ""] = /id="data">(.*?)<\/script>/s.exec(timelineOf(result)) ?? []
  const { lanes } = JSON.parse(json) as { lanes: ReadonlyArray<{ group: string; dots: ReadonlyArray<Dot> }> }
  const calls = lanes.filter(({ group }) => group === "Connections").flatMap(({ dots }) => dots)
  expect(calls.length).toBeGreaterThan(3)
  expect(calls.toSorted((a, b) => a.t - b.t || a.i - b.i).map(({ i }) => i)).toEqual(
    calls.map(({ i }) => i).toSorted((a, b) => a - b)
  )
})
