import { Effect, Either, TestClock } from "effect"
import * as Budget from "../../../limits/Budget.js"
import type { LimitStore } from "../../../limits/LimitStore.js"
import { spendBudget } from "../../../limits/spendBudget.js"
import * as Entropy from "../../../shared/Entropy.js"
import { ConnectionId, UserId } from "../../../shared/Ids.js"
import { HOUR, MINUTE } from "../../../shared/Timestamp.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"

const spender = Effect.gen(function* () {
  return {
    userId: UserId.make(yield* Entropy.id("usr")),
    connectionId: ConnectionId.make(yield* Entropy.id("con"))
  }
})

const THREE: Budget.Budget = { name: "three", calls: 3, windowMillis: HOUR }

/** "spent", or how long to wait. */
const spend = (whose: Budget.Spender, budget = THREE) =>
  Effect.map(
    Effect.either(spendBudget(budget, whose)),
    Either.match({
      onRight: () => "spent" as const,
      onLeft: (error) => (error._tag === "BudgetExceeded" ? error.retryAfterMillis : Check.fail("the store failed"))
    })
  )

export const budgetCases: Contract<LimitStore | Entropy.Entropy> = [
  {
    name: "spend: as many as the budget has, then refused until the instant at which the oldest falls out",
    run: Effect.gen(function* () {
      const whose = yield* spender
      Check.equal(yield* spend(whose), "spent", "at 0 min")
      yield* TestClock.adjust("10 minutes")
      Check.equal([yield* spend(whose), yield* spend(whose)], ["spent", "spent"], "at 10 min")
      Check.equal(yield* spend(whose), 50 * MINUTE, "the fourth")
      yield* TestClock.adjust(50 * MINUTE - 1)
      Check.equal(yield* spend(whose), 1, "a millisecond before")
      yield* TestClock.adjust(1)
      Check.equal(yield* spend(whose), "spent", "the oldest has fallen out")
      Check.equal(yield* spend(whose), 10 * MINUTE, "and that one alone")
    })
  },
  {
    name: "spend: what is refused costs nothing",
    run: Effect.gen(function* () {
      const whose = yield* spender
      for (let call = 0; call < 3; call++) yield* spend(whose)
      for (let call = 0; call < 5; call++) {
        yield* TestClock.adjust("10 minutes")
        yield* spend(whose)
      }
      yield* TestClock.adjust("10 minutes")
      Check.equal(
        [yield* spend(whose), yield* spend(whose), yield* spend(whose)],
        ["spent", "spent", "spent"],
        "all three"
      )
    })
  },
  {
    name: "spend: connections and budgets have nothing to do with each other",
    run: Effect.gen(function* () {
      const whose = yield* spender
      const other = { ...whose, connectionId: (yield* spender).connectionId }
      for (let call = 0; call < 3; call++) yield* spend(whose)
      Check.equal(yield* spend(other), "spent", "the user's other connection")
      Check.equal(yield* spend(whose, { ...THREE, name: "another" }), "spent", "another budget")
    })
  },
  {
    name: "spend: of many at once exactly as many as the budget has",
    run: Effect.gen(function* () {
      const whose = yield* spender
      const all = yield* Effect.all(
        Array.from({ length: 30 }, () => spend(whose, Budget.VERIFY_ZONE)),
        { concurrency: "unbounded" }
      )
      Check.equal(all.filter((one) => one === "spent").length, 20, "spent")
      Check.equal(all.filter((one) => one === HOUR).length, 10, "refused for an hour")
    })
  }
]
