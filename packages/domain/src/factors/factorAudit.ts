// The events of the audit log that a change of the factors makes. Decision factors-6.
import { AuditEvent } from "../audit/index.js"
import type { Timestamp } from "../shared/Timestamp.js"
import { type Factors, type FactorState, hasCodeApp, isOn, isRemovalPending } from "./Factors.js"

type Kind = Extract<AuditEvent.AuditDetail, { readonly kind: "factor_added" | "factor_removed" }>["factor"]

/**
 * The audit details of the factors that were added or removed between `before` and `after`, of a recovery code that was
 * used, and of a requested removal (`FactorRemoval`) that was stopped. The use of another factor makes no audit event.
 */
const details = (before: Factors, after: Factors, at: Timestamp): ReadonlyArray<AuditEvent.AuditDetail> => {
  const added = (factor: Kind) => ({ kind: "factor_added", factor }) as const
  const removed = (factor: Kind) => ({ kind: "factor_removed", factor }) as const
  const ids = (factors: Factors) => new Set(factors.passkeys.map(({ id }) => id))
  const [had, has] = [ids(before), ids(after)]
  const freshCodes = after.recoveryCodes.filter((hash) => !before.recoveryCodes.includes(hash))
  const goneCodes = before.recoveryCodes.length - (after.recoveryCodes.length - freshCodes.length)
  return [
    ...[...has].flatMap((id) => (had.has(id) ? [] : [added("passkey")])),
    ...[...had].flatMap((id) => (has.has(id) ? [] : [removed("passkey")])),
    ...(hasCodeApp(after) && !hasCodeApp(before) ? [added("totp")] : []),
    ...(hasCodeApp(before) && !hasCodeApp(after) ? [removed("totp")] : []),
    ...(freshCodes.length > 0 ? [added("recovery_codes")] : []),
    // `Factors.tidy` removes the recovery codes together with the last factor. While the account has a factor and gets
    // no new codes, a code that is missing in `after` was used.
    ...(goneCodes > 0 && !isOn(after) ? [removed("recovery_codes")] : []),
    ...(goneCodes === 1 && freshCodes.length === 0 && isOn(after) ? [{ kind: "recovery_code_used" } as const] : []),
    // When the factors themselves are gone, `factor_removed` says so.
    ...(isRemovalPending(before, at) && after.removal === null && isOn(after)
      ? [{ kind: "factor_removal_stopped" } as const]
      : [])
  ]
}

export const eventsOf = (
  { account, factors: before }: FactorState,
  after: Factors,
  at: Timestamp,
  actor: AuditEvent.AuditActor = AuditEvent.OWNER
): ReadonlyArray<AuditEvent.AuditEvent> =>
  details(before, after, at).map((detail) => ({ at, userId: account.id, actor, detail }))
