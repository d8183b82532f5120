import { Account } from "@place-access/domain/accounts"
import { AccountDeletion } from "@place-access/domain/deletions"
import { Mail } from "@place-access/domain/mail"
import { Timestamp } from "@place-access/domain/shared"
import { Fixtures, MemoryAccountStore, MemoryDatabase, MemoryEntropy } from "@place-access/domain/testing"
import { Effect, Either, Layer, Option, Schema } from "effect"
import { describe, expect, it } from "vitest"

const { DAY, MINUTE } = Timestamp
const NOW = Timestamp.make(Date.UTC(2026, 2, 1, 12))

const account = await Effect.runPromise(
  Fixtures.userWith({ roles: ["developer"] }).pipe(
    Effect.provide(Layer.merge(MemoryAccountStore.layer, MemoryEntropy.layer).pipe(Layer.provide(MemoryDatabase.layer)))
  )
)

describe("decide", () => {
  it("anybody may go, but for the last admin", () => {
    const state = { account, apps: [], isLastAdmin: false }
    expect(Either.isRight(AccountDeletion.decide(state, NOW))).toBe(true)
    const refused = AccountDeletion.decide({ ...state, isLastAdmin: true }, NOW)
    expect(Either.getLeft(refused)).toMatchObject({ value: { _tag: "Conflict", reason: AccountDeletion.LAST_ADMIN } })
  })

  it("the receipt goes to the address and names neither the person nor the account in its text", () => {
    const { receipt } = Either.getOrThrow(AccountDeletion.decide({ account, apps: [], isLastAdmin: false }, NOW))
    expect(receipt).toMatchObject({ to: AccountDeletion.NOBODY.id, address: account.email })
    expect(receipt?.link).toBeUndefined()
    for (const word of [account.email, account.id, account.displayName]) expect(receipt?.body).not.toContain(word)
  })

  it.each([
    [
      { language: "de" },
      ["Ihr Konto wurde gelöscht", "Am 1. März 2026 um 13:00 (Europe/Berlin) wurde Ihr Konto gelöscht"]
    ],
    [
      { browserLanguage: "de", timeZone: null },
      ["Ihr Konto wurde gelöscht", "Am 1. März 2026 um 12:00 UTC wurde Ihr Konto gelöscht"]
    ],
    [{}, ["Your account was deleted", "On 1 March 2026 at 13:00 (Europe/Berlin) your account was deleted"]]
  ] as const)(
    "the receipt is in the language and zone of the deleted account, and sending it changes no word: %j [accounts-19, accounts-20]",
    (chosen, [subject, begins]) => {
      const reader = { ...account, timeZone: "Europe/Berlin", ...chosen }
      const { receipt } = Either.getOrThrow(
        AccountDeletion.decide({ account: reader, apps: [], isLastAdmin: false }, NOW)
      )
      if (receipt === null) throw new Error("no receipt")
      expect([receipt.subject, receipt.body.slice(0, begins.length)]).toEqual([subject, begins])
      const { NOBODY } = AccountDeletion
      const zone = Option.getOrNull(Account.zoneOf(NOBODY))
      expect(Mail.forReader(receipt, Account.mailLanguageOf(NOBODY), zone)).toEqual(receipt)
    }
  )

  it("no receipt goes to an address that nobody confirmed [accounts-11]", () => {
    const state = { account: { ...account, confirmedAt: null }, apps: [], isLastAdmin: false }
    expect(Either.getOrThrow(AccountDeletion.decide(state, NOW)).receipt).toBeNull()
  })
})

describe("what stands for everybody whose account is gone", () => {
  it("has an address that no account can have: who signs up with it first is not in its way", () => {
    const { email } = AccountDeletion.NOBODY
    expect(Schema.decodeSync(Account.Email)(email)).not.toBe(email)
  })
})

describe("nextLook", () => {
  it("after ten minutes, after a day, and then never", () => {
    const at = (after: number) => AccountDeletion.nextLook(NOW, Timestamp.plus(NOW, after))
    expect([at(0), at(10 * MINUTE - 1)]).toEqual([NOW + 10 * MINUTE, NOW + 10 * MINUTE])
    expect([at(10 * MINUTE), at(DAY - 1)]).toEqual([NOW + DAY, NOW + DAY])
    expect([at(DAY), at(5 * DAY)]).toEqual([null, null])
  })
})
