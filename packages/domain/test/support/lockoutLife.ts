import { Account, createAccount, signIn, SignInThrottle } from "@place-access/domain/accounts"
import {
  issueResetLink,
  rememberSignIn,
  requestUnlock,
  resetPassword,
  useUnlock
} from "@place-access/domain/credentials"
import { Entropy, Timestamp } from "@place-access/domain/shared"
import { Effect, Either, FastCheck as fc, TestClock } from "effect"
import { expect } from "vitest"
import { lettersTo } from "./lettersTo.js"

/**
 * Generates random scenarios of two accounts and three browsers, and runs them against any stores. Compares each result
 * with a second implementation of the lock-out:
 *
 * - Five failures of unknown browsers within 15 minutes close an account to unknown browsers.
 * - Five failures of a known browser within 15 minutes close the account to this browser.
 * - Nothing else closes anything.
 * - A browser is known to each account that it signed in to, or whose unlock link it used, for a year after the last
 *   time, or until that account's password is replaced.
 * - An unlock link opens an account to the browser that uses the link, even when the browser's own failures closed it.
 */

export type LockoutStep =
  /** `browser` is null for a stranger, who keeps no cookies. The person makes `times` attempts, one after the other. */
  | {
      readonly _tag: "Try"
      readonly browser: number | null
      readonly account: number
      readonly isRight: boolean
      readonly times: number
    }
  | { readonly _tag: "AskUnlock"; readonly account: number }
  /** `link` selects a mailed unlock link: 0 is the newest. */
  | { readonly _tag: "Unlock"; readonly link: number; readonly browser: number }
  | { readonly _tag: "NewPassword"; readonly account: number }
  | { readonly _tag: "Pass"; readonly millis: number }

const { DAY, HOUR, MINUTE } = Timestamp
const QUARTER = SignInThrottle.WINDOW
const HALF_HOUR = 30 * MINUTE
const YEAR = 365 * DAY
// A browser can be known to more accounts than two (`KnownBrowser.MOST_ACCOUNTS`), so no browser forgets an account.
const ACCOUNTS = 2
const BROWSERS = 3

const account = fc.nat({ max: ACCOUNTS - 1 })
const browser = fc.nat({ max: BROWSERS - 1 })
const one = <Name extends LockoutStep["_tag"], Fields>(
  _tag: Name,
  fields: { [K in keyof Fields]: fc.Arbitrary<Fields[K]> }
) => fc.record({ _tag: fc.constant(_tag), ...fields })

const times = fc.constantFrom(1, 1, 4, 5, 6)
const step = fc.oneof(
  { weight: 5, arbitrary: one("Try", { browser, account, isRight: fc.constant(true), times: fc.constant(1) }) },
  { weight: 3, arbitrary: one("Try", { browser, account, isRight: fc.constant(false), times }) },
  { weight: 4, arbitrary: one("Try", { browser: fc.constant(null), account, isRight: fc.boolean(), times }) },
  { weight: 2, arbitrary: one("AskUnlock", { account }) },
  { weight: 2, arbitrary: one("Unlock", { link: fc.constantFrom(0, 0, 1), browser }) },
  { weight: 1, arbitrary: one("NewPassword", { account }) },
  {
    weight: 3,
    arbitrary: one("Pass", {
      millis: fc.constantFrom(1, QUARTER - 1, QUARTER, HALF_HOUR - 1, HALF_HOUR, HOUR, DAY, YEAR - 1, YEAR)
    })
  }
) as fc.Arbitrary<LockoutStep>

/** A browser is known to the account, strangers guess the password, and then the owner signs in. */
const siege = fc
  .record({ account, browser, other: account, times: fc.constantFrom(5, 6), between: fc.constantFrom(1, QUARTER) })
  .map(({ account, between, browser, other, times }): ReadonlyArray<LockoutStep> => [
    { _tag: "Try", browser, account, isRight: true, times: 1 },
    { _tag: "Try", browser: null, account: other, isRight: false, times },
    { _tag: "Try", browser, account: other, isRight: true, times: 1 },
    { _tag: "Try", browser, account, isRight: false, times: 5 },
    { _tag: "Try", browser, account, isRight: true, times: 1 },
    { _tag: "Pass", millis: between },
    { _tag: "Try", browser: null, account: other, isRight: true, times: 1 }
  ])

