import { RuleEvaluation } from "@place-access/domain/rules"
import { describe, expect, it } from "@effect/vitest"
import {
  dwell,
  EDGE,
  evaluate,
  HOUR,
  INSIDE,
  MINUTE,
  NOON,
  OUTSIDE,
  outcomes,
  type Seen,
  time
} from "../support/rules.js"

/** Tests of dwell rules that fire because the phone sends nothing (decision rules-14). */

const SILENCE_S = 600
const question = (over: Partial<RuleEvaluation.Question> = {}) => ({ ...dwell(10), silenceS: SILENCE_S, ...over })

/**
 * Evaluates the fixes, and then settles the rule `after` milliseconds after noon. Returns the time of the firing that
 * the settling made, in minutes after noon, or null.
 */
const firingMinute = (seen: ReadonlyArray<Seen>, after: number, over: Partial<RuleEvaluation.Question> = {}) => {
  const { firedAt } = RuleEvaluation.settle(question(over), evaluate(question(over), seen).state, time(NOON + after))
  return firedAt === null ? null : (firedAt - NOON) / MINUTE
}

const ARRIVES: ReadonlyArray<Seen> = [
  { after: -MINUTE, where: OUTSIDE },
  { after: 0, where: INSIDE }
]

describe("a dwell with silence_s [rules-14, §4.6]", () => {
  it("fires silence_s after its minutes, for the end of the minutes, when the phone sends nothing more", () => {
    expect(firingMinute(ARRIVES, 20 * MINUTE - 1)).toBeNull()
    expect(firingMinute(ARRIVES, 20 * MINUTE)).toBe(10)
    expect(firingMinute(ARRIVES, 20 * HOUR)).toBe(10)
  })
  it("is not told by silence without silence_s [L7]", () => {
    expect(firingMinute(ARRIVES, 20 * HOUR, { silenceS: null })).toBeNull()
  })
  it("is not told when a reading from outside came before, whenever it was captured", () => {
    for (const after of [MINUTE, 10 * MINUTE, 20 * MINUTE - 1])
      expect(firingMinute([...ARRIVES, { after, where: OUTSIDE }], HOUR)).toBeNull()
    expect(firingMinute([...ARRIVES, { after: 2 * MINUTE, delay: 17 * MINUTE, where: OUTSIDE }], HOUR)).toBeNull()
  })
  it("counts from the end of the minutes, or from the arrival of a reading that came later", () => {
    const late = [...ARRIVES, { after: 9 * MINUTE, delay: 5 * MINUTE, where: INSIDE }]
    expect([firingMinute(late, 24 * MINUTE - 1), firingMinute(late, 24 * MINUTE)]).toEqual([null, 10])
  })
  it("a reading from inside after the minutes tells it at once, for its own time, as without silence_s", () => {
    const seen = [...ARRIVES, { after: 12 * MINUTE, where: INSIDE }]
    expect(outcomes(question(), seen)).toEqual(["seeded", "crossed", "fired"])
    expect(firingMinute(seen, HOUR)).toBeNull()
  })
  it("a reading within the margin changes nothing", () => {
    expect(firingMinute([...ARRIVES, { after: 12 * MINUTE, where: EDGE }], 20 * MINUTE)).toBe(10)
  })
  it("fires once a stay, and again in the next one", () => {
    const after = RuleEvaluation.settle(question(), evaluate(question(), ARRIVES).state, time(NOON + 20 * MINUTE)).state
    const second = evaluate(question(), [{ after: 30 * MINUTE, where: INSIDE }], after)
    expect([second.outcomes, second.state.unsettled]).toEqual([["no_change"], null])
    const away: ReadonlyArray<Seen> = [
      { after: 40 * MINUTE, where: OUTSIDE },
      { after: 50 * MINUTE, where: INSIDE }
    ]
    expect(evaluate(question(), away, second.state).state.unsettled?.at).toBe(NOON + 60 * MINUTE)
  })
  it("silence after a stale reading, or after one of more than 30 minutes before the end, tells nothing", () => {
    const stale = [{ after: 0, where: INSIDE, delay: 15 * MINUTE + 1 }]
    expect(firingMinute(stale, HOUR, { dwellMinutes: 30 })).toBeNull()
    expect(firingMinute([{ after: 0, where: INSIDE, delay: 15 * MINUTE }], HOUR, { dwellMinutes: 30 })).toBe(30)
    expect(firingMinute(ARRIVES, 5 * HOUR, { dwellMinutes: 31 })).toBeNull()
    expect(firingMinute([...ARRIVES, { after: MINUTE, where: INSIDE }], 5 * HOUR, { dwellMinutes: 31 })).toBe(31)
  })
  it("not before the rule began, nor at the end of its window, nor within the cooldown [M5, T3, §4.6.3]", () => {
    const at = (after: number) => time(NOON + after)
    // The silence begins with the reading at noon. The rule fires only if this reading was not captured before
    // `firesFrom`, the time from which on the rule may fire.
    expect(firingMinute(ARRIVES, HOUR, { firesFrom: at(1) })).toBeNull()
    expect(firingMinute(ARRIVES, HOUR, { firesFrom: at(0) })).toBe(10)
    const again = [...ARRIVES, { after: 5 * MINUTE, where: INSIDE }]
    expect(firingMinute(again, HOUR, { firesFrom: at(5 * MINUTE + 1) })).toBeNull()
    expect(firingMinute(again, HOUR, { firesFrom: at(5 * MINUTE) })).toBe(10)
    expect(firingMinute(ARRIVES, HOUR, { window: { from: null, until: at(10 * MINUTE) } })).toBeNull()
    expect(firingMinute(ARRIVES, HOUR, { window: { from: null, until: at(10 * MINUTE + 1) } })).toBe(10)
    const fired = (lastFiredAt: number) => {
      const { state } = evaluate(question(), ARRIVES, { ...RuleEvaluation.unseeded("1"), lastFiredAt: at(lastFiredAt) })
      return state.unsettled?.at ?? null
    }
    expect([fired(8 * MINUTE), fired(8 * MINUTE + 1)]).toEqual([NOON + 10 * MINUTE, null])
  })
  it("an upload that comes when the silence is over finds the dwell told, and untells nothing", () => {
    const { state } = evaluate(question(), ARRIVES)
    const first = RuleEvaluation.settle(question(), state, time(NOON + 25 * MINUTE))
    expect(first.firedAt).toBe(NOON + 10 * MINUTE)
    const left = evaluate(question(), [{ after: 5 * MINUTE, delay: 20 * MINUTE, where: OUTSIDE }], first.state)
    expect([left.outcomes, left.state.side]).toEqual([["crossed"], "outside"])
  })
})
