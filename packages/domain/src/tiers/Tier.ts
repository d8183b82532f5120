// The dates of the two tiers. Decisions tiers-1 and tiers-2.
import { Schema } from "effect"
import { DAY, plus, type Timestamp } from "../shared/Timestamp.js"

/** How long a user can grant standard scopes (Spec §4.2). A day is exactly 24 hours (decision T4). */
export const StandardDays = Schema.Literal(1, 7, 30, 90, "never")
export type StandardDays = typeof StandardDays.Type
export const SensitiveDays = Schema.Literal(1, 7, 30, 90)
export type SensitiveDays = typeof SensitiveDays.Type

export const DEFAULT_DAYS = 30

/** The grace period: for this long after its end, one confirmation renews the sensitive tier (Spec §3.1). */
export const GRACE = 14 * DAY

/** The end of a standard tier chosen now; null: never. */
export const standardExpiry = (days: StandardDays, now: Timestamp): Timestamp | null =>
  days === "never" ? null : plus(now, days * DAY)

/** The end of a sensitive tier chosen now. */
export const sensitiveExpiry = (days: SensitiveDays, now: Timestamp): Timestamp => plus(now, days * DAY)

export interface Expiries {
  readonly standardExpiresAt: Timestamp | null
  readonly sensitiveExpiresAt: Timestamp | null
}

/** `none`: no sensitive scope is granted. `removed`: the grace period has ended, whether or not the sweep has run. */
export type SensitiveState = "none" | "active" | "lapsed" | "removed"

/** The state of the sensitive tier at `now` (Spec §3.1). */
export const sensitiveState = ({ sensitiveExpiresAt }: Expiries, now: Timestamp): SensitiveState =>
  sensitiveExpiresAt === null
    ? "none"
    : now < sensitiveExpiresAt
      ? "active"
      : now < plus(sensitiveExpiresAt, GRACE)
        ? "lapsed"
        : "removed"

/** Whether the standard tier is live. Its end is exclusive. */
export const standardIsLive = ({ standardExpiresAt }: Expiries, now: Timestamp): boolean =>
  standardExpiresAt === null || now < standardExpiresAt

/** The end of the grace period: until then one confirmation renews the sensitive tier. */
export const graceEndsAt = (sensitiveExpiresAt: Timestamp): Timestamp => plus(sensitiveExpiresAt, GRACE)
