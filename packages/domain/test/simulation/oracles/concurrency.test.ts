import { describe, expect, it } from "vitest"
import type { RuleFields } from "../../../testing/simulation/Operations.js"
import { Ana, HOUR, names, ok } from "./home.js"

const many = (ana: Ana, count: number, over: Partial<RuleFields> = {}) => {
  const made = []
  for (let n = 0; n < count; n++) made.push(ana.rule("enter", over))
  return made
}

const refuse = (ana: Ana, instant: number, over: Partial<RuleFields> = {}) =>
  ana.call(ana.appId, ana.token, 409, ana.request("enter", over), { error: "rule_limit_reached", body: { instant } })

const racing = (ana: Ana, ...statuses: ReadonlyArray<number>) => {
  const { appId, token } = ana
  const begun = statuses.map(() => ana.begin("call", { appId, token, request: ana.request("enter") }))
  statuses.forEach((status, index) => {
    const isMade = status === 201
    const body = isMade ? { id: ana.fresh("rule") } : { instant: ana.t }
    ana.end(begun[index] ?? 0, "call", ok({ status, error: isMade ? null : "rule_limit_reached", body }))
  })
}

describe("C1: at most ten", () => {
  it("the tenth may be made and the eleventh not", () => {
    const ana = new Ana()
    many(ana, 10)
    expect(ana.broken).toEqual({})
    many(ana, 1)
    expect(names(ana.broken)).toEqual(["C1"])
  })
  it("windows that meet do not overlap", () => {
    const ana = new Ana()
    many(ana, 10, { activeUntil: ana.t + HOUR })
    many(ana, 10, { activeFrom: ana.t + HOUR })
    expect(ana.broken).toEqual({})
    many(ana, 1, { activeFrom: ana.t + HOUR - 1, activeUntil: ana.t + HOUR })
    expect(names(ana.broken)).toEqual(["C1"])
  })
})

describe("C2: the instant of a refusal", () => {
  it("is one at which there are ten", () => {
    const ana = new Ana()
    many(ana, 10)
    refuse(ana, ana.t)
    expect(ana.broken).toEqual({})
  })
  it("is none at which there are nine", () => {
    const ana = new Ana()
    many(ana, 9)
    refuse(ana, ana.t)
    expect(names(ana.broken)).toEqual(["C2"])
  })
  it("lies in the rule's own window", () => {
    const ana = new Ana()
    many(ana, 10)
    refuse(ana, ana.t + HOUR, { activeFrom: ana.t + HOUR })
    expect(ana.broken).toEqual({})
    refuse(ana, ana.t, { activeFrom: ana.t + HOUR })
    expect(names(ana.broken)).toEqual(["C2"])
  })
  it("one that may have been made counts", () => {
    const ana = new Ana()
    many(ana, 9)
    const { appId, token } = ana
    ana.op("call", { appId, token, request: ana.request("enter") }, { _tag: "unknown", because: "unavailable" })
    refuse(ana, ana.t)
    expect(ana.broken).toEqual({})
  })
})

describe("C3: a race for the last place", () => {
  const race = (...statuses: ReadonlyArray<number>) => {
    const ana = new Ana()
    many(ana, 9)
    racing(ana, ...statuses)
    return names(ana.broken)
  }

  it("one winner is right", () => expect(race(201, 409)).toEqual([]))
  it("two winners are reported", () => expect(race(201, 201)).toEqual(["C3"]))
  it("a race without a winner is reported", () => expect(race(409, 409)).toEqual(["C3"]))
})

describe("C4: a rule that is removed", () => {
  it("a removed rule frees its place at once", () => {
    const ana = new Ana()
    const [first = ""] = many(ana, 10)
    ana.removeRule(first)
    many(ana, 1)
    expect(ana.broken).toEqual({})
  })
  it("is no reason for a refusal", () => {
    const ana = new Ana()
    const [first = ""] = many(ana, 10)
    ana.removeRule(first)
    refuse(ana, ana.t)
    expect(names(ana.broken)).toEqual(["C4"])
  })
})
