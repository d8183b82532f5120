import { Schema } from "effect"
import { DAY, plus, type Timestamp } from "../shared/Timestamp.js"
import { type Expiries, graceEndsAt } from "./Tier.js"

/**
 * The kinds of notices to the app about the end of a sensitive tier. Each kind is sent at most once for every end date
 * (Spec §6.1, §6.3.2).
 */
export const SensitiveNoticeKind = Schema.Literal("expiring_14", "expiring_7", "lapsed", "removed")
export type SensitiveNoticeKind = typeof SensitiveNoticeKind.Type

/** A notice that was sent. The store commits it together with the event, so that no sweep sends the notice twice. */
export interface SensitiveNotice {
  /**
   * The end date of the sensitive tier. A renewal sets a new end date, and notices of every kind are sent again for the
   * new date.
   */
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
 * The notices due at `now`, ordered by time. Notices before `from` were sent or dropped earlier. `lapsed` and `removed`
 * are always sent. A warning is dropped when a later notice is due too: `expiring_14` when `expiring_7` is due, and
 * both when the tier has ended.
 */
export const due = (expiresAt: Timestamp, from: Timestamp, now: Timestamp): ReadonlyArray<Moment> => {
  const passed = moments(expiresAt).filter(({ at }) => at >= from && at <= now)
  return passed.filter(({ kind }, index) => index === passed.length - 1 || kind === "lapsed" || kind === "removed")
}

/**
 * When the sweep must next handle a connection: at the standard end, or at the first notice at `from` or later,
 * whichever is earlier. Null: never. After a consent, `from` is the time of the consent: notices that were due before
 * the consent are skipped, and a notice that is due at exactly that time is sent (Spec §6.3.3).
 */
export const nextLook = ({ sensitiveExpiresAt, standardExpiresAt }: Expiries, from: Timestamp): Timestamp | null => {
  const dates = sensitiveExpiresAt === null ? [] : moments(sensitiveExpiresAt).map(({ at }) => at)
  const ahead = dates.filter((at) => at >= from)
  // The end of the standard tier is included even if it is before `from`: a connection whose end has passed is due
  // immediately.
  const all = standardExpiresAt === null ? ahead : [standardExpiresAt, ...ahead]
  return all.reduce<Timestamp | null>((first, at) => (first === null || at < first ? at : first), null)
}
