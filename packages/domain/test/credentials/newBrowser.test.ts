import { createAccount, Account, AccountStore, checkPassword, KnownBrowser } from "@place-access/domain/accounts"
import { rememberSignIn, requestUnlock, useUnlock } from "@place-access/domain/credentials"
import { listRecentMail } from "@place-access/domain/mail"
import {
  MemoryAccountStore,
  MemoryAuditLog,
  MemoryCredentialStore,
  MemoryDatabase,
  MemoryEntropy,
  MemoryLimitStore,
  MemoryMailOutbox,
  MemoryPasswordHasher,
  MemoryVault
} from "@place-access/domain/testing"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, Layer, TestClock } from "effect"

const stores = Layer.mergeAll(
  MemoryAccountStore.layer,
  MemoryAuditLog.layer,
  MemoryCredentialStore.layer,
  MemoryLimitStore.layer,
  MemoryMailOutbox.layer,
  MemoryPasswordHasher.layer
).pipe(
  Layer.provideMerge(MemoryDatabase.layer),
  Layer.provideMerge(Layer.merge(MemoryEntropy.layer, MemoryVault.layer))
)

const SITES = { portal: "https://service.example/portal", service: "https://service.example" }

/** The mail that follows a sign-in in an unknown browser, two hours after the account was created. */
const mailAfter = (provedBy: "password" | "passkey") =>
  Effect.gen(function* () {
    const email = Account.Email.make("ada@example.com")
    yield* createAccount({ email, password: Account.Password.make("correct horse battery"), roles: [] })
    yield* TestClock.adjust("2 hours")
    const { account, passwordVersion } = yield* yield* (yield* AccountStore).findByEmail(email)
    const client = { browser: "Firefox on Linux", address: "203.0.113.7" }
    yield* rememberSignIn({ account, passwordVersion, provedBy, knownBrowser: undefined, client })
    const [letter] = yield* listRecentMail(100, SITES)
    return letter?.text ?? ""
  }).pipe(Effect.provide(stores))

describe("the mail about a sign-in from an unknown browser says how the person proved themselves [accounts-16]", () => {
  it.effect("with the password: somebody may know it, and the link leads to a new one", () =>
    Effect.gen(function* () {
      const text = yield* mailAfter("password")
      expect(text).toContain("signed in to your account with your password: Firefox on Linux")
      expect(text).toContain("somebody knows your password")
      expect(text).toContain("https://service.example/forgot-password")
    })
  )

  it.effect(
    "with a passkey: nobody knows the password, but only a new one ends the stranger's browser; the link leads to the passkeys",
    () =>
      Effect.gen(function* () {
        const text = yield* mailAfter("passkey")
        expect(text).toContain("signed in to your account with a passkey: Firefox on Linux")
        expect(text).not.toContain("your password")
        expect(text).toContain("remove that passkey now, and then set a new password, which signs everybody out")
        expect(text).toContain("https://service.example/portal/settings/second-factor")
        expect(text).toContain("https://service.example/portal/settings/sessions")
      })
  )
})

const PASSWORD = Account.Password.make("correct horse battery")
const NEWS = "A new browser signed in to your account"
const CLIENT = { browser: "Firefox on Linux", address: "203.0.113.7" }

const person = (name: string) =>
  createAccount({ email: Account.Email.make(`${name}@example.com`), password: PASSWORD, roles: [] })

/** Signs in to the account in the browser that has this cookie, and returns the browser's new cookie. */
const signInTo = ({ email }: Account.Account, knownBrowser: string | undefined) =>
  Effect.gen(function* () {
    const { account, passwordVersion } = yield* yield* (yield* AccountStore).findByEmail(email)
    return yield* rememberSignIn({ account, passwordVersion, provedBy: "password", knownBrowser, client: CLIENT })
  })

const lettersTo = ({ email }: Account.Account) =>
  Effect.map(listRecentMail(100, SITES), (all) => all.filter(({ to }) => to === email))

/** The subjects of the mails to the account, the newest first. */
const subjectsTo = (account: Account.Account) =>
  Effect.map(lettersTo(account), (letters) => letters.map(({ subject }) => subject))

