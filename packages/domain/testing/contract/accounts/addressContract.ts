import { Effect, Option, TestClock } from "effect"
import { type Account, Email } from "../../../src/accounts/Account.js"
import { AccountStore } from "../../../src/accounts/AccountStore.js"
import * as Session from "../../../src/accounts/Session.js"
import { type AuditEvent, OWNER } from "../../../src/audit/AuditEvent.js"
import { AuditLog } from "../../../src/audit/AuditLog.js"
import * as AccountLink from "../../../src/credentials/AccountLink.js"
import type { AddressReplacement, AddressState } from "../../../src/credentials/AddressChange.js"
import { CredentialStore } from "../../../src/credentials/CredentialStore.js"
import * as SignUpRequest from "../../../src/credentials/SignUpRequest.js"
import * as Factors from "../../../src/factors/Factors.js"
import { FactorStore } from "../../../src/factors/FactorStore.js"
import type { MailMessage } from "../../../src/mail/Mail.js"
import { MailOutbox } from "../../../src/mail/MailOutbox.js"
import * as Entropy from "../../../src/shared/Entropy.js"
import type { UserId } from "../../../src/shared/Ids.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import { Hash, Sealed, type Vault } from "../../../src/shared/Vault.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import * as Fixtures from "../../fixtures.js"
import { freshHash } from "../connection/connectionSamples.js"
import { signUpRequest } from "./signUpSamples.js"

const mail = (to: UserId, dedupeKey: string): MailMessage => ({ to, dedupeKey, subject: "About you", body: "Text" })

const freshEmail = Effect.map(Entropy.id("new"), (id) => Email.make(`${id}@example.com`))

const keysOf = (to: UserId) =>
  Effect.map(
    Effect.flatMap(MailOutbox, (outbox) => outbox.recent(10_000)),
    (all) => all.flatMap(({ message }) => (message.to === to ? [message.dedupeKey] : [])).sort()
  )

const signedUp = (email?: Email) =>
  Effect.gen(function* () {
    const request = yield* signUpRequest(yield* Timestamp.now, email)
    yield* (yield* CredentialStore).requestSignUp(request, mail(request.userId, request.hash))
    return request
  })

const confirmed = ({ hash }: Pick<SignUpRequest.SignUpRequest, "hash">) =>
  Effect.flatMap(CredentialStore, (store) => store.confirmSignUp(hash, SignUpRequest.confirm))

/** The kinds of the stored audit events about the account, newest first. */
const auditOf = (userId: UserId) =>
  Effect.map(
    Effect.flatMap(AuditLog, (log) => log.list({ userId }, 10, undefined)),
    ({ items }) => items.map(({ detail }) => detail.kind)
  )

const find = (id: UserId) =>
  Effect.map(
    Effect.flatMap(AccountStore, (accounts) => accounts.find(id)),
    Option.getOrNull
  )

const opened = (account: Account) =>
  Effect.gen(function* () {
    const session = Session.open(yield* freshHash, account.id, yield* Timestamp.now)
    yield* (yield* AccountStore).openSession(session)
    return session
  })

const isOpen = (session: Session.Session) =>
  Effect.gen(function* () {
    return Option.isSome(yield* (yield* AccountStore).findSession(session.hash, yield* Timestamp.now))
  })

const offered = (
  account: Account,
  purpose: AccountLink.LinkPurpose,
  more: Partial<Pick<AccountLink.AccountLink, "newEmail" | "addressVersion">> = {}
) =>
  Effect.gen(function* () {
    const link = AccountLink.make(purpose, yield* freshHash, account, yield* Timestamp.now, more)
    yield* (yield* CredentialStore).offerLink(link, null)
    return link
  })

const isThere = ({ hash }: AccountLink.AccountLink) =>
  Effect.map(
    Effect.flatMap(CredentialStore, (store) => store.findLink(hash)),
    Option.isSome
  )

const event: AuditEvent = {
  at: Timestamp.make(0),
  userId: null,
  actor: OWNER,
  detail: { kind: "address_changed" }
}

const replacement = (email: Email, overrides: Partial<AddressReplacement> = {}): AddressReplacement => ({
  email,
  confirmedAt: Timestamp.make(1_000),
  keepsUndoBelow: 0,
  undo: null,
  passwordHash: null,
  factors: Factors.NONE,
  mails: [],
  audit: [event],
  ...overrides
})

type Ports = AccountStore | AuditLog | CredentialStore | FactorStore | MailOutbox | Entropy.Entropy | Vault

/**
 * What every `CredentialStore` must guarantee about e-mail addresses: how an address is confirmed at sign-up, how it is
 * changed, and how an undo link changes it back.
 */
