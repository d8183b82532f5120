import { Effect } from "effect"
import type { Circle } from "../places/Geometry.js"
import type { StoreError } from "../shared/StoreError.js"
import * as Telemetry from "../shared/Telemetry.js"
import * as Budget from "./Budget.js"
import { LimitStore } from "./LimitStore.js"
import * as ZoneQuestions from "./ZoneQuestions.js"

const refusals = Telemetry.counter("place_access.budget.refusals", {
  description: "Questions beyond a budget",
  labels: { budget: [ZoneQuestions.HOURLY.name] }
})

/** Fails with `BudgetExceeded` when the question was refused, and counts the refusal. */
export const orBudgetExceeded = (asking: ZoneQuestions.Asking): Effect.Effect<void, Budget.BudgetExceeded> =>
  asking._tag === "Asked"
    ? Effect.void
    : Effect.zipRight(
        Telemetry.measure(() => refusals.record(1, { budget: ZoneQuestions.HOURLY.name })),
        new Budget.BudgetExceeded({ retryAfterMillis: asking.retryAfterMillis })
      )

/**
 * Takes one question about the circle, or fails with `BudgetExceeded` and takes none. To be called when the question is valid and
 * is about to be answered: what is refused for another reason costs nothing. A zone rule asks while it is stored
 * (`RuleStore.createZone`).
 */
export const askZone = (
  spender: Budget.Spender,
  circle: Circle
): Effect.Effect<void, Budget.BudgetExceeded | StoreError, LimitStore> =>
  Effect.gen(function* () {
    const store = yield* LimitStore
    const asking = yield* store.ask(spender, (before, now) => ZoneQuestions.ask(before, circle, now))
    yield* orBudgetExceeded(asking)
  }).pipe(Telemetry.span("askZone"))
