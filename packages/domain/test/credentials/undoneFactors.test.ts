import { Account, AccountStore, createAccount, signIn } from "@place-access/domain/accounts"
import { AuditEvent, AuditLog } from "@place-access/domain/audit"
import {
  AccountLink,
  AddressChange,
  confirmAddress,
  requestAddressChange,
  undoAddressChange
} from "@place-access/domain/credentials"
import {
  beginCodeApp,
  confirmCodeApp,
  describeFactors,
  Factors,
  OneTimeCode,
  OneTimeCodes
} from "@place-access/domain/factors"
import { Timestamp, Vault } from "@place-access/domain/shared"
import {
  MemoryAccountStore,
  MemoryAuditLog,
  MemoryAuthenticators,
  MemoryCredentialStore,
  MemoryDatabase,
  MemoryEntropy,
  MemoryFactorStore,
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
  MemoryAuthenticators.codes,
  MemoryCredentialStore.layer,
  MemoryFactorStore.layer,
  MemoryLimitStore.layer,
  MemoryMailOutbox.layer,
  MemoryPasswordHasher.layer
).pipe(
  Layer.provideMerge(MemoryDatabase.layer),
  Layer.provideMerge(Layer.merge(MemoryEntropy.layer, MemoryVault.layer))
)

const { DAY, HOUR, MINUTE } = Timestamp
const [before, after] = [Account.Email.make("ada@example.com"), Account.Email.make("thief@example.com")]
const password = Account.Password.make("correct horse battery")
const newPassword = Account.Password.make("purple monkey dishwasher")

/**
 * Returns the factors that are left when the service undoes a change of the address an hour after the change, and the
 * events of the audit log.
 */
const undone = (
  at: (changedAt: Timestamp.Timestamp) => Factors.Factors,
  suspendedAt: Timestamp.Timestamp | null = null
) =>
  Effect.gen(function* () {
    const account = { ...(yield* createAccount({ email: before, password, roles: [] })), suspendedAt }
    const changedAt = Timestamp.make(10 * DAY)
    const link = AccountLink.make("address_undo", Vault.Hash.make("0".repeat(64)), account, changedAt)
    const state = { account, passwordVersion: 1, addressVersion: 1, factors: at(changedAt), link }
    const decided = AddressChange.undo("confirmed", "hash")(state, Timestamp.plus(changedAt, HOUR))
    if (decided === null) throw new Error("the link is live")
    const events = decided.audit.map(({ detail }) => ("factor" in detail ? `- ${detail.factor}` : detail.kind))
    return { audit: decided.audit, left: decided.factors, events, mail: decided.mails[0]?.body ?? "" }
  }).pipe(Effect.provide(stores))

const passkey = (createdAt: Timestamp.Timestamp): Factors.Passkey => ({
  id: Factors.PasskeyId.make(`key${createdAt}`),
  name: Factors.PasskeyName.make("A phone"),
  publicKey: "key",
  counter: 0,
  createdAt,
  usedAt: null
})
const codeApp = (confirmedAt: Timestamp.Timestamp | null): Factors.CodeApp => ({
  secret: Vault.Sealed.make("sealed"),
  confirmedAt,
  usedStep: -1,
  wrongCodes: 0
})
const recoveryCodes = ["1", "2", "3"].map((digit) => Vault.Hash.make(digit.repeat(64)))
const REMOVED = "We removed all recovery codes, and every passkey"

