import { Context, type Effect } from "effect"
import type { StoreError } from "../shared/StoreError.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { Budget, Spender, Spending } from "./Budget.js"

export class LimitStore extends Context.Tag("@place-access/domain/limits/LimitStore")<
  LimitStore,
  {
    /**
     * Locks what the spender has spent of the budget, then reads the clock, gives the calls (in order of time) to `decide` and
     * keeps those of `Spent`. Two calls of one spender never see the same state, on whichever servers they arrive.
     */
    readonly spend: (
      spender: Spender,
      budget: Budget,
      decide: (calls: ReadonlyArray<Timestamp>, now: Timestamp) => Spending
    ) => Effect.Effect<Spending, StoreError>
  }
>() {}
