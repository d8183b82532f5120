import { Effect, Option } from "effect"
import { AccountStore } from "../../../src/accounts/AccountStore.js"
import * as Session from "../../../src/accounts/Session.js"
import type { AuditLog } from "../../../src/audit/AuditLog.js"
import * as Factors from "../../../src/factors/Factors.js"
import { type FactorChange, FactorStore } from "../../../src/factors/FactorStore.js"
import type { MailMessage } from "../../../src/mail/Mail.js"
import { MailOutbox } from "../../../src/mail/MailOutbox.js"
import * as Entropy from "../../../src/shared/Entropy.js"
import { UserId } from "../../../src/shared/Ids.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import { Sealed, Vault } from "../../../src/shared/Vault.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import * as Fixtures from "../../fixtures.js"
import { auditEvent, auditOf } from "../auditSamples.js"

type Ports = AccountStore | AuditLog | FactorStore | MailOutbox | Entropy.Entropy | Vault

const freshHash = Effect.flatMap(Vault, (vault) => Effect.map(Entropy.secret, vault.sha256))

const passkeyOf = (
  id: string,
  now: Timestamp.Timestamp,
  overrides: Partial<Factors.Passkey> = {}
): Factors.Passkey => ({
  id: Factors.PasskeyId.make(id),
  name: Factors.PasskeyName.make("My phone"),
  publicKey: "cHVibGlj",
  counter: 0,
  createdAt: now,
  usedAt: null,
  ...overrides
})

const codeAppOf = (overrides: Partial<Factors.CodeApp> = {}): Factors.CodeApp => ({
  secret: Sealed.make("sealed"),
  confirmedAt: null,
  usedStep: -1,
  wrongCodes: 0,
  ...overrides
})

const mail = (to: UserId, dedupeKey: string): MailMessage => ({ to, dedupeKey, subject: "About you", body: "Text" })

const storing = (
  factors: Factors.Factors,
  overrides: Partial<FactorChange> = {}
): readonly ["stored", FactorChange] => ["stored", { factors, mails: [], audit: [], endsSessions: false, ...overrides }]

const factorsOf = (userId: UserId) =>
  Effect.map(
    Effect.flatMap(FactorStore, (store) => store.read(userId)),
    Option.map(({ factors }) => factors)
  )

/**
 * What every `FactorStore` must guarantee about passkeys, code apps, recovery codes and challenges, and what
 * `AccountStore.hasFactor` must guarantee.
 */
