import { expect, it } from "@effect/vitest"
import { Simulation } from "@place-access/domain/testing"
import { plants } from "../plants/all.js"

const SEED = 12
const me = { do: "call", connection: 0, back: 0, isFresh: false, ask: { about: "me" }, purpose: "fitting" } as const
const LONG_STORY: ReadonlyArray<Simulation.PlanStep> = [
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
  const [first, second] = [Simulation.randomSync({ seed: SEED }), Simulation.randomSync({ seed: SEED })]
  expect(second.jsonl).toBe(first.jsonl)
  expect(first.violations).toEqual([])
})

it("a plan goes through a file as it is", () => {
  const plan = Simulation.Swarm.plan(SEED)
  expect(Simulation.readPlan(JSON.parse(JSON.stringify(plan)))).toEqual(plan)
})

it("seeds that differ beyond 32 bits are other plans", () => {
  // `Swarm.plan` also draws the features of a run from the seed. `planOfAll` takes all features, so a difference can
  // come only from the steps.
  expect(Simulation.Swarm.planOfAll(SEED + 2 ** 32).steps).not.toEqual(Simulation.Swarm.planOfAll(SEED).steps)
})

it("whatever a seed draws is a plan as files have it", () => {
  for (let seed = 1; seed <= 100; seed++) {
    const plan: unknown = JSON.parse(JSON.stringify(Simulation.Swarm.plan(seed)))
    expect(Simulation.readPlan(plan)).toEqual(plan)
  }
})

const SECRET = "rather-not-shown"
const planWith = (over: object) => ({ seed: 1, workers: 1, people: 1, apps: 1, steps: [], ...over })
const stepOf = (over: object) => planWith({ steps: [{ do: "calm" }, over] })

it.each([
  [SECRET, "it is no JSON object"],
  [null, "it is no JSON object"],
  [{}, "seed is missing"],
  [planWith({ seed: -1 }), "seed must be a whole number from 0"],
  [planWith({ seed: SECRET }), "seed must be a whole number from 0"],
  [planWith({ workers: 0 }), "workers must be a whole number from 1"],
  [planWith({ scheduling: SECRET }), "scheduling must be fifo or random"],
  [planWith({ hasSandbox: SECRET }), "hasSandbox must be true or false"],
  [planWith({ faults: { crash: 2 } }), "faults.crash must be a number from 0 to 1"],
  [planWith({ faults: { storm: 1 } }), "faults.storm is nothing that belongs there"],
  [planWith({ weather: SECRET }), "weather is nothing that belongs there"],
  [planWith({ steps: {} }), "steps must be a list"],
  [planWith({ steps: [SECRET] }), "steps[0] must be an object"],
  [stepOf({ do: SECRET }), "steps[1].do must be place, edit place,"],
  [stepOf({ do: "toString" }), "steps[1].do must be place, edit place,"],
  [stepOf({}), "steps[1].do is missing"],
  [stepOf({ do: "wait" }), "steps[1].ms is missing"],
  [stepOf({ do: "wait", ms: SECRET }), "steps[1].ms must be a whole number from 0"],
  [stepOf({ do: "wait", ms: -1 }), "steps[1].ms must be a whole number from 0"],
  [stepOf({ do: "crash", program: "worker", downMs: -1 }), "steps[1].downMs must be a whole number from 0"],
  [stepOf({ do: "wait", ms: 1, why: SECRET }), "steps[1].why is nothing that belongs there"],
  [
    stepOf({ do: "together", apartMs: 0, deeds: [{ do: "share", connection: 0, places: [SECRET] }] }),
    "steps[1].deeds[0].places[0] must be a whole number"
  ],
  [
    stepOf({ do: "redeliver", app: 0, delivery: 0, state: SECRET }),
    "steps[1].state must be trying, delivered, failed, too_old or null"
  ],
  [stepOf({ do: "script", endpoint: 0, replies: [200, SECRET] }), "steps[1].replies[1] must be a status, refuse,"],
  [
    stepOf({ do: "call", connection: 0, back: 0, isFresh: true, ask: { about: SECRET }, purpose: "fitting" }),
    "steps[1].ask.about must be me,"
  ],
  [
    stepOf({ do: "call", connection: 0, back: 0, isFresh: true, ask: { about: "zone", place: 0 }, purpose: "fitting" }),
    "steps[1].ask.radiusM is missing"
  ]
])(
  "a file that is no plan is refused with the name of what is wrong, and without what it holds: %j",
  (value, problem) => {
    const read = () => Simulation.readPlan(value)
    expect(read).toThrow(problem)
    expect(read).not.toThrow(SECRET)
  }
)

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

