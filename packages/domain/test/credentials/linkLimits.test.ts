import { Account, createAccount } from "@place-access/domain/accounts"
import {
  confirmAddress,
  requestAddressChange,
  requestConfirmation,
  requestSignUp,
  SignUpRequest
} from "@place-access/domain/credentials"
import { MailOutbox } from "@place-access/domain/mail"
import { Timestamp } from "@place-access/domain/shared"
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
import { Effect, Layer, TestClock } from "effect"
import { lettersTo } from "../support/lettersTo.js"

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

const password = Account.Password.make("correct horse battery")
const address = (name: string) => Account.Email.make(`${name}@example.com`)
const person = (name: string) => createAccount({ email: address(name), password, roles: [] })

/** An account whose e-mail address was never confirmed. */
const unconfirmed = (name: string, emailOf = (account: Account.Account) => account.email) =>
  Effect.gen(function* () {
    const { accounts } = yield* MemoryDatabase
    const { id } = yield* person(name)
    const stored = accounts.get(id) ?? (yield* Effect.die("no account"))
    const account = { ...stored.account, email: emailOf(stored.account), confirmedAt: null }
    accounts.set(id, { ...stored, account })
    return account
  })

describe("links about an address [accounts-11, accounts-13]", () => {
  it.effect("a stranger who asks for an address again and again does not keep its owner from confirming it", () =>
    Effect.gen(function* () {
      const [owner, stranger] = [yield* unconfirmed("owner"), yield* person("stranger")]
      for (let count = 0; count < 12; count++) yield* requestAddressChange(stranger, owner.email)
      expect(yield* lettersTo(owner.email, owner.id)).toHaveLength(3)
      yield* TestClock.adjust(1)
      yield* requestConfirmation(owner)
      const [newest] = yield* lettersTo(owner.email, owner.id)
      const token = /token=(\w+)/.exec(newest?.text ?? "")?.[1] ?? ""
      expect(yield* confirmAddress(owner, token, "confirmed")).toMatchObject({ email: owner.email })
    }).pipe(Effect.provide(stores))
  )

  it.effect("nor from changing to it; ten links are mailed to one address that accounts want", () =>
    Effect.gen(function* () {
      const wanted = address("wanted")
      const stranger = yield* person("stranger")
      for (let count = 0; count < 12; count++) yield* requestAddressChange(stranger, wanted)
      expect(yield* lettersTo(wanted, undefined)).toHaveLength(3)
      for (let nth = 4; nth <= 10; nth++) {
        yield* requestAddressChange(yield* person(`person${nth}`), wanted)
        expect(yield* lettersTo(wanted, undefined)).toHaveLength(nth)
      }
      yield* requestAddressChange(yield* person("last"), wanted)
      expect(yield* lettersTo(wanted, undefined)).toHaveLength(10)
    }).pipe(Effect.provide(stores))
  )

  it.effect(
    "accounts that use the ten links up keep nobody from changing to the address for longer than half an hour",
    () =>
      Effect.gen(function* () {
        const wanted = address("wanted")
        const strangers = yield* Effect.forEach(["a", "b", "c", "d"], person)
        const owner = yield* person("owner")
        const all = Effect.forEach(strangers, (one) => Effect.repeatN(requestAddressChange(one, wanted), 11))
        yield* all
        expect(yield* lettersTo(wanted, undefined)).toHaveLength(10)
        yield* TestClock.adjust(30 * Timestamp.MINUTE)
        yield* all
        const before = (yield* lettersTo(wanted, undefined)).length
        yield* requestAddressChange(owner, wanted)
        expect((yield* lettersTo(wanted, undefined)).length).toBe(before + 1)
      }).pipe(Effect.provide(stores))
  )

  it.effect("three links of one account to one new address are mailed in 24 hours, as long as a link works", () =>
    Effect.gen(function* () {
      const [owner, wanted] = [yield* person("owner"), address("wanted")]
      const requestLink = Effect.zipRight(
        requestAddressChange(owner, wanted),
        Effect.map(lettersTo(wanted, undefined), (letters) => letters.length)
      )
      expect([yield* requestLink, yield* requestLink, yield* requestLink, yield* requestLink]).toEqual([1, 2, 3, 3])
      yield* TestClock.adjust(Timestamp.DAY - 1)
      expect(yield* requestLink).toBe(3)
      yield* TestClock.adjust(1)
      expect(yield* requestLink).toBe(4)
    }).pipe(Effect.provide(stores))
  )

  it.effect("three confirmations of one account are mailed in half an hour", () =>
    Effect.gen(function* () {
      const owner = yield* unconfirmed("owner")
      for (let count = 0; count < 4; count++) yield* requestConfirmation(owner)
      expect(yield* lettersTo(owner.email, owner.id)).toHaveLength(3)
      yield* TestClock.adjust(30 * Timestamp.MINUTE)
      yield* requestConfirmation(owner)
      expect(yield* lettersTo(owner.email, owner.id)).toHaveLength(4)
    }).pipe(Effect.provide(stores))
  )

  it.effect("no confirmation is mailed to the placeholder of an account that lost its address", () =>
    Effect.gen(function* () {
      yield* requestConfirmation(yield* unconfirmed("loser", ({ id }) => SignUpRequest.releasedEmail(id)))
      expect(yield* (yield* MailOutbox).recent(10)).toEqual([])
    }).pipe(Effect.provide(stores))
  )
})

describe("where every address counts as confirmed [accounts-11, accounts-13]", () => {
  it.effect("a change mails an undo link to the old address, but none to the placeholder of a lost address", () =>
    Effect.gen(function* () {
      const afterChange = (account: Account.Account, wanted: Account.Email) =>
        Effect.gen(function* () {
          yield* requestAddressChange(account, wanted)
          const [link] = yield* lettersTo(wanted, undefined)
          const token = /token=(\w+)/.exec(link?.text ?? "")?.[1] ?? ""
          expect(yield* confirmAddress(account, token, "assumed")).toMatchObject({ email: wanted })
          return (yield* lettersTo(account.email, undefined)).map(({ subject }) => subject)
        })
      const loser = yield* unconfirmed("loser", ({ id }) => SignUpRequest.releasedEmail(id))
      expect(yield* afterChange(loser, address("another"))).toEqual([])
      const owner = yield* unconfirmed("owner")
      expect(yield* afterChange(owner, address("further"))).toEqual(["The address of your account was changed"])
    }).pipe(Effect.provide(stores))
  )
})

describe("mails about a sign-up [accounts-12]", () => {
  it.effect("a network that signs up with an address again and again does not keep its owner from it", () =>
    Effect.gen(function* () {
      const email = address("wanted")
      const from = (network: number) => requestSignUp({ email, password, address: `203.0.${network}.7` }, "open")
      for (let count = 0; count < 12; count++) yield* from(113)
      expect(yield* lettersTo(email, undefined)).toHaveLength(3)
      for (let nth = 4; nth <= 10; nth++) {
        yield* from(nth)
        expect(yield* lettersTo(email, undefined)).toHaveLength(nth)
      }
      yield* from(11)
      expect(yield* lettersTo(email, undefined)).toHaveLength(10)
    }).pipe(Effect.provide(stores))
  )
})
