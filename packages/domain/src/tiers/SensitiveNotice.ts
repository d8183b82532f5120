import { Schema } from "effect"
import { DAY, plus, type Timestamp } from "../shared/Timestamp.js"
import { type Expiries, graceEndsAt } from "./Tier.js"

/** What an app is told about the end of a sensitive tier, each once for every date (Spec §6.1, §6.3.2). */
export const Kind = Schema.Literal("expiring_14", "expiring_7", "lapsed", "removed")
export type Kind = typeof Kind.Type

/** That an app was told; kept with the event, so that nobody tells it again. */
export interface SensitiveNotice {
  /** The sensitive date that it is about: a renewal sets another one and begins anew. */
  readonly expiresAt: Timestamp
  readonly kind: Kind
}

export interface Moment {
  readonly kind: Kind
  readonly at: Timestamp
}

/** In their order. */
const moments = (expiresAt: Timestamp): ReadonlyArray<Moment> => [
  { kind: "expiring_14", at: plus(expiresAt, -14 * DAY) },
  { kind: "expiring_7", at: plus(expiresAt, -7 * DAY) },
  { kind: "lapsed", at: expiresAt },
  { kind: "removed", at: graceEndsAt(expiresAt) }
]

/**
 * What there is to tell at `now`, in order, when everything before `from` is settled. Transitions are always told. A warning
 * that comes too late to be true is not: "14 days" is dropped when the 7-day moment passed meanwhile, both when the date did.
 */
export const due = (expiresAt: Timestamp, from: Timestamp, now: Timestamp): ReadonlyArray<Moment> => {
  const passed = moments(expiresAt).filter(({ at }) => at >= from && at <= now)
  return passed.filter(({ kind }, index) => index === passed.length - 1 || kind === "lapsed" || kind === "removed")
}

/**
 * When the sweep has to look at a connection, `from` included: its standard end, or what is next to tell. At a consent `from` is
 * its moment: a threshold that had passed by then is skipped, one that is reached just then is told (Spec §6.3.3). Null: never.
 */
export const nextLook = ({ sensitiveExpiresAt, standardExpiresAt }: Expiries, from: Timestamp): Timestamp | null => {
  const told = sensitiveExpiresAt === null ? [] : moments(sensitiveExpiresAt).map(({ at }) => at)
  const ahead = told.filter((at) => at >= from)
  // A standard end that has passed is looked at as soon as possible.
  const all = standardExpiresAt === null ? ahead : [standardExpiresAt, ...ahead]
  return all.reduce<Timestamp | null>((first, at) => (first === null || at < first ? at : first), null)
}