it("a crash of a program that does not run is passed over, and starts nothing", () => {
  const crash = (program: "worker" | "worker2", downMs: number) => ({ do: "crash", program, downMs }) as const
  const plan: Simulation.Plan = {
    ...Simulation.Swarm.plan(SEED),
    faults: {},
    workers: 1,
    steps: [
      crash("worker2", 0),
      crash("worker", 60_000),
      crash("worker", 0),
      { do: "wait", ms: 30_000 },
      { do: "calm" }
    ]
  }
  const { entries, marks } = Simulation.runPlanSync(plan)
  expect(marks["skipped"]).toBe(2)
  expect(entries.filter(({ proc }) => proc.startsWith("worker2"))).toEqual([])
  const began = entries.find((entry) => entry.kind === "fault" && entry.fault === "crash")
  const back = entries.find((entry) => entry.kind === "fault" && entry.fault === "restart")
  // The step `calm` starts the worker again, 30 s after the crash. The crash with `downMs: 0` must not have started it
  // earlier, because the worker was already down.
  expect((back?.t ?? 0) - (began?.t ?? 0)).toBe(30_000)
})

it("a step repeats something at most thirty times, so that a mutated number does not make a run endless", () => {
  const phone = { person: 0, phone: 0 } as const
  const edge = { ...phone, place: 0, metres: 100, accuracyM: 10, pauseMs: 1_000 } as const
  const plan: Simulation.Plan = {
    ...Simulation.Swarm.plan(SEED),
    faults: {},
    people: 1,
    steps: [
      ...LONG_STORY.slice(0, 1),
      { do: "calls", connection: 0, times: 40, purpose: "fitting" },
      { do: "offline", ...phone },
      { do: "fix", ...phone, place: 0, edgeM: 0, accuracyM: 10, ageMs: 0 },
      { do: "online", ...phone, shuffle: false, duplicate: 40 },
      { do: "commute", times: 40, ...edge }
    ]
  }
  const { entries, violations } = Simulation.runPlanSync(plan)
  const begun = (name: string) => entries.filter((entry) => entry.kind === "begun" && entry.name === name)
  expect(violations).toEqual([])
  expect(begun("call")).toHaveLength(30)
  const [sent, ...walked] = begun("upload")
  expect(sent).toHaveProperty("args.fixes.length", 30)
  // The plan has 30 trips. Each trip has two walks, away from home and back, and each walk has two readings.
  expect(walked).toHaveLength(30 * 2 * 2)
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
  // The text of the printed test contains the plan after shrinking.
  const printed = /const plan: Simulation\.Plan = (\{[^]*?\n {2}\})\n/.exec(text)?.[1] ?? ""
  expect(Function(`"use strict"; return (${printed})`)()).toEqual(shrunk.plan)
})

const sabotaged = (oracle: string) => ({ sabotage: plants.find((plant) => plant.oracle === oracle)?.sabotage })

it("a search that is stopped while it shortens a plan keeps what it has found until then", () => {
  const plan: Simulation.Plan = { ...Simulation.Swarm.plan(SEED), faults: {}, steps: LONG_STORY }
  let isStopped = false
  const steps = Simulation.shrinking(plan, { ...sabotaged("T1"), invariants: ["T1"], isEnough: () => isStopped })
  for (let n = 0; n < 3; n++) expect(steps.next().done).toBe(false)
  isStopped = true
  const { done, value } = steps.next()
  expect(done).toBe(true)
  expect(value).toMatchObject({ attempts: 2, result: { violations: [{ invariant: "T1" }] } })
})

it("a run that throws is a failing result without a trace, and no shorter form of another plan", () => {
  const plan: Simulation.Plan = { ...Simulation.Swarm.plan(SEED), faults: {}, steps: LONG_STORY }
  const { sabotage } = sabotaged("T1")
  // A bug of an oracle: it throws when the run is so short that it does not contain the wait of `LONG_STORY`. Shrinking
  // makes such runs, and must not return the plan of one of them as its result.
  const oracles = Simulation.Oracles.all.map((oracle) => ({
    ...oracle,
    check: (run: Simulation.Run) => {
      if (run.entries.every(({ passed }) => passed < 5_000_000)) throw new Error("the oracle is wrong")
      return oracle.check(run)
    }
  }))
  const shrunk = Simulation.shrinkSync(plan, { sabotage, oracles, invariants: ["T1"], attempts: 150 })
  expect(shrunk.plan.steps.map((step) => step.do)).toEqual(["consent", "wait", "call"])
  const none = { ...plan, steps: [] }
  const failed = Simulation.shrinkSync(none, { sabotage, oracles })
  expect(failed).toMatchObject({ plan: none, attempts: 0, result: { stopped: "the oracle is wrong", entries: [] } })
  expect(failed.result.violations).toEqual([{ invariant: "runs to its end", at: 0, detail: "the oracle is wrong" }])
})
