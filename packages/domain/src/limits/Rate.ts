// How many calls a caller may make in a window. Decisions limits-1 and limits-4.
import * as AccountLimits from "../quotas/AccountLimits.js"
import { DAY, HOUR, MINUTE, plus, type Timestamp } from "../shared/Timestamp.js"

/**
 * The maximum number of calls of one subject (`LimitSubject`) in a window. A window has a fixed length and begins with
 * the first call after the previous window. So an answer can name the exact limit, the remaining calls and the time
 * until the reset. A rate protects the service from load. A `Budget` protects the person: it limits how much an app can
 * find out about where the person is.
 */
export interface Rate {
  readonly calls: number
  readonly windowMillis: number
  /** The text that a refused caller reads. Left out: a text that fits every rate. */
  readonly refusal?: string
}

/** A rate of this many calls a minute. */
export const perMinute = (calls: number): Rate => ({ calls, windowMillis: MINUTE })

/**
 * The rate for calls with one client id from one network address, for example to the token routes or about test people.
 * It allows 20 calls a second, so 72,000 connections of one app behind one address can refresh tokens within an hour.
 */
export const OAUTH = perMinute(1_200)

/** The rate for uploads: 50 calls a second, enough for a phone that sends thousands of stored readings one by one. */
export const UPLOADS = perMinute(3_000)

/** The rate for sign-ups from one network address: enough for a classroom. Each sign-up costs a password hash. */
export const SIGN_UPS: Rate = { calls: 60, windowMillis: 10 * MINUTE }

/**
 * The rate for attempts, from one network, to prove that the caller knows a password or a code. Right and wrong
 * attempts both count. Each attempt costs the service a password hash, and each sign-in stores a session and an event
 * of the audit log.
 */
export const SIGN_INS: Rate = { calls: 600, windowMillis: 15 * MINUTE }

/** Like `SIGN_INS`, for the attempts at one account. The attempts of known browsers are counted separately. */
export const SIGN_INS_OF_ACCOUNT: Rate = { calls: 120, windowMillis: 15 * MINUTE }

const of = ({ most, refusal, windowMs }: AccountLimits.WindowLimit): Rate => ({
  calls: most,
  windowMillis: windowMs,
  ...(refusal === null ? {} : { refusal })
})

/** The rate for consent pages opened from one network address. Each page is stored for about a day. */
export const CONSENTS = of(AccountLimits.CONSENT_PAGES_OF_ADDRESS)

/** The rate for consent pages opened by one signed-in account, from any network addresses. */
export const CONSENTS_OF_ACCOUNT = of(AccountLimits.CONSENT_PAGES)

/** The rate for new places, devices, apps, purposes and test people of one account. */
export const CREATIONS = of(AccountLimits.CREATIONS)

/** The rate for test webhooks of one account. Each webhook is a request to an address of the developer's choice. */
export const TESTS = of(AccountLimits.TEST_WEBHOOKS)

/** The rate for webhooks that one account redelivers. */
export const REDELIVERIES = of(AccountLimits.REDELIVERIES)

/** The rate for new client secrets and new signing secrets that one account makes. */
export const NEW_SECRETS = of(AccountLimits.NEW_SECRETS)

/** The rate at which one account may set addresses of webhook endpoints. */
export const WEBHOOK_ADDRESSES = of(AccountLimits.WEBHOOK_ADDRESSES)

/** The rate for invitations into teams by one account. */
export const INVITATIONS = of(AccountLimits.INVITED)

/** The rate for hand-overs of apps by one account. Each hand-over is a mail. */
export const HAND_OVERS = of(AccountLimits.HAND_OVERS)

/** The rate for changes of an account's name. Each change is an event in the audit log. */
export const NAME_CHANGES = of(AccountLimits.NAME_CHANGES)

/** The rate for simulated trips of one account. Each trip is an upload. */
export const TRIPS = of(AccountLimits.TRIPS)

/** The rate for requests of one caller with an `Idempotency-Key`. Each answer can be stored for a day. */
export const KEYED = of(AccountLimits.KEYED)

/**
 * The rate for calls of one connection to one route with tokens that have stopped working. All these calls within one
 * window have one entry in the access log together.
 */