export const factorStoreContract: Contract<Ports> = [
  {
    name: "read: an account without factors has none; an account that does not exist has no state",
    run: Effect.gen(function* () {
      const [store, accounts] = [yield* FactorStore, yield* AccountStore]
      const account = yield* Fixtures.user
      Check.equal(
        yield* store.read(account.id),
        Option.some({ account, passwordVersion: 0, factors: Factors.NONE }),
        "state"
      )
      const nobody = UserId.make(yield* Entropy.id("usr"))
      Check.equal(yield* store.read(nobody), Option.none(), "of nobody")
      Check.equal(yield* store.change(nobody, () => storing(Factors.NONE)), Option.none(), "change of nobody")
      Check.equal(yield* accounts.hasFactor(nobody), false, "nobody's factor")
    })
  },
  {
    name: "change: what was stored is read again, each part added, changed and removed; others keep theirs",
    run: Effect.gen(function* () {
      const store = yield* FactorStore
      const [{ id }, other] = [yield* Fixtures.user, yield* Fixtures.user]
      const now = yield* Timestamp.now
      const [one, two, three] = [yield* freshHash, yield* freshHash, yield* freshHash]
      // Passkeys of two accounts may have the same id. Each account must keep its own key.
      const theirs: Factors.Factors = { ...Factors.NONE, passkeys: [passkeyOf("a", now, { publicKey: "dGhlaXJz" })] }
      yield* store.change(other.id, () => storing(theirs))
      const later = Timestamp.plus(now, Timestamp.MINUTE)
      const steps: ReadonlyArray<Factors.Factors> = [
        { ...Factors.NONE, codeApp: codeAppOf() },
        {
          passkeys: [passkeyOf("b", now), passkeyOf("a", later)],
          codeApp: codeAppOf({ secret: Sealed.make("another"), confirmedAt: now, usedStep: 58_000_000 }),
          recoveryCodes: [one, two].sort(),
          removal: { requestedAt: now }
        },
        {
          passkeys: [passkeyOf("a", later, { counter: 4_294_967_295, usedAt: later })],
          codeApp: codeAppOf({ secret: Sealed.make("another"), confirmedAt: now, usedStep: 58_000_001, wrongCodes: 7 }),
          recoveryCodes: [two, three].sort(),
          removal: { requestedAt: later }
        },
        Factors.NONE
      ]
      for (const [index, factors] of steps.entries()) {
        Check.equal(yield* store.change(id, () => storing(factors)), Option.some("stored" as const), `step ${index}`)
        Check.equal(yield* factorsOf(id), Option.some(factors), `factors after step ${index}`)
      }
      Check.equal(yield* factorsOf(other.id), Option.some(theirs), "the other's")
    })
  },
  {
    name: "change: sees the account, the version of its password, the factors and the clock; null writes nothing",
    run: Effect.gen(function* () {
      const store = yield* FactorStore
      const account = yield* Fixtures.user
      const now = yield* Timestamp.now
      const factors: Factors.Factors = { ...Factors.NONE, passkeys: [passkeyOf("a", now)] }
      yield* store.change(account.id, () => storing(factors))
      const seen = yield* store.change(account.id, (state, at) => [{ state, at }, null])
      Check.equal(seen, Option.some({ state: { account, passwordVersion: 0, factors }, at: now }), "seen")
      Check.equal(yield* factorsOf(account.id), Option.some(factors), "unchanged")
    })
  },
  {
    name: "change: of many at once each sees what the ones before stored, so a code is used once [factors-2]",
    run: Effect.gen(function* () {
      const store = yield* FactorStore
      const { id } = yield* Fixtures.user
      const code = yield* freshHash
      yield* store.change(id, () => storing({ ...Factors.NONE, codeApp: codeAppOf(), recoveryCodes: [code] }))
      const used = yield* Effect.all(
        Array.from({ length: 10 }, () =>
          store.change(id, ({ factors }) =>
            factors.recoveryCodes.includes(code)
              ? [true, { factors: { ...factors, recoveryCodes: [] }, mails: [], audit: [], endsSessions: false }]
              : [false, null]
          )
        ),
        { concurrency: "unbounded" }
      )
      Check.equal(used.filter(Option.contains(true)).length, 1, "accepted")
    })
  },
  {
    name: "change: the mails are queued with it, and the sessions of the account end if it says so, no others",
    run: Effect.gen(function* () {
      const [store, accounts, outbox] = [yield* FactorStore, yield* AccountStore, yield* MailOutbox]
      const [account, other] = [yield* Fixtures.user, yield* Fixtures.user]
      const now = yield* Timestamp.now
      const sessions = [
        Session.open(yield* freshHash, account.id, now),
        Session.open(yield* freshHash, account.id, now),
        Session.open(yield* freshHash, other.id, now)
      ]
      yield* Effect.forEach(sessions, (one) => accounts.openSession(one), { discard: true })
      const open = Effect.map(
        Effect.forEach(sessions, ({ hash }) => accounts.findSession(hash, now)),
        (all) => all.map(Option.isSome)
      )
      yield* store.change(account.id, () => storing(Factors.NONE, { mails: [mail(account.id, "one")] }))
      Check.equal(yield* open, [true, true, true], "all open")
      yield* store.change(account.id, () =>
        storing(Factors.NONE, { mails: [mail(account.id, "two")], endsSessions: true })
      )
      Check.equal(yield* open, [false, false, true], "the account's ended")
      const keys = (yield* outbox.recent(10_000)).flatMap(({ message }) =>
        message.to === account.id ? [message.dedupeKey] : []
      )
      Check.equal(keys.sort(), ["one", "two"], "mails")
    })
  },
  {
    name: "change: the audit events are stored with it, and are about this account alone [audit-1]",
    run: Effect.gen(function* () {
      const store = yield* FactorStore
      const [account, other] = [yield* Fixtures.user, yield* Fixtures.user]
      const newer = yield* auditEvent(account.id, { kind: "factor_removed", factor: "recovery_codes" })
      const older = {
        ...(yield* auditEvent(account.id, { kind: "factor_removed", factor: "totp" })),
        at: Timestamp.plus(newer.at, -1)
      }
      yield* store.change(account.id, () => storing(Factors.NONE, { audit: [older, newer] }))
      Check.equal(yield* auditOf(account.id), [newer, older], "events")
      Check.equal(yield* auditOf(other.id), [], "of another account")
    })
  },
  {
    name: "hasFactor: a passkey or a confirmed code app; neither recovery codes nor an app that was only begun [factors-1]",
    run: Effect.gen(function* () {
      const [store, accounts] = [yield* FactorStore, yield* AccountStore]
      const account = yield* Fixtures.user
      const now = yield* Timestamp.now
      const code = yield* freshHash
      const cases: ReadonlyArray<readonly [Partial<Factors.Factors>, boolean]> = [
        [{}, false],
        [{ codeApp: codeAppOf(), recoveryCodes: [code] }, false],
        [{ codeApp: codeAppOf({ confirmedAt: now }) }, true],
        [{ passkeys: [passkeyOf("a", now)] }, true],
        [{ removal: { requestedAt: now } }, false]
      ]
      for (const [index, [factors, expected]] of cases.entries()) {
        yield* store.change(account.id, () => storing({ ...Factors.NONE, ...factors }))
        Check.equal(yield* accounts.hasFactor(account.id), expected, `case ${index}`)
      }
    })
  },
  {
    name: "challenges: taken once, by one of many at once, and not at or after the end [T2]",
    run: Effect.gen(function* () {
      const store = yield* FactorStore
      const now = yield* Timestamp.now
      const [one, two, three] = [yield* freshHash, yield* freshHash, yield* freshHash]
      for (const digest of [one, two, three]) yield* store.keepChallenge(digest, Timestamp.plus(now, 1_000))
      const taken = yield* Effect.all(
        Array.from({ length: 10 }, () => store.takeChallenge(one, now)),
        { concurrency: "unbounded" }
      )
      Check.equal(taken.filter(Boolean).length, 1, "of ten at once")
      Check.equal(yield* store.takeChallenge(one, now), false, "again")
      Check.equal(yield* store.takeChallenge(two, Timestamp.plus(now, 999)), true, "a millisecond before the end")
      Check.equal(yield* store.takeChallenge(three, Timestamp.plus(now, 1_000)), false, "at the end")
      Check.equal(yield* store.takeChallenge(yield* freshHash, now), false, "unknown")
    })
  }
]
