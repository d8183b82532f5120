import { Effect } from "effect"
import type { StoreError } from "../shared/StoreError.js"
import * as Telemetry from "../shared/Telemetry.js"
import * as Budget from "./Budget.js"
import { LimitStore } from "./LimitStore.js"

const refusals = Telemetry.counter("place_access.budget.refusals", {
  description: "Questions beyond a budget",
  labels: { budget: [Budget.VERIFY_ZONE.name] }
})

/**
 * Takes one call of the spender's budget, or fails with `BudgetExceeded` and takes none. To be called when the question is
 * valid and is about to be answered: what is refused for another reason costs nothing.
 */
export const spendBudget = (
  budget: Budget.Budget,
  { connectionId, userId }: Budget.Spender
): Effect.Effect<void, Budget.BudgetExceeded | StoreError, LimitStore> =>
  Effect.gen(function* () {
    const store = yield* LimitStore
    const spending = yield* store.spend({ connectionId, userId }, budget, (calls, now) =>
      Budget.spend(budget, calls, now)
    )
    if (spending._tag === "Refused") {
      yield* Telemetry.measure(() => refusals.record(1, { budget: budget.name }))
      return yield* new Budget.BudgetExceeded({ retryAfterMillis: spending.retryAfterMillis })
    }
  }).pipe(Telemetry.span("spendBudget"))
