import { Effect, Option } from "effect"
import { Entropy, program, UserId, Vault } from "../shared/index.js"
import { DAY, make, plus, type Timestamp } from "../shared/Timestamp.js"
import * as Time from "../shared/Timestamp.js"

/**
 * A browser in which the owner of an account has already signed in, set a new password or used an unlock link (decision
 * accounts-14). The browser proves this with an entry in its cookie, which the service signed. `SignInThrottle` counts
 * the attempts to sign in from each known browser separately, so a stranger who guesses passwords cannot lock out the
 * owner. In the database, only the rows of these attempts contain the browser's id. The cookie alone signs nobody in.
 */
export interface KnownBrowser {
  readonly userId: UserId
  /**
   * The id under which the throttle counts the browser's attempts to sign in to this account. The browser has a
   * different id for each account.
   */
  readonly id: string
  /** The entry is valid only while the account's password has this version. So a new password invalidates the entry. */
  readonly passwordVersion: number
  /** From this instant on, the entry is not valid. */
  readonly expiresAt: Timestamp
}

/** How long a browser stays known after its entry was made, in milliseconds. Each sign-in makes a new entry. */
export const LIFETIME = 365 * DAY

/** The maximum number of accounts to which one browser is known. This limit keeps the cookie short. */
export const MOST_ACCOUNTS = 5

/** Stands between two entries of the cookie. */
const SEPARATOR = "~"

/**
 * The cookie that makes a browser known to `owner`, for example after a sign-in at `now`. `before`: the entries of the
 * cookie that the browser sent. A browser that was already known to this account keeps its id, so that its failed
 * attempts still count. The entries of other accounts keep their content. The cookie's first entry is the newest, and
 * the last entries above the limit are left out.
 */
export const issueCookie = program(
  "issueCookie",
  function* (
    owner: Pick<KnownBrowser, "userId" | "passwordVersion">,
    before: ReadonlyArray<KnownBrowser>,
    now: Timestamp
  ) {
    const id = before.find(({ userId }) => userId === owner.userId)?.id ?? (yield* Entropy.id("brw"))
    const others = before.filter(({ userId }) => userId !== owner.userId)
    const all = [{ ...owner, id, expiresAt: plus(now, LIFETIME) }, ...others].slice(0, MOST_ACCOUNTS)
    return (yield* Effect.forEach(all, sign)).join(SEPARATOR)
  }
)

const sign = ({ expiresAt, id, passwordVersion, userId }: KnownBrowser) =>
  Effect.gen(function* () {
    const vault = yield* Vault.Vault
    const signed = [userId, id, passwordVersion, expiresAt].join(".")
    return `${signed}.${yield* Effect.orDie(vault.derive("known-browser", vault.currentKey, signed))}`
  })

const ENTRY = /^(([0-9A-Za-z_-]{1,80})\.(brw_[0-9a-z]{24})\.(\d{1,9})\.(\d{1,15}))\.([0-9A-Za-z_-]{43})$/

/**
 * The entries of the cookie. Leaves out expired entries, and entries that were not signed with a key that this service
 * has now.
 */
export const readCookie = program("readCookie", function* (cookie: string) {
  const entries = yield* Effect.forEach(cookie.split(SEPARATOR, MOST_ACCOUNTS), readEntry)
  return entries.flatMap(Option.toArray)
})

const readEntry = (entry: string) =>
  Effect.gen(function* () {
    const vault = yield* Vault.Vault
    const [, signed, userId, id, version, end, mac] = ENTRY.exec(entry) ?? []
    if (signed === undefined || userId === undefined || id === undefined || mac === undefined) return Option.none()
    const isOurs = yield* Effect.exists(vault.keys, (keyId) =>
      Vault.isSigned("known-browser", { keyId, mac, text: signed })
    )
    const browser: KnownBrowser = {
      userId: UserId.make(userId),
      id,
      passwordVersion: Number(version),
      expiresAt: make(Number(end))
    }
    return isOurs && (yield* Time.now) < browser.expiresAt ? Option.some(browser) : Option.none()
  })

/**
 * The entry that makes the browser known to this account. Undefined when there is no entry for the account, or when the
 * entry is from before the present password.
 */
export const entryOf = (
  entries: ReadonlyArray<KnownBrowser>,
  owner: { readonly account: { readonly id: UserId }; readonly passwordVersion: number }
): KnownBrowser | undefined =>
  entries.find(
    ({ passwordVersion, userId }) => userId === owner.account.id && passwordVersion === owner.passwordVersion
  )
