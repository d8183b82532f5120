import { Simulation } from "@place-access/domain/testing"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { FixHistory } from "@place-access/domain/fixes"
import { Timestamp } from "@place-access/domain/shared"
import { instead } from "./plants/plant.js"
import { DAY, FAR, HOUR } from "./plants/scene.js"

const SCOPES = ["location.history.read"]
/** The clocks of Amsterdam and of New York go forward in the days of the run, and those of Kathmandu never do. */
const ZONES = ["Europe/Amsterdam", "America/New_York", "Asia/Kathmandu"]

/** A phone sends a reading every hour around the night in which the clocks of Amsterdam or of New York go forward. */
const scenario = (world: Simulation.World) =>
  Effect.gen(function* () {
    const ana = yield* world.user("ana")
    const phone = yield* ana.phone()
    const app = yield* world.app({ scopes: SCOPES })
    const connection = yield* app.connect(ana, { scopes: SCOPES, places: [], sensitiveDays: 90, standardDays: null })
    for (const night of ["2026-03-08T00:00:00Z", "2026-03-29T00:00:00Z"]) {
      const from = Date.parse(night) - 12 * HOUR
      yield* world.advance(from - (yield* world.now))
      for (let hour = 0; hour < 48; hour++) {
        yield* phone.fix(FAR)
        yield* world.advance(HOUR)
      }
      yield* connection.refresh
      for (const tz of ZONES) {
        yield* connection.call({ endpoint: "GET /v1/locations/days", from, to: from + 2 * DAY, tz })
      }
    }
  })

/** Plants a bug: each day begins an hour late. */
const anHourLate = instead(FixHistory, (store) => ({
  tally: (userId, now, edges) =>
    store.tally(
      userId,
      now,
      edges.map((edge, n) => (n === 0 || n === edges.length - 1 ? edge : Timestamp.make(edge + HOUR)))
    )
}))

it("days are counted in the time zone of the question, also when its clocks go forward [§4.4-days]", () => {
  const run = (sabotage?: Simulation.Sabotage) =>
    Simulation.runSync({ seed: 1, worker: { pollEvery: "1 day" }, sabotage }, scenario)
  const { entries, stopped, violations } = run()
  expect([stopped, violations]).toEqual([null, []])
  const answers = entries.flatMap((entry) =>
    entry.kind === "done" && entry.name === "call" && entry.outcome._tag === "ok" ? [entry.outcome.value] : []
  )
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 200))
  expect(new Set(run(anHourLate).violations.map(({ invariant }) => invariant))).toEqual(new Set(["Q5"]))
})