describe("the undo of a change of the address removes the factors that a thief may have added [accounts-13]", () => {
  it.effect("from 24 hours before the change on, to the millisecond; an older factor stays", () =>
    Effect.gen(function* () {
      const oldest = (changedAt: Timestamp.Timestamp) => Timestamp.plus(changedAt, -DAY - 1)
      const passkeys = yield* undone((changedAt) => ({
        ...Factors.NONE,
        passkeys: [-DAY - 1, -DAY, 0, MINUTE].map((millis) => passkey(Timestamp.plus(changedAt, millis)))
      }))
      expect(passkeys.left.passkeys).toEqual([passkey(oldest(Timestamp.make(10 * DAY)))])
      expect(passkeys.events).toEqual(["- passkey", "- passkey", "- passkey", "password_changed", "address_restored"])
      expect(passkeys.mail).toContain(REMOVED)

      const older = yield* undone((changedAt) => ({ ...Factors.NONE, codeApp: codeApp(oldest(changedAt)) }))
      expect([Factors.hasCodeApp(older.left), older.events]).toEqual([true, ["password_changed", "address_restored"]])
      expect(older.mail).not.toContain(REMOVED)
      const younger = yield* undone((changedAt) => ({ ...Factors.NONE, codeApp: codeApp(changedAt) }))
      expect([younger.left, younger.events]).toEqual([Factors.NONE, ["- totp", "password_changed", "address_restored"]])
      expect(younger.mail).toContain(REMOVED)
    })
  )

  it.effect("all recovery codes go, also the last one, and also when an older factor stays", () =>
    Effect.gen(function* () {
      for (const count of [1, 3]) {
        const given = (changedAt: Timestamp.Timestamp) => ({
          ...Factors.NONE,
          codeApp: codeApp(Timestamp.plus(changedAt, -2 * DAY)),
          recoveryCodes: recoveryCodes.slice(0, count)
        })
        const { events, left, mail } = yield* undone(given)
        expect([Factors.hasCodeApp(left), left.recoveryCodes]).toEqual([true, []])
        expect(events).toEqual(["- recovery_codes", "password_changed", "address_restored"])
        expect(mail).toContain(REMOVED)
      }
    })
  )

  it.effect("the audit log says that a link set the password, and that the address is back [audit-1]", () =>
    Effect.gen(function* () {
      const { audit } = yield* undone(() => Factors.NONE)
      expect(audit.map(({ actor, detail }) => [actor, detail])).toEqual([
        [AuditEvent.OWNER, { kind: "password_changed", how: "link" }],
        [AuditEvent.OWNER, { kind: "address_restored" }]
      ])
    })
  )

  it.effect("a code app that nobody confirmed goes without a word", () =>
    Effect.gen(function* () {
      const owners = [passkey(Timestamp.make(0))]
      const { events, left, mail } = yield* undone(() => ({
        ...Factors.NONE,
        passkeys: owners,
        codeApp: codeApp(null)
      }))
      expect(left).toEqual({ ...Factors.NONE, passkeys: owners })
      expect([events, mail.includes(REMOVED)]).toEqual([["password_changed", "address_restored"], false])
    })
  )

  it.effect(
    "a request of an operator from these 24 hours on ends, except while the account is suspended [factors-7]",
    () =>
      Effect.gen(function* () {
        const passkeys = [passkey(Timestamp.make(0))]
        for (const [millis, suspendedAt, stays] of [
          [-DAY - 1, null, true],
          [-DAY, null, false],
          [MINUTE, null, false],
          [MINUTE, Timestamp.make(10 * DAY), true]
        ] as const) {
          const removal = { requestedAt: Timestamp.plus(Timestamp.make(10 * DAY), millis) }
          const { events, left, mail } = yield* undone(() => ({ ...Factors.NONE, passkeys, removal }), suspendedAt)
          expect(left).toEqual({ ...Factors.NONE, passkeys, removal: stays ? removal : null })
          expect(events).toEqual(
            stays
              ? ["password_changed", "address_restored"]
              : ["factor_removal_stopped", "password_changed", "address_restored"]
          )
          expect(mail).not.toContain(REMOVED)
        }
      })
  )

  it.effect("the owner who had no factor signs in with the new password alone", () =>
    Effect.gen(function* () {
      const account = yield* createAccount({ email: before, password, roles: [] })
      const secretIn = (email: Account.Email, path: string) =>
        Effect.map(
          lettersTo(email, account.id),
          (letters) =>
            letters.map(({ text }) => new RegExp(`${path}\\?token=(\\w+)`).exec(text)?.[1]).find(Boolean) ?? ""
        )
      yield* requestAddressChange(account, after)
      yield* TestClock.adjust(MINUTE)
      // The thief has the link to the new address, adds a factor, and opens the link before the mail about the factor
      // is sent. The mail still goes to the owner.
      const secret = yield* beginCodeApp(account)
      const step = OneTimeCode.stepAt(yield* Timestamp.now)
      yield* confirmCodeApp(account, (yield* OneTimeCodes).code(secret, step))
      yield* TestClock.adjust(1)
      yield* confirmAddress(account, yield* secretIn(after, "/confirm-address"), "confirmed")
      yield* TestClock.adjust(HOUR)
      const subjects = (yield* lettersTo(before, undefined)).map(({ subject }) => subject)
      expect(subjects).toContain("One-time codes were switched on for your account")
      const restored = yield* undoAddressChange(yield* secretIn(before, "/undo-address"), newPassword, "confirmed")
      expect(restored).toEqual({ id: account.id, email: before, losesFactors: true })
      // A request that the thief began before the undo still uses the account as it was read then, with the thief's
      // address.
      const late = yield* Effect.flip(beginCodeApp({ ...account, email: after }))
      expect(late).toMatchObject({ _tag: "NotFound", what: "account" })
      expect(yield* describeFactors(account)).toEqual(Factors.NONE)
      expect(yield* (yield* AccountStore).hasFactor(account.id)).toBe(false)
      const entered = yield* signIn({ email: before, password: newPassword, address: "203.0.113.7" })
      expect(entered.account.id).toBe(account.id)
      const { items } = yield* (yield* AuditLog).list({ userId: account.id }, 10, undefined)
      expect(items.filter(({ detail }) => detail.kind === "factor_removed")).toHaveLength(2)
    }).pipe(Effect.provide(stores))
  )
})
