import { Effect, Option } from "effect"
import { type Account, Email } from "../../../src/accounts/Account.js"
import { AccountStore } from "../../../src/accounts/AccountStore.js"
import { type AuditEvent, OPERATOR, OWNER } from "../../../src/audit/AuditEvent.js"
import { AuditLog } from "../../../src/audit/AuditLog.js"
import * as Session from "../../../src/accounts/Session.js"
import * as SignInThrottle from "../../../src/accounts/SignInThrottle.js"
import * as AccountLink from "../../../src/credentials/AccountLink.js"
import { CredentialStore } from "../../../src/credentials/CredentialStore.js"
import type { CredentialState, PasswordReplacement } from "../../../src/credentials/PasswordChange.js"
import type { FactorStore } from "../../../src/factors/FactorStore.js"
import type { MailMessage } from "../../../src/mail/Mail.js"
import { MailOutbox } from "../../../src/mail/MailOutbox.js"
import * as Entropy from "../../../src/shared/Entropy.js"
import { UserId } from "../../../src/shared/Ids.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import { Sealed, Vault } from "../../../src/shared/Vault.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import * as Fixtures from "../../fixtures.js"
import { addressContract } from "./addressContract.js"

type Ports = AccountStore | AuditLog | CredentialStore | FactorStore | MailOutbox | Entropy.Entropy | Vault

const freshHash = Effect.flatMap(Vault, (vault) => Effect.map(Entropy.secret, vault.sha256))

const mail = (to: UserId, dedupeKey: string): MailMessage => ({ to, dedupeKey, subject: "About you", body: "Text" })

const keysOf = (to: UserId) =>
  Effect.map(
    Effect.flatMap(MailOutbox, (outbox) => outbox.recent(10_000)),
    (all) => all.flatMap(({ message }) => (message.to === to ? [message.dedupeKey] : [])).sort()
  )

/** Offers the account a link by mail that resets the password. `isOffered` says whether the store accepted the link. */
const offered = (account: Pick<Account, "id" | "email">) =>
  Effect.gen(function* () {
    const link = AccountLink.make("password_reset", yield* freshHash, account, yield* Timestamp.now)
    const isOffered = yield* (yield* CredentialStore).offerLink(link, mail(account.id, link.hash))
    return { link, isOffered }
  })

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

const replacement = (to: UserId, overrides: Partial<PasswordReplacement> = {}): PasswordReplacement => ({
  passwordHash: "another hash",
  keeps: null,
  notice: mail(to, "replaced"),
  audit: {
    at: Timestamp.make(0),
    userId: to,
    actor: OWNER,
    detail: { kind: "password_changed", how: "password" }
  },
  ...overrides
})

const passwordOf = ({ email }: Account) =>
  Effect.map(
    Effect.flatMap(AccountStore, (accounts) => accounts.findByEmail(email)),
    Option.map(({ passwordHash }) => passwordHash)
  )

/**
 * What every `CredentialStore` must guarantee about links and new passwords, and what `AccountStore.openSession` must
 * guarantee while a password is being replaced.
 */
