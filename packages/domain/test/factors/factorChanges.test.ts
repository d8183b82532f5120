import {
  beginCodeApp,
  confirmCodeApp,
  describeFactors,
  Factors,
  OneTimeCode,
  OneTimeCodes,
  removeFactors
} from "@place-access/domain/factors"
import { Timestamp, Vault } from "@place-access/domain/shared"
import {
  Fixtures,
  MemoryAccountStore,
  MemoryAuditLog,
  MemoryAuthenticators,
  MemoryDatabase,
  MemoryEntropy,
  MemoryFactorStore,
  MemoryVault
} from "@place-access/domain/testing"
import { Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { eventsOf } from "../../src/factors/FactorAudit.js"
import * as Mails from "../../src/factors/factorMails.js"
import { proveWithCode } from "../../src/factors/proveFactor.js"

const stores = Layer.mergeAll(
  MemoryAccountStore.layer,
  MemoryAuditLog.layer,
  MemoryAuthenticators.codes,
  MemoryFactorStore.layer
).pipe(
  Layer.provideMerge(MemoryDatabase.layer),
  Layer.provideMerge(Layer.merge(MemoryEntropy.layer, MemoryVault.layer))
)
const account = await Effect.runPromise(Effect.provide(Fixtures.user, stores))

const NOW = Timestamp.make(0)
const codes = (count: number) =>
  Array.from({ length: count }, (_, index) => Vault.Hash.make(`${index}`.padStart(64, "0")))
const codeApp: Factors.CodeApp = { secret: Vault.Sealed.make("sealed"), confirmedAt: NOW, usedStep: -1, wrongCodes: 0 }
const withCodes = (count: number): Factors.Factors => ({ ...Factors.NONE, codeApp, recoveryCodes: codes(count) })

describe("the audit log of a change of the factors [factors-6]", () => {
  const kinds = (before: Factors.Factors, after: Factors.Factors, isProof = false) => {
    const state: Factors.FactorState = { account, passwordVersion: 1, factors: before }
    return eventsOf(state, after, NOW, { isProof }).map(({ detail }) => detail.kind)
  }

  it("a recovery code that was used is one, also the last; codes that go without a use are removed, also one", () => {
    expect(kinds(withCodes(2), withCodes(1), true)).toEqual(["recovery_code_used"])
    expect(kinds(withCodes(1), withCodes(0), true)).toEqual(["recovery_code_used"])
    expect(kinds(withCodes(1), withCodes(0))).toEqual(["factor_removed"])
    expect(kinds(withCodes(3), withCodes(0))).toEqual(["factor_removed"])
    expect(kinds(withCodes(1), Factors.NONE)).toEqual(["factor_removed", "factor_removed"])
    expect(kinds(withCodes(2), Factors.NONE)).toEqual(["factor_removed", "factor_removed"])
    expect(kinds(withCodes(0), Factors.NONE)).toEqual(["factor_removed"])
  })

  it("a requested removal that is stopped is one, until the request lapses; a removal of the factors stops none [factors-7]", () => {
    const requested = (before: number) => ({
      ...withCodes(1),
      removal: { requestedAt: Timestamp.plus(NOW, -before) }
    })
    const lapsed = Factors.REMOVAL_WAIT + Factors.REMOVAL_OPEN
    expect(kinds(requested(0), withCodes(1))).toEqual(["factor_removal_stopped"])
    expect(kinds(requested(lapsed - 1), withCodes(1))).toEqual(["factor_removal_stopped"])
    expect(kinds(requested(lapsed), withCodes(1))).toEqual([])
    expect(kinds(requested(0), withCodes(0), true)).toEqual(["recovery_code_used", "factor_removal_stopped"])
    expect(kinds(requested(0), requested(0))).toEqual([])
    expect(kinds(requested(0), Factors.NONE)).toEqual(["factor_removed", "factor_removed"])
  })
})

describe("the mails about the factors [factors-6]", () => {
  it("go to the address that the account had at the event, but name no address that nobody confirmed", () => {
    const all = [Mails.passkeyAdded("Phone"), Mails.codesMade, Mails.removalRequested, Mails.removed]
    const addresses = (confirmedAt: Timestamp.Timestamp | null) =>
      all.map((mail) => mail({ ...account, confirmedAt }, NOW).address)
    expect(addresses(NOW)).toEqual(all.map(() => account.email))
    expect(addresses(null)).toEqual(all.map(() => undefined))
  })
})

describe("the only factor of an account [factors-1]", () => {
  it("is a passkey or a confirmed code app without another; recovery codes and an app that nobody confirmed do not count", () => {
    const passkey = {} as Factors.Passkey
    const unconfirmed = { ...codeApp, confirmedAt: null }
    const only = (over: Partial<Factors.Factors>) => Factors.hasOnlyOne({ ...withCodes(3), codeApp: null, ...over })
    expect([
      only({ codeApp }),
      only({ passkeys: [passkey] }),
      only({ passkeys: [passkey], codeApp: unconfirmed })
    ]).toEqual([true, true, true])
    expect([only({}), only({ passkeys: [passkey], codeApp }), only({ passkeys: [passkey, passkey] })]).toEqual([
      false,
      false,
      false
    ])
  })
})

describe("the removal that an operator requested [factors-7]", () => {
  /**
   * Requests a removal of the factors and then uses a recovery code. Returns whether the removal is still requested.
   */
  const survivesUse = (isSuspended: boolean) =>
    Effect.gen(function* () {
      const user = yield* Fixtures.user
      const secret = yield* beginCodeApp(user)
      const step = OneTimeCode.stepAt(yield* Timestamp.now)
      const codes = yield* confirmCodeApp(user, (yield* OneTimeCodes).code(secret, step))
      yield* removeFactors(user.email)
      const { accounts } = yield* MemoryDatabase
      const kept = accounts.get(user.id)
      if (kept === undefined || codes === null) throw new Error("no account with recovery codes")
      const suspendedAt = isSuspended ? yield* Timestamp.now : null
      accounts.set(user.id, { ...kept, account: { ...kept.account, suspendedAt } })
      yield* proveWithCode({ account: user, passwordVersion: 0 }, codes[0] ?? "", { address: "192.0.2.1" })
      return (yield* describeFactors(user)).removal !== null
    }).pipe(Effect.provide(stores), Effect.runPromise)

  it("is cancelled by a use of a factor, but not while the account is suspended", async () => {
    expect(await survivesUse(false)).toBe(false)
    expect(await survivesUse(true)).toBe(true)
  })

  it("ends with the last factor, so that it cannot remove a factor that is added later", () => {
    const removal = { requestedAt: NOW }
    const left = Factors.tidy({ ...withCodes(3), codeApp: null, removal })
    expect(left).toEqual(Factors.NONE)
    expect(Factors.tidy({ ...withCodes(3), removal }).removal).toEqual(removal)
  })
})
