// Limits attempts to sign in. Decisions accounts-4 and accounts-5.
import { MINUTE, SECOND, type Timestamp } from "../shared/Timestamp.js"
import type { Email } from "./Account.js"

/** The window of decision A2: five failures of one account, or fifty from one address, in 15 minutes close sign-in. */
export const WINDOW = 15 * MINUTE
export const PER_ACCOUNT = 5
export const PER_ADDRESS = 50

/** An attempt still unchecked after this counts as a failure: its process died. */
export const IN_FLIGHT = 30 * SECOND

/** One attempt to sign in. It counts whether or not the e-mail belongs to an account. */
export interface SignInTry {
  readonly id: string
  readonly email: Email
  /** The address as `network` returns it. */
  readonly address: string
}

/** An attempt that counts. It counts as soon as it is admitted, so that concurrent attempts cannot exceed the limit. */
export interface CountedTry {
  readonly at: Timestamp
  /** False while the password is being checked. */
  readonly failed: boolean
}

/** The recent attempts, oldest first. */
export interface RecentTries {
  /** Attempts at the account. Failures before the account's last success are left out. */
  readonly ofAccount: ReadonlyArray<CountedTry>
  readonly ofAddress: ReadonlyArray<CountedTry>
}

export type ThrottleVerdict =
  | { readonly _tag: "Admitted" }
  /** The limit is reached only because of attempts in flight, so the caller tries again in a moment. */
  | { readonly _tag: "Busy" }
  | { readonly _tag: "Closed"; readonly retryAfterMillis: number }

/** Whether one more attempt is admitted, given the recent attempts of its account and of its address. */
export const decide = (recent: RecentTries, now: Timestamp): ThrottleVerdict => {
  const wait = Math.max(untilOpen(recent.ofAccount, PER_ACCOUNT, now), untilOpen(recent.ofAddress, PER_ADDRESS, now))
  if (wait > 0) return { _tag: "Closed", retryAfterMillis: wait }
  return isFull(recent.ofAccount, PER_ACCOUNT, now) || isFull(recent.ofAddress, PER_ADDRESS, now)
    ? { _tag: "Busy" }
    : { _tag: "Admitted" }
}

const counts = (one: CountedTry, now: Timestamp): boolean => now - one.at < WINDOW

/** In how many milliseconds the window has fewer than `limit` failures; 0 when it has fewer now. */
const untilOpen = (tries: ReadonlyArray<CountedTry>, limit: number, now: Timestamp): number => {
  const failures = tries.filter((one) => counts(one, now) && (one.failed || now - one.at >= IN_FLIGHT))
  const freesUp = failures.at(-limit)
  return freesUp === undefined ? 0 : freesUp.at + WINDOW - now
}

const isFull = (tries: ReadonlyArray<CountedTry>, limit: number, now: Timestamp): boolean =>
  tries.filter((one) => counts(one, now)).length >= limit

/** The unit of counting: an IPv4 address, an IPv6 /64 (one household has all of it), or any other text. */
export const network = (address: string): string => {
  const bare = address.replace(/^\[|\]$|%.*$/g, "").toLowerCase()
  const mapped = /^(?:::ffff:)?(\d{1,3}(?:\.\d{1,3}){3})$/.exec(bare)?.[1]
  if (mapped !== undefined) return mapped
  const [head, tail, ...rest] = bare.split("::")
  if (head === undefined || rest.length > 0 || !/^[0-9a-f:.]+$/.test(bare) || !bare.includes(":")) return bare
  const left = head === "" ? [] : head.split(":")
  const right = tail === undefined || tail === "" ? [] : tail.split(":")
  // An IPv4 address in dotted form at the end stands for two groups.
  const written = left.length + right.length + (bare.includes(".") ? 1 : 0)
  const groups = tail === undefined ? left : [...left, ...Array.from({ length: 8 - written }, () => "0"), ...right]
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ""))
    .join(":")}::/64`
}
