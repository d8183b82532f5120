import { Simulation } from "@place-access/domain/testing"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"

const ME = { endpoint: "GET /v1/me" } as const
const SCOPES = ["location.rules.place"]

const connected = (world: Simulation.World) =>
  Effect.gen(function* () {
    const ana = yield* world.user("ana")
    const app = yield* world.app({ scopes: SCOPES })
    return yield* app.connect(ana, { scopes: SCOPES })
  })

describe("a connection reads its token when an Effect runs, not when the Effect is built", () => {
  const afterwards = (build: (connection: Simulation.Connection) => Effect.Effect<unknown, unknown>) =>
    Simulation.runSync({ seed: 1 }, (world) =>
      Effect.gen(function* () {
        const connection = yield* connected(world)
        const built = build(connection)
        yield* connection.refresh
        yield* world.advance("1 hour")
        yield* connection.refresh
        yield* built
      })
    )
  const last = (name: string, { entries }: Simulation.SimResult) =>
    entries.findLast((entry) => entry.kind === "done" && entry.name === name)

  it("a call", () => {
    const result = afterwards((connection) => connection.call(ME))
    expect(last("call", result)).toMatchObject({ outcome: { value: { status: 200 } } })
  })
  it("a refresh", () => {
    const result = afterwards((connection) => connection.refresh)
    expect(last("refresh", result)).toMatchObject({ outcome: { _tag: "ok" } })
    expect(result.violations).toEqual([])
  })
  it("a revocation", () => {
    const result = afterwards((connection) => connection.revoke())
    const newest = result.entries.flatMap((entry) =>
      entry.kind === "done" && entry.name === "refresh" && entry.outcome._tag === "ok"
        ? [entry.outcome.value.refreshToken]
        : []
    )
    const revoked = result.entries.flatMap((entry) =>
      entry.kind === "begun" && entry.name === "revoke" ? [entry.args.token] : []
    )
    expect(revoked).toEqual([newest.at(-1)])
  })
})

it("an assertion of a scenario that fails is a violation", () => {
  const { stopped, violations } = Simulation.runSync({ seed: 1 }, (world) =>
    Effect.map(world.user("ana"), ({ name }) => expect(name).toBe("ben"))
  )
  expect(stopped).toContain("ben")
  expect(violations).toMatchObject([{ invariant: "runs to its end", detail: stopped }])
})

describe("what a run is asked for", () => {
  const empty: Simulation.Scenario = () => Effect.void
  it.each([1.5, Number.NaN, Number.POSITIVE_INFINITY])("a seed is a whole number, and %d is refused", (seed) => {
    expect(() => Simulation.runSync({ seed }, empty)).toThrow("The seed must be a whole number")
    expect(() => Simulation.randomSync({ seed })).toThrow("The seed must be a whole number")
  })
  it("a fault is one of those that there are, and a probability is from 0 to 1", () => {
    const kind = "port.fial" as Simulation.FaultKind
    expect(() => Simulation.runSync({ seed: 1, faults: { [kind]: 0.1 } }, empty)).toThrow(
      /^A fault must be one of port\.fail/
    )
    const { violations } = Simulation.runSync({ seed: 1 }, (world) => world.fault(kind))
    expect(violations).toMatchObject([{ detail: expect.stringContaining("A fault must be one of port.fail") }])
    expect(() => Simulation.runSync({ seed: 1, faults: { crash: 2 } }, empty)).toThrow("from 0 to 1")
  })
})

