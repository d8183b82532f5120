import { MINUTE, plus, type Timestamp } from "../shared/Timestamp.js"

/**
 * How many calls one subject has in a window. A window begins with the first call after the one before has ended, so that the
 * limit, what remains and the moment of the reset can be told exactly. It protects the service, not a secret: a `Budget` does that.
 */
export interface Rate {
  readonly calls: number
  readonly windowMillis: number
}

/** So many calls in a window of a minute. */
export const perMinute = (calls: number): Rate => ({ calls, windowMillis: MINUTE })

/** Twenty a second: 72,000 connections are refreshed in an hour from one address. */
export const OAUTH = perMinute(1_200)

/** Fifty a second: more than a phone that sends its backlog one reading at a time gets through. */
export const UPLOADS = perMinute(3_000)

/** A classroom behind one address still gets in. Each costs a password hash. */
export const SIGN_UPS: Rate = { calls: 60, windowMillis: 10 * MINUTE }

/** Consent pages opened from one address. Each is kept for a day. */
export const CONSENTS = perMinute(120)

/** What is counted for one subject. */
export interface Window {
  /** Exclusive: the first instant of the next window. */
  readonly endsAt: Timestamp
  /** Refused calls included. */
  readonly used: number
}

/** The window after `calls` more. Undefined: none was ever begun. */
export const count = (window: Window | undefined, windowMillis: number, now: Timestamp, calls = 1): Window =>
  window !== undefined && now < window.endsAt
    ? { ...window, used: window.used + calls }
    : { endsAt: plus(now, windowMillis), used: calls }

/** How a call stands, answered or refused: what the RateLimit headers say. */
export interface Standing {
  readonly rate: Rate
  readonly isAdmitted: boolean
  /** Calls left in the window. */
  readonly remaining: number
  /** Until the next window: from then on the subject has all of its calls again. */
  readonly resetMillis: number
}

/** `window` as it is with this call, the last one counted. */
export const standing = (rate: Rate, { endsAt, used }: Window, now: Timestamp): Standing => ({
  rate,
  isAdmitted: used <= rate.calls,
  remaining: Math.max(0, rate.calls - used),
  // Another server's clock may be a little behind the one that began the window.
  resetMillis: Math.min(endsAt - now, rate.windowMillis)
})
