// The limits on the number of a connection's rules. Decisions L11 and rules-15.
import * as AccountLimits from "../quotas/AccountLimits.js"
import type { Timestamp } from "../shared/Timestamp.js"
import * as ConcurrentLimit from "./ConcurrentLimit.js"
import type { RuleWindow } from "./Rule.js"
import { isOver } from "./RuleEvaluation.js"

/**
 * The limit that one more rule would exceed. `Active`: at `instant` the rule would be the connection's eleventh active
 * rule. `Evaluated`: the connection has `AccountLimits.RULES.most` rules that uploads evaluate.
 */
export type ExceededLimit = { readonly _tag: "Active"; readonly instant: Timestamp } | { readonly _tag: "Evaluated" }

/**
 * The limit that a rule with the window `candidate` would exceed; undefined when there is none. `present` has the
 * windows of the connection's other rules that are not deleted. The result is `Active` when the rule would exceed both
 * limits.
 */
export const exceeded = (
  present: ReadonlyArray<RuleWindow>,
  candidate: RuleWindow,
  now: Timestamp
): ExceededLimit | undefined => {
  const instant = ConcurrentLimit.firstOverflow(present, candidate, now)
  if (instant !== undefined) return { _tag: "Active", instant }
  const evaluated = present.filter((window) => !isOver(window, now)).length
  return evaluated >= AccountLimits.RULES.most && !isOver(candidate, now) ? { _tag: "Evaluated" } : undefined
}
