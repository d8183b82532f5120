import { Effect } from "effect"
import { announceAudit } from "../audit/index.js"
import type { Timestamp, UserId } from "../shared/index.js"
import type { FactorState } from "./Factors.js"
import { type FactorChange, FactorStore } from "./FactorStore.js"

/** The outcome of a decision about factors, and the change to store; null: nothing is stored. */
export type FactorDecision<A> = readonly [A, FactorChange | null]

/** Calls `FactorStore.change`, then logs a line for each audit event that was stored. */
export const changeFactors = <A>(
  userId: UserId,
  decide: (state: FactorState, now: Timestamp.Timestamp) => FactorDecision<A>
) =>
  Effect.gen(function* () {
    let stored: FactorChange["audit"] = []
    const outcome = yield* (yield* FactorStore).change(userId, (state, now) => {
      const decided = decide(state, now)
      stored = decided[1]?.audit ?? []
      return decided
    })
    yield* Effect.forEach(stored, announceAudit, { discard: true })
    return outcome
  })
