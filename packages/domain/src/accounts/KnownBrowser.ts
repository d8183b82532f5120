import { Effect, Option } from "effect"
import { Entropy, program, UserId, Vault } from "../shared/index.js"
import { DAY, make, plus, type Timestamp } from "../shared/Timestamp.js"
import * as Time from "../shared/Timestamp.js"

/**
 * A browser with which the owner of an account signed in before (decision accounts-14). The browser proves this with a
 * cookie that the service signed. The database has the browser's id only in the tries to sign in, which are counted
 * separately for each such browser (`SignInThrottle`), so a stranger who guesses passwords cannot lock out the owner.
 * The cookie alone signs nobody in.
 */
export interface KnownBrowser {
  readonly userId: UserId
  /** The id under which the browser's attempts to sign in are counted. */
  readonly id: string
  /**
   * The cookie is valid only while the account's password has this version. So a new password invalidates the cookie.
   */
  readonly passwordVersion: number
  /** From this instant on, the cookie is not valid. */
  readonly expiresAt: Timestamp
}

/** How long a browser stays known after a sign-in, in milliseconds. */
export const LIFETIME = 365 * DAY

/**
 * The cookie to set after a sign-in at `now`. `before`: the content of the cookie that the browser sent. A browser that
 * was known to this account before keeps its id, so that its failed attempts still count.
 */
export const issueCookie = program(
  "issueCookie",
  function* (
    owner: Pick<KnownBrowser, "userId" | "passwordVersion">,
    before: KnownBrowser | undefined,
    now: Timestamp
  ) {
    const vault = yield* Vault.Vault
    const id = before?.userId === owner.userId ? before.id : yield* Entropy.id("brw")
    const signed = [owner.userId, id, owner.passwordVersion, plus(now, LIFETIME)].join(".")
    return `${signed}.${yield* Effect.orDie(vault.derive("known-browser", vault.currentKey, signed))}`
  }
)

const COOKIE = /^(([0-9A-Za-z_-]{1,80})\.(brw_[0-9a-z]{24})\.(\d{1,9})\.(\d{1,15}))\.([0-9A-Za-z_-]{43})$/

/** The content of the cookie. None when this service did not sign the cookie, or when the cookie has expired. */
export const readCookie = program("readCookie", function* (cookie: string) {
  const vault = yield* Vault.Vault
  const [, signed, userId, id, version, end, mac] = COOKIE.exec(cookie) ?? []
  if (signed === undefined || userId === undefined || id === undefined || mac === undefined) return Option.none()
  const expected = yield* Effect.forEach(vault.keys, (key) => Effect.option(vault.derive("known-browser", key, signed)))
  const isOurs = expected.some((one) => Option.isSome(one) && vault.equal(one.value, mac))
  const browser: KnownBrowser = {
    userId: UserId.make(userId),
    id,
    passwordVersion: Number(version),
    expiresAt: make(Number(end))
  }
  return isOurs && (yield* Time.now) < browser.expiresAt ? Option.some(browser) : Option.none()
})

/** Whether the browser was signed in to this account, with the password that the account has now. */
export const isOf = (
  browser: KnownBrowser,
  owner: { readonly account: { readonly id: UserId }; readonly passwordVersion: number }
): boolean => browser.userId === owner.account.id && browser.passwordVersion === owner.passwordVersion
