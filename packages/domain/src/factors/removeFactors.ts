import { Effect } from "effect"
import { type Account, AccountStore } from "../accounts/index.js"
import { AuditEvent } from "../audit/index.js"
import { Conflict, NotFound, program, type Timestamp } from "../shared/index.js"
import * as Factors from "./Factors.js"
import * as Mails from "./factorMails.js"
import { changeFactors, type FactorDecision } from "./changeFactors.js"
import { eventsOf } from "./FactorAudit.js"

export type RemovalOutcome =
  /**
   * `Requested`: this call stored a request, and the owner gets a mail. `Waiting`: an earlier call stored the request.
   * From `opensAt` on, for `Factors.REMOVAL_OPEN`, the next call removes the factors.
   */
  { readonly _tag: "Requested" | "Waiting"; readonly opensAt: Timestamp.Timestamp } | { readonly _tag: "Removed" }

/**
 * An operator removes the factors of an owner who lost all of them. The first call requests the removal and mails the
 * owner. A second call removes the factors and ends every session, if it comes at least 72 hours later and within a
 * week after that wait. Before the second call, the button in the settings stops the removal, and so does any use of a
 * factor while the account is not suspended (decision factors-7). Fails with `NotFound` when no account has this e-mail
 * address. Fails with `Conflict` when the account has no factor.
 */
export const removeFactors = program("removeFactors", function* (email: Account.Email) {
  const found = yield* (yield* AccountStore).findByEmail(email)
  const unknown = () => new NotFound({ what: "account" })
  const { account } = yield* Effect.mapError(found, unknown)
  const decided = yield* changeFactors(account.id, decide)
  const outcome = yield* Effect.mapError(decided, unknown)
  return outcome instanceof Conflict ? yield* outcome : outcome
})

/** Decides under the lock of the account what one call of `removeFactors` does. */
const decide = (state: Factors.FactorState, now: Timestamp.Timestamp): FactorDecision<RemovalOutcome | Conflict> => {
  const { account, factors } = state
  if (!Factors.isOn(factors)) return [new Conflict({ reason: "the account has no second factor" }), null]
  const phase = factors.removal === null ? "lapsed" : Factors.phaseOf(factors.removal, now)
  if (factors.removal !== null && phase === "waiting") {
    return [{ _tag: "Waiting", opensAt: Factors.opensAt(factors.removal) }, null]
  }
  if (phase === "open") {
    const audit = eventsOf(state, Factors.NONE, now, { actor: AuditEvent.OPERATOR })
    const mails = [Mails.removed(account, now)]
    return [{ _tag: "Removed" }, { factors: Factors.NONE, mails, audit, endsSessions: true }]
  }
  const removal = { requestedAt: now }
  const requested = AuditEvent.byOperator(account.id, now, { kind: "factor_removal_asked" })
  const mails = [Mails.removalRequested(account, now)]
  return [
    { _tag: "Requested", opensAt: Factors.opensAt(removal) },
    { factors: { ...factors, removal }, mails, audit: [requested], endsSessions: false }
  ]
}
