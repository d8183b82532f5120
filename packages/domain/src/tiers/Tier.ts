// The dates of the two tiers. Decisions tiers-1 and tiers-2.
import { Schema } from "effect"
import { DAY, plus, type Timestamp } from "../shared/Timestamp.js"

/**
 * The numbers of days for which a user can grant standard scopes (Spec §4.2). A day is exactly 24 hours (decision T4).
 */
export const StandardDays = Schema.Literal(1, 7, 30, 90, "never")
export type StandardDays = typeof StandardDays.Type
export const SensitiveDays = Schema.Literal(1, 7, 30, 90)
export type SensitiveDays = typeof SensitiveDays.Type

export const DEFAULT_DAYS = 30

/**
 * The grace period, in milliseconds: for this long after the end of the sensitive tier, the user can renew the tier by
 * one confirmation (Spec §3.1).
 */
export const GRACE = 14 * DAY

/** The end of a standard tier that the user grants at `now` for `days`; null: no end. */
export const standardExpiry = (days: StandardDays, now: Timestamp): Timestamp | null =>
  days === "never" ? null : plus(now, days * DAY)

/** The end of a sensitive tier that the user grants at `now` for `days`. */
export const sensitiveExpiry = (days: SensitiveDays, now: Timestamp): Timestamp => plus(now, days * DAY)

export interface Expiries {
  readonly standardExpiresAt: Timestamp | null
  readonly sensitiveExpiresAt: Timestamp | null
}

/**
 * The state of the sensitive tier. `none`: no sensitive scope is granted. `lapsed`: the tier has ended, but its grace
 * period has not. `removed`: the grace period has ended, whether or not the sweep has run.
 */
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

/** Whether the standard tier is live at `now`. The end is exclusive: at this instant the tier is not live. */
export const standardIsLive = ({ standardExpiresAt }: Expiries, now: Timestamp): boolean =>
  standardExpiresAt === null || now < standardExpiresAt

/** The end of the grace period. Before this time, one confirmation of the user renews the sensitive tier. */
export const graceEndsAt = (sensitiveExpiresAt: Timestamp): Timestamp => plus(sensitiveExpiresAt, GRACE)
