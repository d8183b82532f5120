import { Context, type Effect } from "effect"
import type { StoreError } from "../shared/StoreError.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { Budget, Spender, Spending } from "./Budget.js"
import type { Window } from "./Rate.js"
import type { Subject } from "./Subject.js"

/** How much of a rate or a budget is used up. */
export class LimitStore extends Context.Tag("@place-access/domain/limits/LimitStore")<
  LimitStore,
  {
    /**
     * Counts one call of the subject (`Rate.count`) and answers its window as it is with that call: of calls at the same time,
     * on whichever servers, no two get the same `used`. Calls in flight may share one statement, and then begin a window
     * together. A crash of the database may forget every count.
     */
    readonly count: (subject: Subject, windowMillis: number, now: Timestamp) => Effect.Effect<Window, StoreError>
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
