import { Budget, ZoneQuestions } from "@place-access/domain/limits"
import { Timestamp } from "@place-access/domain/shared"
import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"

const START = Timestamp.make(Date.UTC(2026, 0, 15, 12))
const WINDOW = 1_000

/** The milliseconds between calls: often the length of the budget's window, a part of it, or a value next to it. */
const gaps = fc.array(fc.oneof(fc.constantFrom(0, 1, 249, 250, 251, 499, 500, 501, 999, 1_000, 1_001), fc.nat(1_500)), {
  maxLength: 80
})

describe("a budget", () => {
  it("is 20 zone questions in any 60 minutes", () => {
    expect(ZoneQuestions.HOURLY).toMatchObject({ calls: 20, windowMillis: 3_600_000 })
  })

  it("for any calls: never more than it has in any window, never a refusal with fewer, and the wait is exact [M8]", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), gaps, (calls, all) => {
        const budget: Budget.Budget = { name: "test", calls, windowMillis: WINDOW }
        const spent: Array<number> = []
        let kept: ReadonlyArray<Timestamp.Timestamp> = []
        let at = START
        for (const gap of all) {
          at = Timestamp.plus(at, gap)
          const inWindow = spent.filter((one) => at - one < WINDOW).length
          const spending = Budget.spend(budget, kept, at)
          expect(spending._tag).toBe(inWindow < calls ? "Spent" : "Refused")
          if (spending._tag === "Spent") {
            spent.push(at)
            kept = spending.calls
          }
          expect(kept.length).toBeLessThanOrEqual(calls)
          const wait = spending._tag === "Refused" ? spending.retryAfterMillis : 0
          const opens = [wait - 1, wait].map((later) => Budget.spend(budget, kept, Timestamp.plus(at, later))._tag)
          expect(wait === 0 ? [] : opens).toEqual(wait === 0 ? [] : ["Refused", "Spent"])
        }
        for (const from of spent) {
          expect(spent.filter((one) => one >= from && one < from + WINDOW).length).toBeLessThanOrEqual(calls)
        }
      }),
      { numRuns: 300 }
    )
  })

  it("a call of a server whose clock is behind counts beside those of the others, in order of time", () => {
    const budget: Budget.Budget = { name: "test", calls: 2, windowMillis: WINDOW }
    const behind = Timestamp.plus(START, -40)
    expect(Budget.spend(budget, [START], behind)).toEqual({ _tag: "Spent", calls: [behind, START] })
    expect(Budget.spend(budget, [behind, START], behind)).toEqual({ _tag: "Refused", retryAfterMillis: WINDOW })
  })
})
