import { MINUTE, SECOND, type Timestamp } from "../shared/Timestamp.js"
import type { Email } from "./Account.js"

/** Decision A2: five failures of one account, or fifty of one address, in 15 minutes close the door. */
export const WINDOW = 15 * MINUTE
export const PER_ACCOUNT = 5
export const PER_ADDRESS = 50

/** A try that was not settled by then (the process died) counts as a failure. Far longer than looking at a password takes. */
export const IN_FLIGHT = 30 * SECOND

/** One try to sign in. The e-mail need not be anybody's: all are counted alike. */
export interface SignInTry {
  readonly id: string
  readonly email: Email
  /** From `network`. */
  readonly address: string
}

/** A try counts from the moment it is let in, so that tries made at once cannot overtake the count. */
export interface CountedTry {
  readonly at: Timestamp
  /** False while the password is looked at. */
  readonly failed: boolean
}

/** Oldest first. */
export interface RecentTries {
  /** Without the failures that a later success made forgotten. */
  readonly ofAccount: ReadonlyArray<CountedTry>
  readonly ofAddress: ReadonlyArray<CountedTry>
}

export type Verdict =
  | { readonly _tag: "Admitted" }
  /** Only tries in flight stand in the way: ask again in a moment. */
  | { readonly _tag: "Busy" }
  | { readonly _tag: "Closed"; readonly retryAfterMillis: number }

/** Whether one more try is let in, from those of late: of the account, and of the address. */
export const decide = (recent: RecentTries, now: Timestamp): Verdict => {
  const wait = Math.max(untilOpen(recent.ofAccount, PER_ACCOUNT, now), untilOpen(recent.ofAddress, PER_ADDRESS, now))
  if (wait > 0) return { _tag: "Closed", retryAfterMillis: wait }
  return isFull(recent.ofAccount, PER_ACCOUNT, now) || isFull(recent.ofAddress, PER_ADDRESS, now)
    ? { _tag: "Busy" }
    : { _tag: "Admitted" }
}

const counts = (one: CountedTry, now: Timestamp): boolean => now - one.at < WINDOW

/** Milliseconds until fewer than `limit` failures are left in the window; 0 when that is so now. */
const untilOpen = (tries: ReadonlyArray<CountedTry>, limit: number, now: Timestamp): number => {
  const failures = tries.filter((one) => counts(one, now) && (one.failed || now - one.at >= IN_FLIGHT))
  const freesUp = failures.at(-limit)
  return freesUp === undefined ? 0 : freesUp.at + WINDOW - now
}

const isFull = (tries: ReadonlyArray<CountedTry>, limit: number, now: Timestamp): boolean =>
  tries.filter((one) => counts(one, now)).length >= limit

/**
 * What an address counts as: an IPv4 address for itself, an IPv6 address for its /64, because one household has all of
 * those. Anything that cannot be read counts for itself.
 */
export const network = (address: string): string => {
  const bare = address.replace(/^\[|\]$|%.*$/g, "").toLowerCase()
  const mapped = /^(?:::ffff:)?(\d{1,3}(?:\.\d{1,3}){3})$/.exec(bare)?.[1]
  if (mapped !== undefined) return mapped
  const [head, tail, ...rest] = bare.split("::")
  if (head === undefined || rest.length > 0 || !/^[0-9a-f:.]+$/.test(bare) || !bare.includes(":")) return bare
  const left = head === "" ? [] : head.split(":")
  const right = tail === undefined || tail === "" ? [] : tail.split(":")
  // A dotted end takes the place of two groups.
  const written = left.length + right.length + (bare.includes(".") ? 1 : 0)
  const groups = tail === undefined ? left : [...left, ...Array.from({ length: 8 - written }, () => "0"), ...right]
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ""))
    .join(":")}::/64`
}