export const addressContract: Contract<Ports> = [
  {
    name: "requestSignUp: is found with its mail; the newest of an address that has not ended is resent",
    run: Effect.gen(function* () {
      const store = yield* CredentialStore
      const first = yield* signedUp()
      Check.equal(yield* store.findSignUp(first.hash), Option.some(first), "found")
      Check.equal(yield* store.findSignUp(yield* freshHash), Option.none(), "another one")
      Check.equal(yield* keysOf(first.userId), [first.hash], "the mail")
      const second = {
        ...(yield* signUpRequest(Timestamp.plus(first.createdAt, 5), first.email)),
        keep: null,
        expiresAt: Timestamp.plus(first.createdAt, 10)
      }
      yield* store.requestSignUp(second, mail(second.userId, second.hash))
      const newest = (now: number) => store.newestSignUp(first.email, Timestamp.make(now))
      Check.equal(yield* newest(second.expiresAt - 1), Option.some(second), "the newest")
      Check.equal(yield* newest(second.expiresAt), Option.some(first), "the newest has ended")
      Check.equal(yield* newest(first.expiresAt), Option.none(), "both have ended")
    })
  },
  {
    name: "requestSignUp: a sign-up that is sent again after a lost answer is stored once, with one mail [mail-1]",
    run: Effect.gen(function* () {
      const first = yield* signedUp()
      yield* (yield* CredentialStore).requestSignUp(first, mail(first.userId, first.hash))
      Check.equal(yield* (yield* CredentialStore).findSignUp(first.hash), Option.some(first), "found")
      Check.equal(yield* keysOf(first.userId), [first.hash], "the mail")
    })
  },
  {
    name: "newestSignUp: of one person, when somebody else signed up with the address later [accounts-12]",
    run: Effect.gen(function* () {
      const store = yield* CredentialStore
      const own = yield* signedUp()
      const second = { ...(yield* signUpRequest(Timestamp.plus(own.createdAt, 5), own.email)), userId: own.userId }
      yield* store.requestSignUp(second, mail(second.userId, second.hash))
      yield* TestClock.adjust(10)
      const strangers = yield* signedUp(own.email)
      const now = yield* Timestamp.now
      const of = (userId: UserId | undefined) => store.newestSignUp(own.email, now, userId)
      Check.equal(yield* of(own.userId), Option.some(second), "the newest of this person")
      Check.equal(yield* of(strangers.userId), Option.some(strangers), "the stranger's")
      Check.equal(yield* of(undefined), Option.some(strangers), "the newest of all")
      const other = yield* signedUp()
      Check.equal(yield* of(other.userId), Option.none(), "of another address")
    })
  },
  {
    name: "confirmSignUp: makes the account, and every sign-up with its address is over; of several one",
    run: Effect.gen(function* () {
      const store = yield* CredentialStore
      const first = yield* signedUp()
      const [second, other] = [yield* signedUp(first.email), yield* signedUp()]
      const refused = yield* store.confirmSignUp(first.hash, () => null)
      Check.equal([refused, yield* confirmed({ hash: yield* freshHash })], ["Refused", "Refused"], "refused")
      const outcomes = yield* Effect.all([confirmed(first), confirmed(first), confirmed(second)], {
        concurrency: "unbounded"
      })
      Check.equal([...outcomes].sort(), ["Made", "Refused", "Refused"], "outcomes")
      const winner = outcomes[2] === "Made" ? second : first
      const found = yield* (yield* AccountStore).findByEmail(first.email)
      const account = Option.getOrNull(Option.map(found, (one) => one.account))
      Check.equal(
        [account?.id, account?.displayName, account?.confirmedAt === account?.createdAt, account?.roles],
        [winner.userId, winner.displayName, true, []],
        "the account"
      )
      Check.equal(
        Option.map(found, ({ passwordHash, passwordVersion }) => [passwordHash, passwordVersion]),
        Option.some([winner.passwordHash, 0]),
        "its password"
      )
      const left = yield* Effect.forEach([first, second, other], ({ hash }) => store.findSignUp(hash))
      Check.equal(left.map(Option.isSome), [false, false, true], "what waits")
      Check.equal(
        yield* Effect.forEach([first, second], ({ userId }) => auditOf(userId)),
        [first, second].map((one) => (one === winner ? ["account_made"] : [])),
        "the audit log"
      )
    })
  },
  {
    name: "confirmSignUp: Taken by an account that confirmed the address; one that never did loses it [accounts-12]",
    run: Effect.gen(function* () {
      const owner = yield* Fixtures.user
      const taken = yield* signedUp(owner.email)
      Check.equal(yield* confirmed(taken), "Taken", "confirmed")
      Check.equal(yield* auditOf(taken.userId), [], "no event")
      Check.equal(yield* find(owner.id), owner, "its owner keeps it")
      const squatter = yield* Fixtures.userWith({ confirmedAt: null })
      const session = yield* opened(squatter)
      const request = yield* signedUp(squatter.email)
      Check.equal(yield* confirmed(request), "Made", "not confirmed")
      Check.equal((yield* find(request.userId))?.email, squatter.email, "whose it is now")
      const released = SignUpRequest.releasedEmail(squatter.id)
      Check.equal(yield* find(squatter.id), { ...squatter, email: released }, "the account stays")
      Check.isTrue(yield* isOpen(session), "its session too")
    })
  },
  {
    name: "replaceAddress: decides on the account, its link and its version, and writes nothing when refused",
    run: Effect.gen(function* () {
      const store = yield* CredentialStore
      const [account, other] = [yield* Fixtures.user, yield* Fixtures.user]
      const newEmail = yield* freshEmail
      const link = yield* offered(account, "address_change", { newEmail, addressVersion: 3 })
      const foreign = yield* offered(other, "address_change", { newEmail })
      const states: Array<AddressState> = []
      for (const hash of [link.hash, foreign.hash]) {
        const outcome = yield* store.replaceAddress(account.id, hash, (state) => {
          states.push(state)
          return null
        })
        Check.equal(outcome, "Refused", "outcome")
      }
      const state = { account, passwordVersion: 0, addressVersion: 0, factors: Factors.NONE }
      Check.equal(
        states,
        [
          { ...state, link },
          { ...state, link: null }
        ],
        "states"
      )
      Check.equal(yield* find(account.id), account, "the account")
      Check.isTrue(yield* isThere(link), "the link")
    })
  },
  {
    name: "replaceAddress: address, links, undo and mails of this account; the password stays",
    run: Effect.gen(function* () {
      const store = yield* CredentialStore
      const [account, other] = [yield* Fixtures.user, yield* Fixtures.user]
      const [session, newEmail] = [yield* opened(account), yield* freshEmail]
      const link = yield* offered(account, "address_change", { newEmail })
      const reset = yield* offered(account, "password_reset")
      const foreign = yield* offered(other, "password_reset")
      const older = yield* offered(account, "address_undo", { addressVersion: 1 })
      const younger = yield* offered(account, "address_undo", { addressVersion: 2 })
      const undo = AccountLink.make("address_undo", yield* freshHash, account, yield* Timestamp.now, {
        addressVersion: 7
      })
      const change = replacement(newEmail, {
        keepsUndoBelow: 2,
        undo,
        mails: [mail(account.id, "changed")],
        audit: [{ ...event, userId: account.id }]
      })
      Check.equal(yield* store.replaceAddress(account.id, link.hash, () => change), "Replaced", "outcome")
      const after = { ...account, email: newEmail, confirmedAt: Timestamp.make(1_000) }
      Check.equal(yield* find(account.id), after, "the account")
      Check.equal(
        yield* Effect.forEach([link, reset, younger, older, undo, foreign], isThere),
        [false, false, false, true, true, true],
        "links"
      )
      Check.equal(yield* store.findLink(undo.hash), Option.some({ link: undo, account: after }), "the undo link")
      Check.isTrue(yield* isOpen(session), "the session")
      Check.equal(yield* keysOf(account.id), ["changed"], "mails")
      Check.equal(yield* auditOf(account.id), ["address_changed"], "the audit log")
      let version = -1
      yield* store.replaceAddress(account.id, link.hash, (state) => {
        version = state.addressVersion
        return null
      })
      Check.equal(version, 1, "the version")
    })
  },
  {
    name: "replaceAddress: with a password every session ends, and a reset leaves the undo links [accounts-13]",
    run: Effect.gen(function* () {
      const store = yield* CredentialStore
      const account = yield* Fixtures.user
      const session = yield* opened(account)
      const undo = yield* offered(account, "address_undo", { addressVersion: 4 })
      const reset = yield* offered(account, "password_reset")
      const back = replacement(account.email, { passwordHash: "the owner's" })
      yield* store.replacePassword(account.id, reset.hash, () => ({
        passwordHash: "the thief's",
        keeps: session.hash,
        notice: mail(account.id, "thief"),
        audit: { ...event, userId: account.id }
      }))
      Check.equal(yield* Effect.forEach([undo, reset], isThere), [true, false], "links after a new password")
      Check.equal(yield* store.replaceAddress(account.id, undo.hash, () => back), "Replaced", "outcome")
      Check.equal([yield* isOpen(session), yield* isThere(undo)], [false, false], "the session and the link")
      const found = yield* (yield* AccountStore).findByEmail(account.email)
      Check.equal(
        Option.map(found, ({ passwordHash, passwordVersion }) => [passwordHash, passwordVersion]),
        Option.some(["the owner's", 2]),
        "the password"
      )
    })
  },
  {
    name: "replaceAddress: decides on the account's factors, and stores the factors and the events of the decision [accounts-13]",
    run: Effect.gen(function* () {
      const store = yield* CredentialStore
      const factorStore = yield* FactorStore
      const [account, other] = [yield* Fixtures.user, yield* Fixtures.user]
      const passkey = (id: string): Factors.Passkey => ({
        id: Factors.PasskeyId.make(id),
        name: Factors.PasskeyName.make("My phone"),
        publicKey: "key",
        counter: 0,
        createdAt: Timestamp.make(1_000),
        usedAt: null
      })
      const given: Factors.Factors = {
        passkeys: [passkey("older"), passkey("younger")],
        codeApp: { secret: Sealed.make("sealed"), confirmedAt: Timestamp.make(1_000), usedStep: 7, wrongCodes: 3 },
        recoveryCodes: [Hash.make("0".repeat(64)), Hash.make("1".repeat(64))],
        removal: null
      }
      for (const { id } of [account, other]) {
        const change = { factors: given, mails: [], audit: [], endsSessions: false }
        yield* factorStore.change(id, () => [null, change])
      }
      const factorsOf = ({ id }: Account) =>
        Effect.map(factorStore.read(id), (state) => Option.getOrNull(state)?.factors)
      const link = yield* offered(account, "address_undo")
      let found: Factors.Factors | null = null
      yield* store.replaceAddress(account.id, link.hash, ({ factors }) => {
        found = factors
        return null
      })
      Check.equal(found, given, "what the decision reads")
      Check.equal(yield* factorsOf(account), given, "a refused change")
      const left = { ...given, passkeys: [passkey("older")], codeApp: null, recoveryCodes: [] }
      const removal = { ...event, userId: account.id, detail: { kind: "factor_removed", factor: "passkey" } } as const
      const audit = [removal, { ...event, userId: account.id }]
      const outcome = yield* store.replaceAddress(account.id, link.hash, () =>
        replacement(account.email, { factors: left, audit })
      )
      Check.equal(outcome, "Replaced", "outcome")
      Check.equal([yield* factorsOf(account), yield* factorsOf(other)], [left, given], "the factors of both accounts")
      Check.equal([...(yield* auditOf(account.id))].sort(), ["address_changed", "factor_removed"], "the audit log")
    })
  },
  {
    name: "replaceAddress: Taken while an account has confirmed the address; of two at once one gets it",
    run: Effect.gen(function* () {
      const store = yield* CredentialStore
      const [account, other, owner] = [yield* Fixtures.user, yield* Fixtures.user, yield* Fixtures.user]
      const squatter = yield* Fixtures.userWith({ confirmedAt: null })
      const link = yield* offered(account, "address_change")
      const take = (who: Account, email: Email, more: Partial<AddressReplacement> = {}) =>
        store.replaceAddress(who.id, link.hash, () => replacement(email, more))
      Check.equal(yield* take(account, owner.email), "Taken", "a confirmed address")
      Check.equal([yield* find(account.id), yield* isThere(link)], [account, true], "nothing is written")
      Check.equal(yield* take(account, squatter.email, { confirmedAt: null }), "Taken", "without a confirmation")
      Check.equal(yield* take(account, squatter.email), "Replaced", "an address that nobody confirmed")
      Check.equal((yield* find(squatter.id))?.email, SignUpRequest.releasedEmail(squatter.id), "who had it")
      const free = yield* freshEmail
      const outcomes = yield* Effect.all([take(account, free), take(other, free)], { concurrency: "unbounded" })
      Check.equal([...outcomes].sort(), ["Replaced", "Taken"], "of two at once")
    })
  },
  {
    name: "useLink: once, of several at once; never a link of another account, nor one that is refused",
    run: Effect.gen(function* () {
      const store = yield* CredentialStore
      const [account, other] = [yield* Fixtures.user, yield* Fixtures.user]
      const link = yield* offered(account, "unlock")
      const event: AuditEvent = { at: link.createdAt, userId: account.id, actor: OWNER, detail: { kind: "unlocked" } }
      Check.isTrue(!(yield* store.useLink(account.id, link.hash, () => null)), "refused")
      const always = ({ link: found }: { readonly link: AccountLink.AccountLink | null }) =>
        found === null ? null : event
      Check.isTrue(!(yield* store.useLink(other.id, link.hash, always)), "another account")
      const outcomes = yield* Effect.all(
        [1, 2, 3].map(() => store.useLink(account.id, link.hash, always)),
        { concurrency: "unbounded" }
      )
      Check.equal(outcomes.filter((isUsed) => isUsed).length, 1, "of several")
      Check.isTrue(!(yield* isThere(link)), "gone")
      Check.equal(yield* auditOf(account.id), ["unlocked"], "the audit log")
    })
  }
]
