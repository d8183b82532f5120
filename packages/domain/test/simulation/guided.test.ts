import { Simulation } from "@place-access/domain/testing"
import { describe, expect, it } from "vitest"
import { isPlan } from "../../testing/simulation/plan/readPlan.js"
import { breath } from "../support/breath.js"

const { Mutation, Search, Streams, Swarm } = Simulation

describe("a search that looks for what is new", () => {
  it("changes plans to plans, any number of times", async () => {
    const draw = Streams.make(7, "guided")
    let plan = Swarm.plan(1, 20)
    for (let n = 0; n < 400; n++) {
      plan = Mutation.mutate(plan, Swarm.plan(n + 2, 20), draw)
      expect(isPlan(plan)).toBe(true)
      expect(plan.steps.length).toBeGreaterThan(0)
      expect(plan.steps.length).toBeLessThanOrEqual(200)
      if (n % 50 === 0) await breath()
    }
  })

  it("changes every number of a step, also one inside a deed of a step, to numbers at the limits of the specification", () => {
    const draw = Streams.make(7, "guided")
    const ask = { about: "presence", place: 0, maxAgeS: 200 } as const
    const fix = { do: "fix", person: 0, phone: 0, place: 0, edgeM: 20, accuracyM: 20, ageMs: 20 } as const
    const call = { do: "call", connection: 0, back: 0, isFresh: true, ask, purpose: "none" } as const
    const steps = [{ do: "together", apartMs: 20, deeds: [fix, call] }] as const
    const plan = { ...Swarm.plan(1, 1), steps }
    const written = new Set<string>()
    const numbers = (value: unknown, name: string): void => {
      if (typeof value === "number") written.add(`${name} ${value}`)
      else if (typeof value === "object" && value !== null)
        for (const [key, part] of Object.entries(value)) numbers(part, key)
    }
    for (let n = 0; n < 6_000; n++) numbers(Mutation.mutate(plan, plan, draw).steps, "")
    const limits = [
      "apartMs 0",
      "accuracyM 50",
      "accuracyM 51",
      "edgeM 150",
      "ageMs 900000",
      "maxAgeS 900",
      "maxAgeS 30"
    ]
    expect(limits.filter((limit) => !written.has(limit))).toEqual([])
  })

  it("changes a long plan as often as a short one, and lets it grow no more", () => {
    const draw = Streams.make(7, "guided")
    const short = Swarm.plan(1, 60)
    const long = { ...short, steps: Array.from({ length: 600 }, (_, n) => short.steps[n % short.steps.length]!) }
    const changed = [short, long].map((plan) =>
      Array.from({ length: 40 }, () => Mutation.mutate(plan, Swarm.plan(2, 60), draw)).filter((one) => one !== plan)
    )
    expect(changed.map(({ length }) => length > 36)).toEqual([true, true])
    expect(Math.max(...changed[1]!.map(({ steps }) => steps.length))).toBe(600)
  })

  const result = (seed: number, ...marks: ReadonlyArray<string>) => ({
    plan: { ...Swarm.plan(seed, 5), seed },
    entries: [],
    marks: Object.fromEntries(marks.map((mark) => [mark, 1]))
  })

  it("keeps a plan that reached something new, and no other: a mark, or two marks that came together first", () => {
    const search = Search.start({ seed: 1 })
    expect(search.learn(result(1, "code reused"))).toBe(1)
    expect(search.learn(result(2, "code reused"))).toBe(0)
    expect(search.learn(result(3, "a"))).toBe(1)
    expect(search.learn(result(4, "code reused", "a"))).toBe(1)
    expect(search.learn(result(5, "a", "code reused"))).toBe(0)
    expect(search.corpus().map(({ seed }) => seed)).toEqual([1, 3, 4])
    expect(search.reached()).toBe(3)
  })

  it("keeps a plan that brought something which the trace does not show, once", () => {
    const search = Search.start({ seed: 1 })
    const line = new Set(["line tokens/Caller.ts:41"])
    expect(search.learn(result(1), line)).toBe(1)
    expect(search.learn(result(2), line)).toBe(0)
    expect(search.corpus().map(({ seed }) => seed)).toEqual([1])
  })

  it("names the marks that no run reached, and only marks that somebody wrote down", () => {
    const search = Search.start({ seed: 1 })
    const [mark = "", ...others] = search.missing()
    search.learn(result(1, mark, "nobody wrote this down"))
    expect(search.missing()).toEqual(others)
  })

  it("begins with the corpus of an earlier search", () => {
    const corpus = [Swarm.plan(3, 5), Swarm.plan(4, 5)]
    const search = Search.start({ seed: 1, corpus })
    expect([search.next(), search.next()]).toEqual(corpus)
  })

  it("is the same for the same seed and results, and changes kept plans", async () => {
    // The second search runs no plans: for each plan, it gets the result that the first search got. So the test fails
    // if the second search chooses another plan. Other tests check that a plan always has the same result.
    const results = new Map<string, ReturnType<typeof Simulation.runPlanSync>>()
    const session = async (run: (plan: Simulation.Plan) => ReturnType<typeof Simulation.runPlanSync> | undefined) => {
      const search = Search.start({ seed: 11, steps: 8 })
      const plans = []
      for (let n = 0; n < 12; n++) {
        const plan = search.next()
        plans.push(plan)
        const result = run(plan)
        if (result === undefined) throw new Error(`plan ${n} is another one`)
        results.set(JSON.stringify(plan), result)
        search.learn(result)
        await breath()
      }
      return { plans, reached: search.reached() }
    }
    const one = await session((plan) => Simulation.runPlanSync(plan))
    const other = await session((plan) => results.get(JSON.stringify(plan)))
    expect(one).toEqual(other)
    const fresh = new Set(Array.from({ length: 12 }, (_, n) => JSON.stringify(Swarm.plan(11 + n, 8))))
    expect(one.plans.filter((plan) => !fresh.has(JSON.stringify(plan))).length).toBeGreaterThan(3)
  })

  it("tells operations apart by how they ended, after what, and ports by their outcome", () => {
    const stamp = { t: 0, passed: 0, proc: "world" }
    const entries = [
      { ...stamp, i: 0, kind: "begun", name: "revoke", actor: "app", args: {} },
      { ...stamp, i: 1, kind: "port", op: 0, port: "TokenStore", method: "revoke", outcome: "unknown" },
      { ...stamp, i: 2, kind: "done", name: "revoke", op: 0, outcome: { _tag: "unknown", because: "crash" } },
      { ...stamp, i: 3, kind: "begun", name: "call", actor: "app", args: {} },
      {
        ...stamp,
        i: 4,
        kind: "done",
        name: "call",
        op: 3,
        outcome: { _tag: "ok", value: { status: 401, error: "invalid_token", body: { sub: "drawn" } } }
      }
    ] as unknown as Parameters<typeof Simulation.reachedBy>[0]["entries"]
    expect([...Simulation.reachedBy({ entries, marks: {} })].sort()).toEqual([
      "call ok 401 invalid_token",
      "nothing > revoke unknown crash",
      "port TokenStore.revoke unknown",
      "revoke unknown crash",
      "revoke unknown crash > call ok 401 invalid_token"
    ])
  })
})
