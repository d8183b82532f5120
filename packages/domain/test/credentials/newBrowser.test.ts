import { createAccount, Account, AccountStore } from "@place-access/domain/accounts"
import { rememberSignIn } from "@place-access/domain/credentials"
import { listRecentMail } from "@place-access/domain/mail"
import {
  MemoryAccountStore,
  MemoryAuditLog,
  MemoryDatabase,
  MemoryEntropy,
  MemoryMailOutbox,
  MemoryPasswordHasher,
  MemoryVault
} from "@place-access/domain/testing"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer, TestClock } from "effect"

const stores = Layer.mergeAll(
  MemoryAccountStore.layer,
  MemoryAuditLog.layer,
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

  it.effect("with a passkey: the mail does not speak of the password, and the link leads to the passkeys", () =>
    Effect.gen(function* () {
      const text = yield* mailAfter("passkey")
      expect(text).toContain("signed in to your account with a passkey: Firefox on Linux")
      expect(text).not.toContain("password")
      expect(text).toContain("https://service.example/portal/settings/second-factor")
      expect(text).toContain("https://service.example/portal/settings/sessions")
    })
  )
})
