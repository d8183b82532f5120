import { expect, it } from "@effect/vitest"
import { Simulation } from "@place-access/domain/testing"
import { plants } from "../plants/all.js"

const SEED = 12
const me = { do: "call", connection: 0, back: 0, isFresh: false, ask: { about: "me" }, purpose: "fitting" } as const
const LONG_STORY: ReadonlyArray<Simulation.Step> = [
  {
    do: "consent",
    person: 0,
    app: 0,
    again: null,
    scopes: ["place.current", "visits.read"],
    unticked: [],
    places: [0],
    earlier: [],
    standardDays: null,
    sensitiveDays: 30,
    externalUserId: null,
    isExchanged: true
  },
  me,
  { do: "look", app: 0 },
  { do: "wait", ms: 5_000_000 },
  { do: "read access log", person: 0 },
  { do: "archive place", person: 0, place: 1 },
  me,
  { do: "look", app: 0 }
]

it("the same seed is the same plan and the same trace", () => {
  expect(Simulation.Swarm.plan(SEED)).toEqual(Simulation.Swarm.plan(SEED))
  expect(Simulation.Swarm.plan(SEED + 1)).not.toEqual(Simulation.Swarm.plan(SEED))
  const [first, again] = [Simulation.randomSync({ seed: SEED }), Simulation.randomSync({ seed: SEED })]
  expect(again.jsonl).toBe(first.jsonl)
  expect(first.violations).toEqual([])
})

it("a plan goes through a file as it is", () => {
  const plan = Simulation.Swarm.plan(SEED)
  expect(Simulation.readPlan(JSON.parse(JSON.stringify(plan)))).toEqual(plan)
})

it.each([
  [null, "no JSON object"],
  [{ seed: -1, workers: 1, people: 1, apps: 1, steps: [] }, "seed must be"],
  [{ seed: 1, workers: 1, people: 1, apps: 1, steps: {} }, "steps must be"],
  [{ seed: 1, workers: 1, people: 1, apps: 1, steps: [{ do: "fly" }] }, "step 0"],
  [{ seed: 1, workers: 1, people: 1, apps: 1, steps: [{ do: "toString" }] }, "step 0"],
  [{ seed: 1, workers: 1, people: 1, apps: 1, steps: [], scheduling: "lifo" }, "scheduling"]
])("a file that is no plan is refused with what is wrong: %j", (value, problem) => {
  expect(() => Simulation.readPlan(value)).toThrow(problem)
})

it("steps that make no sense are passed over, so that anything can be taken out of a plan", () => {
  const plan: Simulation.Plan = {
    seed: 1,
    scheduling: "fifo",
    workers: 1,
    faults: {},
    people: 1,
    apps: 0,
    hasSandbox: false,
    steps: [
      { do: "refresh", connection: 3, back: 0, client: "right" },
      { do: "until", moment: "grace ends", of: 0, offsetMs: 0 },
      { do: "remove rule", rule: 0 },
      { do: "together", apartMs: 0, deeds: [{ do: "look", app: 0 }] }
    ]
  }
  const result = Simulation.runPlanSync(plan)
  expect(result.marks["skipped"]).toBe(4)
  expect(result.violations).toEqual([])
})

it("a plan that breaks a rule is cut down to a few steps that still break it, and printed as a test", () => {
  const plant = plants.find(({ oracle }) => oracle === "T1")
  const plan: Simulation.Plan = { ...Simulation.Swarm.plan(SEED), faults: {}, steps: LONG_STORY }
  const config = { sabotage: plant?.sabotage }
  const shrunk = Simulation.shrinkSync(plan, { ...config, invariants: ["T1"], attempts: 150 })
  expect(shrunk.plan.steps.map((step) => step.do)).toEqual(["consent", "wait", "call"])
  expect(Simulation.runPlanSync(shrunk.plan).violations).toEqual([])
  const text = Simulation.failureOf(shrunk.result)
  expect(text).toContain(`Seed ${SEED} breaks, with 3 steps:`)
  expect(text).toContain("expect(Simulation.runPlanSync(plan).violations).toEqual([])")
  // What is printed is the plan itself.
  const printed = /const plan: Simulation\.Plan = (\{[^]*?\n {2}\})\n/.exec(text)?.[1] ?? ""
  expect(Function(`"use strict"; return (${printed})`)()).toEqual(shrunk.plan)
})