export const credentialStoreContract: Contract<Ports> = [
  {
    name: "offerLink: the link is found with its account, and its mail is in the outbox",
    run: Effect.gen(function* () {
      const store = yield* CredentialStore
      const account = yield* Fixtures.userWith({ roles: ["developer"] })
      const link = AccountLink.make("password_reset", yield* freshHash, account, yield* Timestamp.now)
      const message: MailMessage = {
        ...mail(account.id, "link"),
        link: { site: "service", path: "/reset-password?token=", label: "Set a new password" },
        secret: Sealed.make("sealed")
      }
      Check.isTrue(yield* store.offerLink(link, message), "offered")
      Check.equal(yield* store.findLink(link.hash), Option.some({ link, account }), "found")
      Check.equal(yield* store.findLink(yield* freshHash), Option.none(), "another one")
      const kept = (yield* (yield* MailOutbox).recent(10_000)).find((one) => one.message.to === account.id)
      Check.equal(kept?.message, message, "the mail")
    })
  },
  {
    name: "offerLink: the event of an operator is stored with the link, and not without it [audit-1]",
    run: Effect.gen(function* () {
      const store = yield* CredentialStore
      const account = yield* Fixtures.user
      const now = yield* Timestamp.now
      const event: AuditEvent = { at: now, userId: account.id, actor: OPERATOR, detail: { kind: "reset_link_made" } }
      const offer = (email: Email) =>
        Effect.flatMap(freshHash, (hash) =>
          store.offerLink(AccountLink.make("password_reset", hash, { ...account, email }, now), null, event)
        )
      Check.isTrue(!(yield* offer(Email.make("another@example.com"))), "another address")
      Check.equal((yield* (yield* AuditLog).list({ userId: account.id }, 10, undefined)).items, [], "no event")
      Check.isTrue(yield* offer(account.email), "offered")
      const { items } = yield* (yield* AuditLog).list({ userId: account.id }, 10, undefined)
      Check.equal(
        items.map(({ actor, detail }) => [actor, detail]),
        [[OPERATOR, { kind: "reset_link_made" }]],
        "the event"
      )
    })
  },
  {
    name: "offerLink: a link that is offered again after a lost answer has one mail and one event [mail-1]",
    run: Effect.gen(function* () {
      const store = yield* CredentialStore
      const account = yield* Fixtures.user
      const now = yield* Timestamp.now
      const link = AccountLink.make("password_reset", yield* freshHash, account, now)
      const event: AuditEvent = { at: now, userId: account.id, actor: OPERATOR, detail: { kind: "reset_link_made" } }
      for (const which of ["the first time", "the second time"]) {
        Check.isTrue(yield* store.offerLink(link, mail(account.id, link.hash), event), which)
      }
      Check.equal(yield* store.findLink(link.hash), Option.some({ link, account }), "found")
      Check.equal(yield* keysOf(account.id), [link.hash], "one mail")
      const { items } = yield* (yield* AuditLog).list({ userId: account.id }, 10, undefined)
      Check.equal(items.length, 1, "one event")
    })
  },
  {
    name: "offerLink: nothing for an account that is gone, or that has another address",
    run: Effect.gen(function* () {
      const gone = { id: UserId.make(yield* Entropy.id("usr")), email: Email.make("gone@example.com") }
      const account = yield* Fixtures.user
      for (const owner of [gone, { ...account, email: gone.email }]) {
        const { isOffered, link } = yield* offered(owner)
        Check.isTrue(!isOffered, "refused")
        Check.equal(yield* (yield* CredentialStore).findLink(link.hash), Option.none(), "no link")
        Check.equal(yield* keysOf(owner.id), [], "no mail")
      }
    })
  },
  {
    name: "replacePassword: decides on the account, its password, the link and the time, as they are",
    run: Effect.gen(function* () {
      const store = yield* CredentialStore
      const [account, other] = [yield* Fixtures.user, yield* Fixtures.user]
      const { link } = yield* offered(account)
      const foreign = (yield* offered(other)).link
      const states: Array<CredentialState> = []
      for (const hash of [link.hash, null, foreign.hash, yield* freshHash]) {
        const isReplaced = yield* store.replacePassword(account.id, hash, (state, now) => {
          states.push(state)
          Check.isTrue(now >= link.createdAt, "the time")
          return null
        })
        Check.isTrue(!isReplaced, "nothing decided")
      }
      const state = { account, passwordVersion: 0 }
      const expected = [link, null, null, null].map((one) => ({ ...state, link: one }))
      Check.equal(states, expected, "states")
      Check.equal(yield* passwordOf(account), Option.some(Fixtures.NO_PASSWORD), "the password")
    })
  },
  {
    name: "replacePassword: password, sessions, links and failures of this account, and of no other",
    run: Effect.gen(function* () {
      const [accounts, store] = [yield* AccountStore, yield* CredentialStore]
      const [account, other] = [yield* Fixtures.user, yield* Fixtures.user]
      const [stays, ends, others] = [yield* opened(account), yield* opened(account), yield* opened(other)]
      const [first, second] = [(yield* offered(account)).link, (yield* offered(account)).link]
      const foreign = (yield* offered(other)).link
      const triedBy = (email: Email) =>
        Effect.gen(function* () {
          const tried = { id: yield* Entropy.id("try"), email, address: yield* Entropy.id("at"), browser: null }
          yield* accounts.admitTry(tried, SignInThrottle.decide)
          yield* accounts.failTry(tried.id)
        })
      yield* triedBy(account.email)
      yield* triedBy(other.email)
      const isReplaced = yield* store.replacePassword(account.id, first.hash, () =>
        replacement(account.id, { keeps: stays.hash })
      )
      Check.isTrue(isReplaced, "replaced")
      Check.equal(yield* passwordOf(account), Option.some("another hash"), "the password")
      Check.equal(yield* passwordOf(other), Option.some(Fixtures.NO_PASSWORD), "the other's password")
      Check.equal(
        yield* Effect.forEach([stays, ends, others], isOpen),
        [true, false, true],
        "the session that stays, one that ends, and the other's"
      )
      const found = yield* Effect.forEach([first, second, foreign], ({ hash }) => store.findLink(hash))
      Check.equal(found.map(Option.isSome), [false, false, true], "the links")
      Check.isTrue((yield* keysOf(account.id)).includes("replaced"), "the notice")
      const audited = yield* (yield* AuditLog).list({ userId: account.id }, 10, undefined)
      Check.equal(
        audited.items.map(({ detail }) => detail),
        [{ kind: "password_changed", how: "password" }],
        "the audit log"
      )
      for (const [{ email }, count] of [
        [account, 0],
        [other, 1]
      ] as const) {
        let failures = -1
        yield* accounts.admitTry(
          { id: yield* Entropy.id("try"), email, address: yield* Entropy.id("at"), browser: null },
          (recent) => {
            failures = recent.ofAccount.length
            return { _tag: "Busy" }
          }
        )
        Check.equal(failures, count, "failures that count")
      }
    })
  },
  {
    name: "replacePassword: every session ends when none stays; nothing for an account that is gone",
    run: Effect.gen(function* () {
      const store = yield* CredentialStore
      const account = yield* Fixtures.user
      const session = yield* opened(account)
      const isReplaced = yield* store.replacePassword(account.id, null, () => replacement(account.id))
      Check.equal([isReplaced, yield* isOpen(session)], [true, false], "replaced, and open")
      const gone = UserId.make(yield* Entropy.id("usr"))
      Check.isTrue(!(yield* store.replacePassword(gone, null, () => replacement(gone))), "gone")
      Check.equal(yield* keysOf(gone), [], "no notice")
    })
  },
  {
    name: "replacePassword: of several at once that each decide on what they read, one wins",
    run: Effect.gen(function* () {
      const store = yield* CredentialStore
      const account = yield* Fixtures.user
      const outcomes = yield* Effect.all(
        ["a", "b", "c", "d"].map((passwordHash) =>
          store.replacePassword(account.id, null, (state) =>
            state.passwordVersion === 0 ? replacement(account.id, { passwordHash }) : null
          )
        ),
        { concurrency: "unbounded" }
      )
      Check.equal(outcomes.filter((isReplaced) => isReplaced).length, 1, "winners")
      const winner = ["a", "b", "c", "d"][outcomes.indexOf(true)]
      Check.equal(yield* passwordOf(account), Option.fromNullable(winner), "the password")
    })
  },
  {
    name: "openSession: a session of a password that was replaced meanwhile never counts",
    run: Effect.gen(function* () {
      const [accounts, store] = [yield* AccountStore, yield* CredentialStore]
      const account = yield* Fixtures.user
      yield* store.replacePassword(account.id, null, () => replacement(account.id))
      Check.isTrue(!(yield* isOpen(yield* opened(account))), "the old password's")
      const version = Option.map(yield* accounts.findByEmail(account.email), (found) => found.passwordVersion)
      Check.equal(version, Option.some(1), "the version")
      const session = Session.open(yield* freshHash, account.id, yield* Timestamp.now, 1)
      yield* accounts.openSession(session)
      Check.isTrue(yield* isOpen(session), "the new password's")
    })
  },
  {
    name: "openSession: no session of the old password lives on, however it races with the replacement",
    run: Effect.gen(function* () {
      const store = yield* CredentialStore
      const account = yield* Fixtures.user
      const [before, replaced, after] = yield* Effect.all(
        [opened(account), store.replacePassword(account.id, null, () => replacement(account.id)), opened(account)],
        { concurrency: "unbounded" }
      )
      Check.isTrue(replaced, "replaced")
      Check.equal(yield* Effect.forEach([before, after], isOpen), [false, false], "open")
    })
  },
  ...addressContract
]
