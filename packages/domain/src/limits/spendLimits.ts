import { Effect } from "effect"
import type { Circle } from "../places/Geometry.js"
import { program, Telemetry, Timestamp } from "../shared/index.js"
import * as Budget from "./Budget.js"
import { LimitStore } from "./LimitStore.js"
import * as Rate from "./Rate.js"
import { kindOf, KINDS, type LimitSubject } from "./Subject.js"
import * as ZoneQuestions from "./ZoneQuestions.js"

const callRefusals = Telemetry.counter("place_access.limit.refusals", {
  description: "Calls beyond a rate, by whose calls are counted",
  labels: { limit: KINDS }
})

/**
 * Counts a call and returns the state of the rate. Fails when the store cannot count the call. The caller must then
 * refuse the call, because otherwise a failing database would remove the limits.
 */
export const takeCall = program("takeCall", function* (subject: LimitSubject, rate: Rate.Rate) {
  const now = yield* Timestamp.now
  const window = yield* (yield* LimitStore).count(subject, rate.windowMillis, now)
  const standing = Rate.standing(rate, window, now)
  if (!standing.isAdmitted) yield* Telemetry.measure(() => callRefusals.record(1, { limit: kindOf(subject) }))
  return standing
})

const zoneRefusals = Telemetry.counter("place_access.budget.refusals", {
  description: "Questions beyond a budget",
  labels: { budget: [ZoneQuestions.HOURLY.name] }
})

/** Turns a refused question into the error `BudgetExceeded`, and counts the refusal in a metric. */
export const orBudgetExceeded = (
  asking: ZoneQuestions.ZoneQuestionOutcome
): Effect.Effect<void, Budget.BudgetExceeded> =>
  asking._tag === "Allowed"
    ? Effect.void
    : Effect.zipRight(
        Telemetry.measure(() => zoneRefusals.record(1, { budget: ZoneQuestions.HOURLY.name })),
        new Budget.BudgetExceeded({ retryAfterMillis: asking.retryAfterMillis })
      )

/**
 * Spends one question about the circle, or fails with `BudgetExceeded` and spends none. Call `askZone` only when the
 * question is valid and is about to be answered, so that a request that is refused for another reason spends nothing.
 * For a zone rule, `RuleStore.createZone` spends the question in the same transaction in which it stores the rule.
 */
export const askZone = program("askZone", function* (spender: Budget.Spender, circle: Circle) {
  const store = yield* LimitStore
  const asking = yield* store.ask(spender, (before, now) => ZoneQuestions.ask(before, circle, now))
  yield* orBudgetExceeded(asking)
})
