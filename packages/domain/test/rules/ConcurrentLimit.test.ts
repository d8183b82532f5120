import { ConcurrentLimit, type Rule } from "@place-access/domain/rules"
import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { NOON, time } from "../support/rules.js"

const window = (from: number | null, until: number | null): Rule.RuleWindow => ({
  from: from === null ? null : time(NOON + from),
  until: until === null ? null : time(NOON + until)
})
const ALWAYS = window(null, null)

const overflow = (present: ReadonlyArray<Rule.RuleWindow>, candidate: Rule.RuleWindow): number | undefined => {
  const instant = ConcurrentLimit.firstOverflow(present, candidate, time(NOON))
  return instant === undefined ? undefined : instant - NOON
}
const times = (count: number, one: Rule.RuleWindow) => Array.from({ length: count }, () => one)

describe("at most ten rules at one instant [§4.6.6, §8-rules, L11]", () => {
  it("the tenth fits, the eleventh does not, from now on", () => {
    expect(overflow(times(9, ALWAYS), ALWAYS)).toBeUndefined()
    expect(overflow(times(10, ALWAYS), ALWAYS)).toBe(0)
  })

  it("windows are half-open: one may begin as another ends", () => {
    expect(overflow(times(10, window(null, 5)), window(5, null))).toBeUndefined()
    expect(overflow(times(10, window(null, 6)), window(5, null))).toBe(5)
    expect(overflow(times(10, window(5, null)), window(null, 5))).toBeUndefined()
    expect(overflow(times(10, window(5, null)), window(null, 6))).toBe(5)
  })

  it("names the first instant that would see eleven", () => {
    const present = [...times(9, ALWAYS), window(10, 20), window(30, null)]
    expect(overflow(present, ALWAYS)).toBe(10)
    expect(overflow(present, window(15, null))).toBe(15)
    expect(overflow(present, window(20, null))).toBe(30)
    expect(overflow(present, window(20, 30))).toBeUndefined()
  })

  it("what is over is over: finished rules do not count, and no instant before now does", () => {
    expect(overflow(times(10, window(null, 0)), ALWAYS)).toBeUndefined()
    expect(overflow(times(10, window(-20, 1)), window(-30, null))).toBe(0)
  })

  it("twenty rules that never meet are fine", () => {
    const present = Array.from({ length: 20 }, (_, index) => window(index, index + 1))
    expect(overflow(present, ALWAYS)).toBeUndefined()
  })

  it("agrees with counting the rules at every instant [§4.6.6]", () => {
    const end = fc.option(fc.integer({ min: -3, max: 12 }), { freq: 4 })
    const some = fc
      .tuple(end, end)
      .filter(([from, until]) => from === null || until === null || from < until)
      .map(([from, until]) => window(from, until))
    const isActive = ({ from, until }: Rule.RuleWindow, at: number): boolean =>
      (from === null || from - NOON <= at) && (until === null || at < until - NOON)
    let refused = 0
    fc.assert(
      fc.property(fc.array(some, { minLength: 9, maxLength: 30 }), some, (present, candidate) => {
        // Times are whole milliseconds, at most 12 ms after noon. So the set of active rules does not change after 12
        // ms, and a check of the instants from 0 to 13 ms is enough.
        const instants = Array.from({ length: 14 }, (_, at) => at)
        const expected = instants.find(
          (at) => isActive(candidate, at) && present.filter((one) => isActive(one, at)).length >= 10
        )
        expect(overflow(present, candidate)).toBe(expected)
        if (expected !== undefined) refused++
      }),
      { numRuns: 3_000 }
    )
    expect(refused).toBeGreaterThan(300)
  })
})
