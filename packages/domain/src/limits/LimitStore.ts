import { Context } from "effect"
import type { StoreEffect } from "../shared/Errors.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { Spender } from "./Budget.js"
import type { RateWindow } from "./Rate.js"
import type { LimitSubject } from "./Subject.js"
import type { ZoneQuestionOutcome, ZoneQuestions } from "./ZoneQuestions.js"

/**
 * Stores the counted calls of each subject (`LimitSubject`), and the questions that apps asked about zones. Decisions
 * limits-5, limits-6 and limits-8.
 */
export class LimitStore extends Context.Tag("@place-access/domain/limits/LimitStore")<
  LimitStore,
  {
    /**
     * Counts one call of the subject (`Rate.count`) and returns its window, this call included. Concurrent calls never
     * get the same `used`, even on different servers. A store may count calls that arrive at the same time in one
     * statement. A crash of the database may lose all counts.
     */
    readonly count: (subject: LimitSubject, windowMillis: number, now: Timestamp) => StoreEffect<RateWindow>
    /**
     * Locks the spender's questions about zones, reads the clock, gives the questions to `decide`, and stores the
     * questions that `decide` returned with `Allowed`. Because of the lock, two calls of one spender never see the same
     * state, even on different servers. `RuleStore.createZone` takes the same lock.
     */
    readonly ask: (
      spender: Spender,
      decide: (before: ZoneQuestions, now: Timestamp) => ZoneQuestionOutcome
    ) => StoreEffect<ZoneQuestionOutcome>
  }
>() {}
