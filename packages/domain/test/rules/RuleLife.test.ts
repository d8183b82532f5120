import { RuleLife } from "@place-access/domain/rules"
import { describe, expect, it } from "@effect/vitest"
import { MINUTE, NOON, time } from "../support/rules.js"

const at = (after: number | null) => (after === null ? null : time(NOON + after))

describe("where a rule is in its life [§3.3]", () => {
  it.each([
    // Each row has: the window's beginning, the window's end, when the rule was disabled, the time of the check (all in
    // milliseconds after noon), and the expected state.
    [null, null, null, 0, "active"],
    [0, null, null, -1, "inactive"],
    [0, null, null, 0, "active"],
    [null, 0, null, -1, "active"],
    [null, 0, null, 0, "finished"],
    [0, MINUTE, null, -1, "inactive"],
    [0, MINUTE, null, 0, "active"],
    [0, MINUTE, null, MINUTE - 1, "active"],
    [0, MINUTE, null, MINUTE, "finished"],
    // A disabled rule is `disabled` before and during its window. After the window it is `finished`, although it was
    // disabled.
    [0, MINUTE, -9, -1, "disabled"],
    [0, MINUTE, -9, 0, "disabled"],
    [0, MINUTE, -9, MINUTE, "finished"],
    [null, null, -9, 0, "disabled"]
  ] as const)(
    "window %s to %s, disabled at %s: after %i ms %s [§3.3-before, rules-6]",
    (from, until, disabled, after, state) => {
      const rule = { window: { from: at(from), until: at(until) }, disabledAt: at(disabled) }
      expect(RuleLife.state(rule, time(NOON + after))).toBe(state)
    }
  )

  it("finished is for good [§3.3-finished]", () => {
    const rule = { window: { from: null, until: time(NOON) }, disabledAt: null }
    expect(RuleLife.state(rule, time(NOON + 1_000 * MINUTE))).toBe("finished")
  })
})
