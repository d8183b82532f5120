import { Account } from "@place-access/domain/accounts"
import { CredentialStore, requestReset, requestUnlock } from "@place-access/domain/credentials"
import { MailOutbox } from "@place-access/domain/mail"
import { StoreError } from "@place-access/domain/shared"
import {
  Fixtures,
  MemoryAccountStore,
  MemoryCredentialStore,
  MemoryDatabase,
  MemoryEntropy,
  MemoryLimitStore,
  MemoryMailOutbox,
  MemoryVault
} from "@place-access/domain/testing"
import { Effect, Layer, Logger, LogLevel, TestClock, TestContext } from "effect"
import { describe, expect, it } from "vitest"
import { afterAnswer } from "@place-access/adapters-http/edge/afterAnswer"

const stores = Layer.mergeAll(
  MemoryAccountStore.layer,
  MemoryCredentialStore.layer,
  MemoryLimitStore.layer,
  MemoryMailOutbox.layer,
  MemoryEntropy.layer,
  MemoryVault.layer
).pipe(Layer.provide(MemoryDatabase.layer))

const inVirtualTime = <A, E>(program: Effect.Effect<A, E, Layer.Layer.Success<typeof stores>>) =>
  Effect.runPromise(
    program.pipe(
      Logger.withMinimumLogLevel(LogLevel.None),
      Effect.provide(stores),
      Effect.provide(TestContext.TestContext)
    )
  )

/** A store that cannot store a link the first `times` times. */
const failing = (times: number, error: StoreError) =>
  Effect.map(CredentialStore, (store) => {
    let left = times
    const offerLink: typeof store.offerLink = (...link) =>
      Effect.suspend(() => (left-- > 0 ? Effect.fail(error) : store.offerLink(...link)))
    return { ...store, offerLink }
  })

/** Orders three links one after the other. The store fails `times` times, for the first link. Returns the mails. */
const mailsAfter = (request: (email: Account.Email) => typeof ordered, times: number, error: StoreError) =>
  inVirtualTime(
    Effect.gen(function* () {
      const { email } = yield* Fixtures.user
      const store = yield* failing(times, error)
      const mail = Effect.provideService(afterAnswer("not mailed", request(email)), CredentialStore, store)
      const counts: Array<number> = []
      for (let order = 0; order < 3; order++) {
        yield* mail
        yield* TestClock.adjust("1 minute")
        counts.push((yield* (yield* MailOutbox).recent(10)).length)
      }
      return counts
    })
  )
const ordered = requestReset(Account.Email.make("any@example.com"))

const transient = StoreError.unavailable("the row is locked")

describe("a mailed link whose store fails for a moment after the answer [mail-1]", () => {
  it.each([
    ["a link for a new password", requestReset],
    ["an unlock link", requestUnlock]
  ])("%s is mailed once, and counts once against its limit", async (_, request) => {
    expect(await mailsAfter(request, 3, transient)).toEqual([1, 2, 3])
  })

  it("is not stored again after a fault of the service itself", async () => {
    expect(await mailsAfter(requestReset, 1, StoreError.broken("a bug"))).toEqual([0, 1, 2])
  })
})
