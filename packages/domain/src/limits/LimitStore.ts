import { Context, type Effect } from "effect"
import type { StoreError } from "../shared/StoreError.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { Spender } from "./Budget.js"
import type { Window } from "./Rate.js"
import type { Subject } from "./Subject.js"
import type { Asking, ZoneQuestions } from "./ZoneQuestions.js"

/** How much of a rate is used up, and what was asked about zones. */
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
     * Locks what the spender has asked about zones, then reads the clock, gives the questions to `decide` and keeps those of
     * `Asked`. Two calls of one spender never see the same state, on whichever servers they arrive; `RuleStore.createZone` takes
     * the same lock.
     */
    readonly ask: (
      spender: Spender,
      decide: (before: ZoneQuestions, now: Timestamp) => Asking
    ) => Effect.Effect<Asking, StoreError>
  }
>() {}