/** The result of one sign-in attempt with the password, in the browser that has this cookie. */
const attempt = ({ email }: Account.Account, password: string, knownBrowser: string | undefined) =>
  Effect.map(Effect.either(checkPassword({ email, password, address: CLIENT.address, knownBrowser })), (tried) =>
    Either.isRight(tried) ? "in" : tried.left._tag
  )

const guess = (account: Account.Account, knownBrowser?: string) =>
  Effect.replicateEffect(attempt(account, "not this one", knownBrowser), 5)

describe("one browser is known to each account that signed in with it [accounts-14]", () => {
  it.effect("two people take turns in one browser: no mail calls it new, and strangers lock neither out", () =>
    Effect.gen(function* () {
      const [ada, bob] = [yield* person("ada"), yield* person("bob")]
      const first = yield* signInTo(bob, yield* signInTo(ada, undefined))
      yield* TestClock.adjust("2 hours")
      const cookie = yield* signInTo(bob, yield* signInTo(ada, first))
      expect([yield* subjectsTo(ada), yield* subjectsTo(bob)]).toEqual([[], []])
      yield* guess(ada)
      yield* guess(bob)
      expect([yield* attempt(ada, PASSWORD, undefined), yield* attempt(bob, PASSWORD, undefined)]).toEqual([
        "TooManyAttempts",
        "TooManyAttempts"
      ])
      expect([yield* attempt(ada, PASSWORD, cookie), yield* attempt(bob, PASSWORD, cookie)]).toEqual(["in", "in"])
    }).pipe(Effect.provide(stores))
  )

  it.effect("what fails at one account in the browser does not count for the other account", () =>
    Effect.gen(function* () {
      const [ada, bob] = [yield* person("ada"), yield* person("bob")]
      const cookie = yield* signInTo(bob, yield* signInTo(ada, undefined))
      yield* guess(bob, cookie)
      expect(yield* attempt(bob, PASSWORD, cookie)).toBe("TooManyAttempts")
      expect(yield* attempt(ada, PASSWORD, cookie)).toBe("in")
    }).pipe(Effect.provide(stores))
  )

  it.effect("a sign-in to one account does not prolong how long the other account knows the browser", () =>
    Effect.gen(function* () {
      const ada = yield* person("ada")
      const first = yield* signInTo(ada, undefined)
      yield* TestClock.adjust("364 days")
      const bob = yield* person("bob")
      const cookie = yield* signInTo(bob, first)
      yield* TestClock.adjust("1 day")
      yield* signInTo(ada, cookie)
      yield* signInTo(bob, cookie)
      expect([yield* subjectsTo(ada), yield* subjectsTo(bob)]).toEqual([[NEWS], []])
    }).pipe(Effect.provide(stores))
  )

  it.effect("a browser is known to at most five accounts: a sixth replaces the one whose sign-in is the oldest", () =>
    Effect.gen(function* () {
      const people = yield* Effect.forEach(["a", "b", "c", "d", "e", "f"], (letter) => person(letter.repeat(5)))
      let cookie: string | undefined
      for (const one of people) cookie = yield* signInTo(one, cookie)
      const known = yield* KnownBrowser.readCookie(cookie ?? "")
      expect(known.map(({ userId }) => userId)).toEqual(
        people
          .slice(1)
          .map(({ id }) => id)
          .toReversed()
      )
      expect(new Set(known.map(({ id }) => id)).size).toBe(5)
    }).pipe(Effect.provide(stores))
  )
})

describe("the unlock link lets a browser sign in [accounts-15]", () => {
  it.effect("also a known browser in which wrong passwords were typed; other accounts know it as before", () =>
    Effect.gen(function* () {
      const [ada, bob] = [yield* person("ada"), yield* person("bob")]
      const before = yield* signInTo(bob, yield* signInTo(ada, undefined))
      yield* guess(ada, before)
      yield* guess(bob, before)
      expect(yield* attempt(ada, PASSWORD, before)).toBe("TooManyAttempts")
      yield* requestUnlock(ada.email)
      const [letter] = yield* lettersTo(ada)
      const secret = /token=([0-9a-z]{52})/.exec(letter?.text ?? "")?.[1] ?? ""
      const { cookie } = yield* useUnlock(secret, before)
      expect(yield* attempt(ada, PASSWORD, cookie)).toBe("in")
      expect(yield* attempt(bob, PASSWORD, cookie)).toBe("TooManyAttempts")
    }).pipe(Effect.provide(stores))
  )
})
