import { Schema } from "effect"
import { DAY, plus, type Timestamp } from "../shared/Timestamp.js"
import { type Expiries, graceEndsAt } from "./Tier.js"

/** Notices about the end of a sensitive tier, each sent once for every end date (Spec §6.1, §6.3.2). */
export const SensitiveNoticeKind = Schema.Literal("expiring_14", "expiring_7", "lapsed", "removed")
export type SensitiveNoticeKind = typeof SensitiveNoticeKind.Type

/** A notice that was sent. Stored with the event, so that it is not sent twice. */
export interface SensitiveNotice {
  /** The end of the sensitive tier. A renewal sets a new date, which has notices of its own. */
  readonly expiresAt: Timestamp
  readonly kind: SensitiveNoticeKind
}

export interface Moment {
  readonly kind: SensitiveNoticeKind
  readonly at: Timestamp
}

/** All notices about this end date, in order of time. */
const moments = (expiresAt: Timestamp): ReadonlyArray<Moment> => [
  { kind: "expiring_14", at: plus(expiresAt, -14 * DAY) },
  { kind: "expiring_7", at: plus(expiresAt, -7 * DAY) },
  { kind: "lapsed", at: expiresAt },
  { kind: "removed", at: graceEndsAt(expiresAt) }
]

/**
 * The notices due at `now`, in order; notices before `from` were sent or dropped. `lapsed` and `removed` are always
 * sent; a warning is dropped when a later notice is due too: "14 days" at 7 days, both warnings after the end date.
 */
export const due = (expiresAt: Timestamp, from: Timestamp, now: Timestamp): ReadonlyArray<Moment> => {
  const passed = moments(expiresAt).filter(({ at }) => at >= from && at <= now)
  return passed.filter(({ kind }, index) => index === passed.length - 1 || kind === "lapsed" || kind === "removed")
}

/**
 * When the sweep must next handle a connection, at `from` or later: at its standard end or the next notice; null:
 * never. At a consent, `from` is its time: earlier notices are skipped, a notice due then is sent (Spec §6.3.3).
 */
export const nextLook = ({ sensitiveExpiresAt, standardExpiresAt }: Expiries, from: Timestamp): Timestamp | null => {
  const told = sensitiveExpiresAt === null ? [] : moments(sensitiveExpiresAt).map(({ at }) => at)
  const ahead = told.filter((at) => at >= from)
  // A standard end in the past is due at once.
  const all = standardExpiresAt === null ? ahead : [standardExpiresAt, ...ahead]
  return all.reduce<Timestamp | null>((first, at) => (first === null || at < first ? at : first), null)
}
