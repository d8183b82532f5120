import { FixStore } from "@place-access/domain/fixes"
import { Simulation } from "@place-access/domain/testing"
import { Context, Effect, Fiber } from "effect"
import { expect, it } from "vitest"
import { overHttp } from "../../src/simulate/http/driver.js"

const SEEDS = Array.from({ length: 6 }, (_, n) => 7_100 + n)

const run = (plan: Simulation.Plan, driver?: Simulation.Driver) => Simulation.runPlanSync(plan, { driver })

/** A text for each operation, with its name and how it ended, in the order in which the operations began. */
const endings = ({ entries }: Simulation.SimResult): ReadonlyArray<string> => {
  const done = new Map(entries.flatMap((entry) => (entry.kind === "done" ? [[entry.op, entry] as const] : [])))
  return entries.flatMap((entry) => {
    if (entry.kind !== "begun") return []
    const outcome = done.get(entry.i)?.outcome
    const answer = entry.name === "call" && outcome?._tag === "ok" ? (outcome.value as Simulation.Answered) : undefined
    return [`${entry.name} ${outcome?._tag ?? "open"} ${answer?.status ?? ""} ${answer?.error ?? ""}`]
  })
}

it.each(SEEDS)("seed %i: over HTTP, with faults, no rule is broken, and a second run writes the same trace", (seed) => {
  const plan = Simulation.Swarm.plan(seed, 40)
  const [first, second] = [run(plan, overHttp), run(plan, overHttp)]
  expect(first.violations).toEqual([])
  expect(second.jsonl).toBe(first.jsonl)
})

it.each(SEEDS)(
  "seed %i: everything ends over HTTP as it ends without, as long as nothing fails [simulation-3]",
  (seed) => {
    const plan: Simulation.Plan = { ...Simulation.Swarm.plan(seed, 40), faults: {}, scheduling: "fifo" }
    expect(endings(run(plan, overHttp))).toEqual(endings(run(plan)))
  }
)

it("an upload that dies with its server holds no turn: the next server takes the next upload at once", () => {
  const result = Simulation.runSync({ seed: 1, driver: overHttp }, (world) =>
    Effect.gen(function* () {
      const ana = yield* world.user("ana")
      const home = yield* ana.place({ label: "Home", lat: 52.1, lon: 5.1 })
      const phone = yield* ana.phone()
      yield* phone.at(home)
      yield* world.fault("port.slow")
      const lost = yield* Effect.fork(phone.at(home))
      yield* world.advance("1 milli")
      yield* world.crash("server")
      yield* world.heal
      expect((yield* Fiber.join(lost))?._tag).toBe("unknown")
      const before = yield* world.now
      expect((yield* phone.at(home))?._tag).toBe("ok")
      expect(yield* world.now).toBe(before)
    })
  )
  expect(result.stopped).toBeNull()
  expect(result.violations).toEqual([])
})

it("a phone that waits ten seconds for its turn is refused for now, and its next upload is taken", () => {
  const slowly: Simulation.Config["sabotage"] = (ports) => {
    const store = Context.get(ports, FixStore)
    const commit: typeof store.commit = (upload) => Effect.delay(store.commit(upload), "15 seconds")
    return Context.add(ports, FixStore, { ...store, commit })
  }
  const result = Simulation.runSync({ seed: 1, driver: overHttp, sabotage: slowly }, (world) =>
    Effect.gen(function* () {
      const ana = yield* world.user("ana")
      const home = yield* ana.place({ label: "Home", lat: 52.1, lon: 5.1 })
      const [one, two] = [yield* ana.phone(), yield* ana.phone("tablet")]
      const began = yield* world.now
      const first = yield* Effect.fork(one.at(home))
      const second = yield* Effect.fork(two.at(home))
      expect((yield* Fiber.join(second))?._tag).toBe("unknown")
      expect((yield* world.now) - began).toBe(10_000)
      expect((yield* Fiber.join(first))?._tag).toBe("ok")
      expect((yield* two.online())?._tag).toBe("ok")
    })
  )
  expect(result.stopped).toBeNull()
  expect(result.violations).toEqual([])
})
