import { Schema } from "effect"
import { DAY, plus, type Timestamp } from "../shared/Timestamp.js"

/** Spec §4.2. Days are exactly 24 hours (decision T4). */
export const StandardDays = Schema.Literal(1, 7, 30, 90, "never")
export type StandardDays = typeof StandardDays.Type
export const SensitiveDays = Schema.Literal(1, 7, 30, 90)
export type SensitiveDays = typeof SensitiveDays.Type

export const DEFAULT_DAYS = 30

/** How long the sensitive scopes can be had back by one confirmation (Spec §3.1). */
export const GRACE = 14 * DAY

/** When the standard tier ends that is chosen now; null: never. */
export const standardExpiry = (days: StandardDays, now: Timestamp): Timestamp | null =>
  days === "never" ? null : plus(now, days * DAY)

/** When the sensitive tier ends that is chosen now. */
export const sensitiveExpiry = (days: SensitiveDays, now: Timestamp): Timestamp => plus(now, days * DAY)

export interface Expiries {
  readonly standardExpiresAt: Timestamp | null
  readonly sensitiveExpiresAt: Timestamp | null
}

/** `none`: no sensitive scope is held. `removed`: held until its grace ended, whether or not the sweep has run. */
export type SensitiveState = "none" | "active" | "lapsed" | "removed"

/** Where the sensitive tier stands at `now` (Spec §3.1). */
export const sensitiveState = ({ sensitiveExpiresAt }: Expiries, now: Timestamp): SensitiveState =>
  sensitiveExpiresAt === null
    ? "none"
    : now < sensitiveExpiresAt
      ? "active"
      : now < plus(sensitiveExpiresAt, GRACE)
        ? "lapsed"
        : "removed"

/** Until the moment of its expiry, and not at it. */
export const standardIsLive = ({ standardExpiresAt }: Expiries, now: Timestamp): boolean =>
  standardExpiresAt === null || now < standardExpiresAt

/** Until then one confirmation brings the sensitive tier back. */
export const graceEndsAt = (sensitiveExpiresAt: Timestamp): Timestamp => plus(sensitiveExpiresAt, GRACE)