/** An unlock link is used twice. The first use is after 1 ms, at the last instant of its validity, or too late. */
const unlocking = fc
  .record({ account, browser, late: fc.constantFrom(1, HALF_HOUR - 1, HALF_HOUR) })
  .map(({ account, browser, late }): ReadonlyArray<LockoutStep> => [
    { _tag: "AskUnlock", account },
    { _tag: "Pass", millis: late },
    { _tag: "Try", browser: null, account, isRight: false, times: 5 },
    { _tag: "Unlock", link: 0, browser },
    { _tag: "Try", browser, account, isRight: true, times: 1 },
    { _tag: "Unlock", link: 0, browser }
  ])

/**
 * The owner's failures in a known browser close the account to this browser, and the owner uses an unlock link there.
 */
const reopening = fc
  .record({ account, browser, other: account })
  .map(({ account, browser, other }): ReadonlyArray<LockoutStep> => [
    { _tag: "AskUnlock", account },
    { _tag: "Try", browser, account: other, isRight: true, times: 1 },
    { _tag: "Try", browser, account, isRight: true, times: 1 },
    { _tag: "Try", browser, account, isRight: false, times: 5 },
    { _tag: "Unlock", link: 0, browser },
    { _tag: "Try", browser, account: other, isRight: true, times: 1 },
    { _tag: "Try", browser, account, isRight: true, times: 1 }
  ])

export const lockoutLives: fc.Arbitrary<ReadonlyArray<LockoutStep>> = fc
  .array(
    fc.oneof(
      { weight: 8, arbitrary: step.map((only) => [only]) },
      { weight: 2, arbitrary: siege },
      { weight: 2, arbitrary: unlocking },
      { weight: 1, arbitrary: reopening }
    ),
    { minLength: 1, maxLength: 16 }
  )
  .map((all) => all.flat())

export const LOCKOUT_MARKS = [
  "a browser is known to two accounts",
  "a browser of another account is a stranger",
  "a known browser closed itself",
  "a known browser got in while strangers were shut out",
  "a new browser was mailed",
  "a new password forgot the browser",
  "a stranger got in",
  "an unlock link made a browser known",
  "an unlock link opened a known browser that had closed itself",
  "an unlock link that is dead",
  "strangers were shut out",
  "the cookie has expired"
]

/** A browser with its cookie, and for each account (by its index) what makes the browser known to the account. */
interface Browser {
  text: string | undefined
  readonly known: Map<number, AccountEntry>
}

interface AccountEntry {
  readonly version: number
  readonly endsAt: number
  /** The times of failed sign-ins in this browser, while the browser is known to the account. */
  readonly failures: Array<number>
}

interface Link {
  readonly secret: string
  readonly account: number
  readonly version: number
  readonly endsAt: number
  isUsed: boolean
}

/**
 * Runs a scenario and fails when a guarantee is violated. Adds to `met` the name of each situation that the scenario
 * reached.
 */
