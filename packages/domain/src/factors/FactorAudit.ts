// The events of the audit log that a change of the factors makes. Decision factors-6.
import * as AuditEvent from "../audit/AuditEvent.js"
import type { Timestamp } from "../shared/Timestamp.js"
import { type Factors, type FactorState, hasCodeApp, isOn, isRemovalPending } from "./Factors.js"

type Kind = Extract<AuditEvent.AuditDetail, { readonly kind: "factor_added" | "factor_removed" }>["factor"]

/**
 * The audit details of the factors that were added or removed between `before` and `after`, of a recovery code that was
 * used, and of a requested removal (`FactorRemoval`) that was stopped. The use of another factor makes no audit event.
 * `isProof`: the owner used one of the factors or recovery codes of `before`.
 */
const details = (
  before: Factors,
  after: Factors,
  at: Timestamp,
  isProof: boolean
): ReadonlyArray<AuditEvent.AuditDetail> => {
  const added = (factor: Kind) => ({ kind: "factor_added", factor }) as const
  const removed = (factor: Kind) => ({ kind: "factor_removed", factor }) as const
  const ids = (factors: Factors) => new Set(factors.passkeys.map(({ id }) => id))
  const [had, has] = [ids(before), ids(after)]
  const freshCodes = after.recoveryCodes.filter((hash) => !before.recoveryCodes.includes(hash))
  const losesCodes = freshCodes.length === 0 && after.recoveryCodes.length < before.recoveryCodes.length
  return [
    ...[...has].flatMap((id) => (had.has(id) ? [] : [added("passkey")])),
    ...[...had].flatMap((id) => (has.has(id) ? [] : [removed("passkey")])),
    ...(hasCodeApp(after) && !hasCodeApp(before) ? [added("totp")] : []),
    ...(hasCodeApp(before) && !hasCodeApp(after) ? [removed("totp")] : []),
    ...(freshCodes.length > 0 ? [added("recovery_codes")] : []),
    ...(losesCodes ? [isProof ? ({ kind: "recovery_code_used" } as const) : removed("recovery_codes")] : []),
    // No event `factor_removal_stopped` when no factor is left: then the events `factor_removed` report the change.
    ...(isRemovalPending(before, at) && after.removal === null && isOn(after)
      ? [{ kind: "factor_removal_stopped" } as const]
      : [])
  ]
}

export const eventsOf = (
  { account, factors: before }: FactorState,
  after: Factors,
  at: Timestamp,
  {
    actor = AuditEvent.OWNER,
    isProof = false
  }: { readonly actor?: AuditEvent.AuditActor; readonly isProof?: boolean } = {}
): ReadonlyArray<AuditEvent.AuditEvent> =>
  details(before, after, at, isProof).map((detail) => ({ at, userId: account.id, actor, detail }))
