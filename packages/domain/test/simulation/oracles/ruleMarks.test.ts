import { describe, expect, it } from "vitest"
import { course } from "../../../testing/simulation/oracles/support/courses/Course.js"
import { names, reached } from "../../../testing/simulation/oracles/marks/ruleMarks.js"
import { Ana, DAY, FAR, HOME, HOUR, MINUTE, north, ok, SECOND } from "./home.js"

const marks = (ana: Ana) => [...reached(ana.run())].toSorted()

it("no two marks have one name, and a story in which nothing happens reaches none", () => {
  expect(new Set(names).size).toBe(names.length)
  expect(marks(new Ana())).toEqual([])
})

describe("marks of rules", () => {
  it("a fix that seeds, one within the margin, an arrival, and one within the cooldown", () => {
    const ana = new Ana()
    ana.rule()
    const walk = (...points: ReadonlyArray<{ lat: number; lon: number }>) => {
      for (const point of points) {
        ana.send(ana.reading(point))
        ana.after(MINUTE / 2)
      }
    }
    walk(north(200))
    expect(marks(ana)).toEqual(["boundary fix"])
    walk(FAR)
    expect(marks(ana)).toEqual(["boundary fix", "first fix"])
    walk(HOME)
    expect(marks(ana)).toContain("fired")
    walk(FAR, HOME)
    expect(marks(ana)).toContain("cooldown drop")
  })
  it("a crossing that waits, is contradicted, and settles [rules-13]", () => {
    const ana = new Ana()
    ana.rule("enter", { settleS: 30 })
    for (const point of [FAR, HOME, FAR]) {
      ana.send(ana.reading(point))
      ana.after(SECOND)
    }
    expect([...course(ana.run()).notes]).toEqual(expect.arrayContaining(["crossing waited", "crossing contradicted"]))
    ana.after(HOUR)
    ana.send(ana.reading(HOME))
    ana.after(MINUTE)
    ana.send(ana.reading(HOME))
    expect([...course(ana.run()).notes]).toContain("crossing settled")
  })
  it("the end of the cooldown to the millisecond", () => {
    const ana = new Ana()
    ana.rule()
    for (const point of [FAR, HOME, FAR, HOME]) {
      ana.send(ana.reading(point))
      ana.after(MINUTE)
    }
    expect(marks(ana)).toContain("fired at the end of the cooldown")
  })
  it("what is stale, old, repeated and out of order", () => {
    const ana = new Ana()
    ana.rule()
    ana.send(ana.reading(FAR))
    ana.after(HOUR)
    const stale = ana.reading(HOME, ana.t - 16 * MINUTE)
    ana.send(stale)
    expect(marks(ana)).toEqual(["first fix", "stale crossing"])
    ana.send(stale, ana.reading(FAR, stale.capturedAt - 1))
    expect(marks(ana)).toEqual(["duplicate fix", "first fix", "old fix", "shuffled upload", "stale crossing"])
  })
  it("late batches, applied until a day after the window and then ignored", () => {
    const ana = new Ana()
    const until = ana.t + HOUR
    ana.rule("enter", { activeUntil: until })
    ana.after(HOUR + DAY)
    ana.send(ana.reading(FAR, until - 2))
    expect(marks(ana)).toContain("late batch applied")
    ana.after(1)
    ana.send(ana.reading(HOME, until - 1))
    expect(marks(ana)).toContain("late batch ignored")
  })
  it("the eleventh rule, refused alone or in a race", () => {
    const ana = new Ana()
    const { appId, token } = ana
    for (let n = 0; n < 9; n++) ana.rule()
    const [first, second] = [0, 1].map(() => ana.begin("call", { appId, token, request: ana.request("enter") }))
    ana.end(first ?? 0, "call", ok({ status: 201, error: null, body: { id: "tenth" } }))
    const refused = { status: 409, error: "rule_limit_reached", body: { instant: ana.t } }
    ana.end(second ?? 0, "call", ok(refused))
    expect(marks(ana)).toEqual(["eleventh rule refused", "race for the last place"])
  })
  it("a place that moves sets its rules back", () => {
    const ana = new Ana()
    ana.rule()
    ana.send(ana.reading(FAR))
    const { placeId, userId } = ana
    ana.op("updatePlace", { userId, placeId, label: "Home", kind: "home", ...FAR, radiusM: 200 }, ok(null))
    expect(marks(ana)).toContain("rule begun anew")
  })
})

describe("marks of deliveries", () => {
  const attempt = (number: number) => ({ attempt: number, startedAt: number, endedAt: number, status: 500, error: "" })
  const ended = { dueAt: null, endedAt: 1 }

  it("the seventh attempt, exhausted; too old, before and after an attempt; delivered late", () => {
    const ana = new Ana()
    const seven = [1, 2, 3, 4, 5, 6, 7].map(attempt)
    ana.row({ state: "failed", failReason: "exhausted", attempt: 7, attempts: seven, ...ended })
    ana.row({ state: "too_old", attempts: [attempt(1)], ...ended })
    ana.row({ state: "delivered", attempt: 2, ...ended })
    ana.readLog()
    expect(marks(ana)).toEqual([
      "delivered on a retry",
      "exhausted",
      "seventh attempt",
      "too old after an attempt",
      "too old withheld"
    ])
  })
  it("the twentieth exhaustion, with what waited", () => {
    const ana = new Ana()
    ana.readEndpoints({ enabled: false, disabledAt: ana.t, strikes: 20 })
    expect(marks(ana)).toEqual(["20th exhaustion"])
    ana.row({ state: "failed", failReason: "endpoint_disabled", dueAt: null, endedAt: ana.t })
    ana.readLog()
    expect(marks(ana)).toEqual(["20th exhaustion", "endpoint disabled with waiting rows"])
  })
  it("a lease that ran out, and a worker that died while it waited", () => {
    const ana = new Ana()
    ana.hook(ana.body("places.changed", { places_version: 2 }), "hang", 5 * SECOND)
    const claim = (lease: string) =>
      ana.add({
        kind: "port",
        op: null,
        port: "DeliveryStore",
        method: "claim",
        outcome: "ok",
        args: { lease, now: ana.t, leaseUntil: ana.t + 30 * SECOND },
        value: [{ deliveryId: "delivery" }]
      })
    claim("one")
    ana.after(SECOND)
    ana.add({ kind: "fault", fault: "crash", detail: "worker" })
    ana.after(MINUTE)
    claim("two")
    expect(marks(ana)).toEqual([
      "lease taken over",
      "places.changed sent",
      "receiver hangs",
      "worker died while a receiver was waited for"
    ])
  })
})