export const liveLockouts = (
  steps: ReadonlyArray<LockoutStep>,
  met: Set<string>,
  pass: (millis: number) => Effect.Effect<void> = TestClock.adjust
) =>
  Effect.gen(function* () {
    const madeAt = yield* Timestamp.now
    const world = yield* Entropy.id("w")
    const password = (version: number): Account.Password => Account.Password.make(`correct horse battery ${version}`)
    const owners: Array<{ readonly account: Account.Account; version: number; failures: Array<number> }> = []
    for (let index = 0; index < ACCOUNTS; index++) {
      const email = Account.Email.make(`${world}.${index}@example.com`)
      owners.push({
        account: yield* createAccount({ email, password: password(0), roles: [] }),
        version: 0,
        failures: []
      })
    }
    const browsers = Array.from({ length: BROWSERS }, (): Browser => ({ text: undefined, known: new Map() }))
    const links: Array<Link> = []
    const recent = (failures: ReadonlyArray<number>, now: number) => failures.filter((at) => now - at < QUARTER).length
    const letters = ({ email, id }: Account.Account, subject: string) =>
      Effect.map(lettersTo(email, id), (all) => all.filter((letter) => letter.subject === subject))

    const take = (step: LockoutStep) =>
      Effect.gen(function* () {
        const now = yield* Timestamp.now
        switch (step._tag) {
          case "Try": {
            const owner = owners[step.account]
            if (owner === undefined) return
            for (let count = 0; count < step.times; count++) {
              const browser = step.browser === null ? undefined : browsers[step.browser]
              const known = browser?.known.get(step.account)
              const isKnown = known !== undefined && known.version === owner.version && now < known.endsAt
              if (browser !== undefined && browser.known.size > 0 && known === undefined) {
                met.add("a browser of another account is a stranger")
              } else if (known !== undefined && known.version !== owner.version) {
                met.add("a new password forgot the browser")
              } else if (known !== undefined && !isKnown) met.add("the cookie has expired")
              const failures = isKnown ? known.failures : owner.failures
              const isOpen = recent(failures, now) < 5
              // Each attempt comes from a different network, because the limit for networks is not the subject here.
              const network = yield* Entropy.id("net")
              const before = (yield* letters(owner.account, "A new browser signed in to your account")).length
              const tried = yield* Effect.either(
                signIn({
                  email: owner.account.email,
                  password: step.isRight ? password(owner.version) : "not this one",
                  address: network,
                  knownBrowser: browser?.text
                })
              )
              const expected = !isOpen ? "TooManyAttempts" : step.isRight ? "in" : "WrongCredentials"
              expect(Either.isRight(tried) ? "in" : tried.left._tag).toBe(expected)
              if (expected === "TooManyAttempts") {
                met.add(isKnown ? "a known browser closed itself" : "strangers were shut out")
              }
              if (expected === "WrongCredentials") failures.push(now)
              if (Either.isLeft(tried)) continue
              if (isKnown && recent(owner.failures, now) >= 5) {
                met.add("a known browser got in while strangers were shut out")
              }
              failures.length = 0
              if (!isKnown) met.add("a stranger got in")
              const text = yield* rememberSignIn({
                account: tried.right.account,
                passwordVersion: tried.right.passwordVersion,
                provedBy: "password",
                knownBrowser: browser?.text,
                client: { browser: null, address: network }
              })
              const after = (yield* letters(owner.account, "A new browser signed in to your account")).length
              const isNews = !isKnown && now - madeAt >= HOUR
              expect(after).toBe(before + (isNews ? 1 : 0))
              if (isNews) met.add("a new browser was mailed")
              if (browser !== undefined) {
                const isSame = known !== undefined && now < known.endsAt
                browser.text = text
                browser.known.set(step.account, {
                  version: owner.version,
                  endsAt: now + YEAR,
                  failures: isSame ? known.failures : []
                })
                if (browser.known.size > 1) met.add("a browser is known to two accounts")
              }
            }
            return
          }
          case "AskUnlock": {
            const owner = owners[step.account]
            if (owner === undefined) return
            yield* pass(31 * MINUTE)
            const endsAt = (yield* Timestamp.now) + HALF_HOUR
            yield* requestUnlock(owner.account.email)
            const [letter] = yield* letters(owner.account, "Sign in although others guess your password")
            const secret = /token=([0-9a-z]{52})/.exec(letter?.text ?? "")?.[1] ?? ""
            expect(secret).not.toBe("")
            links.push({ secret, account: step.account, version: owner.version, endsAt, isUsed: false })
            return
          }
          case "Unlock": {
            const link = links.at(-1 - step.link)
            const owner = link === undefined ? undefined : owners[link.account]
            if (link === undefined || owner === undefined) return
            const works = !link.isUsed && now < link.endsAt && link.version === owner.version
            const browser = browsers[step.browser]
            if (browser === undefined) return
            const used = yield* Effect.either(useUnlock(link.secret, browser.text))
            expect(Either.isRight(used)).toBe(works)
            if (Either.isLeft(used)) return void met.add("an unlock link that is dead")
            met.add("an unlock link made a browser known")
            link.isUsed = true
            const before = browser.known.get(link.account)
            if (before?.version === owner.version && recent(before.failures, now) >= 5) {
              met.add("an unlock link opened a known browser that had closed itself")
            }
            browser.text = used.right.cookie
            browser.known.set(link.account, { version: owner.version, endsAt: now + YEAR, failures: [] })
            return
          }
          case "NewPassword": {
            const owner = owners[step.account]
            if (owner === undefined) return
            const { secret } = yield* issueResetLink(owner.account.email)
            yield* resetPassword(secret, password(owner.version + 1))
            owner.version++
            owner.failures.length = 0
            for (const { known } of browsers) {
              const ofAccount = known.get(step.account)
              if (ofAccount !== undefined) ofAccount.failures.length = 0
            }
            return
          }
          case "Pass":
            return yield* pass(step.millis)
        }
      })

    for (const step of steps) yield* take(step)
  })
