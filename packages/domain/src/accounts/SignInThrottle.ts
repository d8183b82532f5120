// Limits attempts to sign in. Decisions accounts-4, accounts-5 and accounts-14.
import { MINUTE, SECOND, type Timestamp } from "../shared/Timestamp.js"
import type { Email } from "./Account.js"

/**
 * The time in which failures are counted, in milliseconds. Five failures at one account within this time, or fifty from
 * one network address, make the service refuse further attempts (decision A2).
 */
export const WINDOW = 15 * MINUTE
export const PER_ACCOUNT = 5
export const PER_ADDRESS = 50
/**
 * The limit for failures of one `KnownBrowser`. These failures count neither for the limit of the account nor for the
 * limit of the network address.
 */
export const PER_BROWSER = 5

/**
 * An attempt without a result after this time, in milliseconds, counts as a failure, because the process that checked
 * the password or the code has probably died.
 */
export const IN_FLIGHT = 30 * SECOND

/**
 * One attempt to prove a password or a code of a second factor, for example to sign in. Attempts with an e-mail that
 * belongs to no account count as well.
 */
export interface SignInTry {
  readonly id: string
  /**
   * The typed e-mail, or the e-mail of the signed-in account. An attempt with a code has a made-up e-mail, so that
   * attempts with codes and attempts with the password of an account have separate limits.
   */
  readonly email: Email
  /** The network of the request (`network` of `limits/Network.ts`). */
  readonly address: string
  /** `KnownBrowser.id`, when the attempt comes from a browser that is known to this account; else null. */
  readonly browser: string | null
}

/**
 * An attempt that was admitted. The throttle counts the attempt before its result is known. Otherwise concurrent
 * attempts could exceed the limit.
 */
export interface CountedTry {
  readonly at: Timestamp
  /** False while the password or the code is being checked. */
  readonly failed: boolean
}

/** The recent attempts that the throttle counts when it decides about a new attempt, oldest first. */
export interface RecentTries {
  /**
   * Attempts of unknown browsers at the account that the new attempt names. Failures before the last successful attempt
   * are left out.
   */
  readonly ofAccount: ReadonlyArray<CountedTry>
  /** Attempts of unknown browsers from the network address of the new attempt. */
  readonly ofAddress: ReadonlyArray<CountedTry>
  /**
   * Attempts of the known browser from which the new attempt comes; then `ofAccount` and `ofAddress` do not count. Left
   * out when the new attempt does not come from a known browser.
   */
  readonly ofBrowser?: ReadonlyArray<CountedTry>
}

export type ThrottleVerdict =
  | { readonly _tag: "Admitted" }
  /**
   * The limit is reached only because of attempts whose result is not known yet, so the caller tries again in a moment.
   */
  | { readonly _tag: "Busy" }
  | { readonly _tag: "Closed"; readonly retryAfterMillis: number }

/** Whether one more attempt is admitted, given the recent attempts at its account and from its address or browser. */
export const decide = (recent: RecentTries, now: Timestamp): ThrottleVerdict => {
  const counted = limitsOf(recent)
  const wait = Math.max(...counted.map(([tries, limit]) => untilOpen(tries, limit, now)))
  if (wait > 0) return { _tag: "Closed", retryAfterMillis: wait }
  return counted.some(([tries, limit]) => isFull(tries, limit, now)) ? { _tag: "Busy" } : { _tag: "Admitted" }
}

/**
 * A known browser has a separate limit. So a stranger who guesses passwords, even from the same address, cannot lock
 * this browser out.
 */
const limitsOf = ({ ofAccount, ofAddress, ofBrowser }: RecentTries) =>
  ofBrowser === undefined
    ? ([
        [ofAccount, PER_ACCOUNT],
        [ofAddress, PER_ADDRESS]
      ] as const)
    : ([[ofBrowser, PER_BROWSER]] as const)

/** The attempts that a limit counts together: the attempts at one account, or the attempts from one network address. */
export type ThrottleScope = "account" | "address"

/**
 * The limits that would be reached with `more` additional attempts, if these and all attempts whose result is not known
 * yet failed. When a limit is reached, the throttle refuses further attempts, and the audit log records a lock-out.
 * Empty when the attempt comes from a known browser: the limit of this browser locks out nobody else, so the audit log
 * does not record it.
 */
export const reached = (recent: RecentTries, more: 0 | 1, now: Timestamp): ReadonlyArray<ThrottleScope> => {
  if (recent.ofBrowser !== undefined) return []
  const ofAccount = isFull(recent.ofAccount, PER_ACCOUNT - more, now) ? (["account"] as const) : []
  const ofAddress = isFull(recent.ofAddress, PER_ADDRESS - more, now) ? (["address"] as const) : []
  return [...ofAccount, ...ofAddress]
}

/**
 * Whether an attempt counts at `now`. An attempt whose time is more than `WINDOW` after `now` does not count, because
 * it was made before the clock was set back. Otherwise this attempt would count for longer than `WINDOW`, and could
 * block the sign-in for this longer time.
 */
const counts = ({ at }: CountedTry, now: Timestamp): boolean => now - at < WINDOW && at - now <= WINDOW

/**
 * The number of milliseconds until the window contains fewer than `limit` failures; 0 when it contains fewer already.
 */
const untilOpen = (tries: ReadonlyArray<CountedTry>, limit: number, now: Timestamp): number => {
  const failures = tries.filter((one) => counts(one, now) && (one.failed || now - one.at >= IN_FLIGHT))
  const freesUp = failures.at(-limit)
  return freesUp === undefined ? 0 : freesUp.at + WINDOW - now
}

const isFull = (tries: ReadonlyArray<CountedTry>, limit: number, now: Timestamp): boolean =>
  tries.filter((one) => counts(one, now)).length >= limit