describe("an argument that makes no sense is refused, and the error names it", () => {
  it.each([Number.NaN, Number.POSITIVE_INFINITY, 0, -5, 1.5])("steps of a random run: %d", (steps) => {
    expect(() => Simulation.randomSync({ seed: 1, steps })).toThrow("steps must be a whole number from 1")
    expect(() => Simulation.Swarm.plan(1, steps)).toThrow("steps must be a whole number from 1")
    expect(() => Simulation.Swarm.planOfAll(1, steps)).toThrow("steps must be a whole number from 1")
  })

  it.each([
    [{ workers: 0 }, "workers must be a whole number from 1"],
    [{ workers: 1.5 }, "workers must be a whole number from 1"],
    [{ restCap: "3 dayz" as "3 days" }, "restCap must be a time that is not negative"]
  ])("%j", (config, error) => {
    expect(() => Simulation.runSync({ seed: 1, ...config }, () => Effect.void)).toThrow(error)
  })

  const hookOf = (world: Simulation.World) =>
    Effect.flatMap(world.app({ scopes: SCOPES }), (app) => app.endpoint("hook"))
  const scripted =
    (script: Simulation.Script): Simulation.Scenario =>
    (world) =>
      Effect.flatMap(hookOf(world), (hook) => hook.script(script))

  it.each<[string, Simulation.Scenario]>([
    ["The duration must be a time", (world) => world.advance(-5)],
    ["The duration must be a time", (world) => world.advance("-5 minutes")],
    ["The duration must be a time", (world) => world.advance("10 minuts" as "10 minutes")],
    ["The jump must be a whole number of milliseconds", (world) => world.jump("2 hours" as never)],
    ["The skew must be a whole number of milliseconds", (world) => world.skew("worker", Number.NaN)],
    ["The milliseconds of a pause must be a whole number from 0", (world) => world.pause("worker", -5)],
    ["The milliseconds of a cut must be a whole number from 0", (world) => world.cut("server", Number.NaN)],
    ["The milliseconds of a full disk must be a whole number from 0", (world) => world.fillDisk(-1)],
    ["An operation must be one of addDevice, ", (world) => world.perform("uplod" as "upload", {} as never)],
    ["A receiver must reply with a status from 200 to 599, or with refuse, ", scripted([99])],
    ["A receiver must reply with a status from 200 to 599, or with refuse, ", scripted([])],
    ["A receiver must reply with a status from 200 to 599, or with refuse, ", scripted("hangg" as "hang")],
    ["A receiver must reply with a status", scripted({ status: 200, delayMillis: -1 })]
  ])("%s: %s", (error, scenario) => {
    const { stopped } = Simulation.runSync({ seed: 1, restCap: 0 }, scenario)
    expect(stopped).toContain(error)
  })
})

describe("a clock that is set back", () => {
  const { entries, virtualMs } = Simulation.runSync({ seed: 1 }, (world) =>
    Effect.gen(function* () {
      const connection = yield* connected(world)
      yield* connection.call(ME)
      yield* world.advance("10 minutes")
      yield* world.jump(-3_600_000)
      yield* connection.call(ME)
      yield* world.advance("10 minutes")
      yield* connection.call(ME)
    })
  )

  it("entries have the time that passed beside the time of day, and it never goes back", () => {
    const passed = entries.map((entry) => entry.passed)
    expect(passed).toEqual(passed.toSorted((a, b) => a - b))
    expect(passed[0]).toBe(0)
    expect(passed.at(-1)).toBeLessThanOrEqual(virtualMs)
    const times = entries.map(({ t }) => t)
    expect(times).not.toEqual(times.toSorted((a, b) => a - b))
  })

  it("a webhook of an event from before is sent when the clock has caught up", () => {
    const jumpedBack = 30 * 60_000
    const { entries, violations } = Simulation.runSync({ seed: 1 }, (world) =>
      Effect.gen(function* () {
        const ana = yield* world.user("ana")
        const home = yield* ana.place({ label: "Home", lat: 52.1, lon: 5.1 })
        const phone = yield* ana.phone()
        const app = yield* world.app({ scopes: SCOPES })
        const hook = yield* app.endpoint("hook")
        yield* hook.script(200)
        const connection = yield* app.connect(ana, { scopes: SCOPES, places: [home] })
        yield* connection.call({
          endpoint: "POST /v1/rules/place",
          placeId: home.id,
          type: "enter",
          dwellMinutes: null,
          webhookUrl: null,
          activeFrom: null,
          activeUntil: null,
          maxEventAgeS: null
        })
        yield* phone.fix({ lat: 52.2, lon: 5.1 })
        yield* world.advance("10 minutes")
        yield* phone.at(home)
        yield* world.jump(-jumpedBack)
        yield* world.advance("40 minutes")
        yield* world.mark("forty minutes later")
      })
    )
    const jumped = entries.find((entry) => entry.kind === "fault" && entry.fault === "clock.jump")
    const posted = entries.filter((entry) => entry.kind === "posted")
    expect(posted.map(({ passed }) => Math.floor((passed - (jumped?.passed ?? 0)) / 60_000))).toEqual([30])
    expect(violations).toEqual([])
  })
})