export const DEAD = of(AccountLimits.DEAD_TOKENS)

/**
 * The rate for sign-in pages with a passkey, from one network address. Each page has a challenge that is stored for
 * five minutes.
 */
export const CHALLENGES = perMinute(120)

/**
 * The rate for requests from one network address that order or use a mailed link. The link is for a new password, for a
 * browser that cannot sign in, for an e-mail address, or for a sign-up. New sign-ups have the rate `SIGN_UPS` instead.
 */
export const RESETS: Rate = { calls: 30, windowMillis: 10 * MINUTE }

/**
 * The rate for links of one kind that are mailed to one mailbox. A link for a new password is valid for as long as a
 * window lasts. A stranger who uses up the limit cannot lock the owner out, because the owner has the last mailed link,
 * which works until the window has ended. Links of sign-ups are counted for each network that requests them, and also
 * together (`LINKS_TO_MAILBOX`).
 */
export const LINKS: Rate = { calls: 3, windowMillis: 30 * MINUTE }

/**
 * The rate for links of one account that change its e-mail address to one new address. A link is valid for as long as
 * the window lasts. If the window were as short as the window of `LINKS`, four accounts of a stranger could use up
 * `LINKS_TO_MAILBOX` in every half hour, and nobody could change an account to that address. With a window of a day,
 * these accounts can use up that limit for only half an hour a day.
 */
export const ADDRESS_CHANGES: Rate = { calls: 3, windowMillis: DAY }

/**
 * The rate for links to one mailbox that work only for the caller who requested them: links of sign-ups, and links to a
 * new address. This rate counts all callers together. One network or account also has its own rate of three mails
 * (`LINKS`, `ADDRESS_CHANGES`). In a window of this rate it can cause at most five mails: more than three only when a
 * window of its own rate ends within this window. So a single stranger cannot use up the mails that the owner of the
 * mailbox needs.
 */
export const LINKS_TO_MAILBOX: Rate = { calls: 10, windowMillis: 30 * MINUTE }

/**
 * The rate for mails about invitations to one mailbox, from all teams together. It is smaller than `NamedMail.NOTICES`,
 * so that teams that invite a person again and again leave room for the notices that the person chose. (Two windows may
 * follow each other immediately. Then three such mails can be sent within one hour.)
 */
export const INVITATION_MAILS: Rate = { calls: 2, windowMillis: HOUR }

/** The window of one subject, and the calls in it. */
export interface RateWindow {
  /** The exclusive end of the window: a call at this time begins the next window. */
  readonly endsAt: Timestamp
  /** The number of calls in the window, refused calls included. */
  readonly used: number
}

/**
 * Whether calls at `now` count in the window. If the window's end is more than two windows in the future, the window
 * began before the clock was set back, and counts as over. Otherwise calls would be refused until the clock reaches the
 * time that it had before.
 */
const isOpen = ({ endsAt }: RateWindow, windowMillis: number, now: Timestamp): boolean =>
  now < endsAt && endsAt <= plus(now, 2 * windowMillis)

/** The window after one more call. `window` is undefined when no window of the subject is stored. */
export const count = (window: RateWindow | undefined, windowMillis: number, now: Timestamp): RateWindow =>
  window !== undefined && isOpen(window, windowMillis, now)
    ? { ...window, used: window.used + 1 }
    : { endsAt: plus(now, windowMillis), used: 1 }

/** The state of a rate after a call, for the RateLimit headers. */
export interface Standing {
  readonly rate: Rate
  readonly isAdmitted: boolean
  /** Calls left in the window. */
  readonly remaining: number
  /** The milliseconds until this window ends. In the next window, all `rate.calls` calls are available again. */
  readonly resetMillis: number
}

/** The state of the rate after the last call that `window` counted. */
export const standing = (rate: Rate, { endsAt, used }: RateWindow, now: Timestamp): Standing => ({
  rate,
  isAdmitted: used <= rate.calls,
  remaining: Math.max(0, rate.calls - used),
  // The clock of this server may be slightly behind the clock of the server that began the window. Then `endsAt - now`
  // would be longer than a window.
  resetMillis: Math.min(endsAt - now, rate.windowMillis)
})
