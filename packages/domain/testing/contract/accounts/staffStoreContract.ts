import { Effect, Either, Option } from "effect"
import { type Account, type Email, hasRole } from "../../../src/accounts/Account.js"
import { AccountStore } from "../../../src/accounts/AccountStore.js"
import * as Session from "../../../src/accounts/Session.js"
import { AppStore } from "../../../src/apps/AppStore.js"
import { type AuditDetail, type AuditEvent, OPERATOR, OWNER } from "../../../src/audit/AuditEvent.js"
import { AuditLog } from "../../../src/audit/AuditLog.js"
import { releasedEmail } from "../../../src/credentials/SignUpRequest.js"
import * as AccountDeletion from "../../../src/deletions/AccountDeletion.js"
import { AccountDeletionStore } from "../../../src/deletions/AccountDeletionStore.js"
import { MailOutbox } from "../../../src/mail/MailOutbox.js"
import * as AccountChange from "../../../src/staff/AccountChange.js"
import { StaffStore } from "../../../src/staff/StaffStore.js"
import type { PagePosition } from "../../../src/shared/Page.js"
import * as Entropy from "../../../src/shared/Entropy.js"
import { InvitationId, UserId } from "../../../src/shared/Ids.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import { Vault } from "../../../src/shared/Vault.js"
import * as TeamLife from "../../../src/teams/TeamLife.js"
import { TeamStore } from "../../../src/teams/TeamStore.js"
import * as TestPerson from "../../../src/test-people/TestPerson.js"
import { TestPersonStore } from "../../../src/test-people/TestPersonStore.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import * as Fixtures from "../../fixtures.js"

type Ports =
  | AccountDeletionStore
  | AccountStore
  | AppStore
  | AuditLog
  | Entropy.Entropy
  | MailOutbox
  | StaffStore
  | TeamStore
  | TestPersonStore
  | Vault

const changed = (id: UserId, step: AccountChange.AccountStep) =>
  Effect.flatMap(StaffStore, (store) => store.change(id, step))

const stored = ({ id }: Account) =>
  Effect.map(
    Effect.flatMap(AccountStore, (accounts) => accounts.find(id)),
    (found) => Option.getOrThrowWith(found, () => new Error("the account is gone"))
  )

/** Takes the role `admin` from every account that other cases left, so that only accounts of this case are admins. */
const withoutAdmins = Effect.gen(function* () {
  const store = yield* StaffStore
  let page = yield* store.list(500, undefined)
  for (;;) {
    for (const account of page.items.filter((one) => hasRole(one, "admin"))) {
      yield* store.change(account.id, (state, now) =>
        AccountChange.takeRole("admin", OPERATOR)({ ...state, hasOtherAdmin: true }, now)
      )
    }
    if (page.next === undefined) return
    page = yield* store.list(500, page.next)
  }
})

const kindsOf = ({ id }: Account) =>
  Effect.map(
    Effect.flatMap(AuditLog, (log) => log.list({ userId: id }, 100, undefined)),
    ({ items }) => items.map(({ detail }) => detail.kind)
  )

const subjectsOf = ({ id }: Account) =>
  Effect.map(
    Effect.flatMap(MailOutbox, (outbox) => outbox.recent(10_000)),
    (all) => all.flatMap(({ message }) => (message.to === id ? [message.subject] : []))
  )

const testPerson = Effect.gen(function* () {
  const [app, id] = [yield* Fixtures.app((yield* Fixtures.user).id), UserId.make(yield* Entropy.id("usr"))]
  const account = TestPerson.account(id, app.id, TestPerson.DEFAULT_NAME, yield* Timestamp.now)
  yield* (yield* TestPersonStore).create(account)
  return account
})

/** What every `StaffStore` must guarantee, and what `AccountStore` must guarantee about suspended accounts. */
export const staffStoreContract: Contract<Ports> = [
  {
    name: "change: an address is confirmed, once, and stays so through later changes [staff-5]",
    run: Effect.gen(function* () {
      const account = { ...(yield* Fixtures.user), id: UserId.make(yield* Entropy.id("usr")), confirmedAt: null }
      const email = `${account.id}@example.com`.toLowerCase() as Account["email"]
      yield* (yield* AccountStore).create({ ...account, email }, "hash")
      yield* changed(account.id, AccountChange.confirm(OPERATOR))
      const confirmed = yield* stored(account)
      Check.isTrue(confirmed.confirmedAt !== null, "confirmed")
      yield* changed(account.id, AccountChange.confirm(OPERATOR))
      yield* changed(account.id, AccountChange.giveRole("reviewer", OPERATOR))
      Check.equal<Account>(yield* stored(account), { ...confirmed, roles: ["reviewer"] }, "stored")
      Check.equal([...(yield* kindsOf(account))].sort(), ["address_confirmed", "role_given"], "the audit log")
    })
  },
  {
    name: "change: an address that is confirmed with it replaces an unconfirmed one; Conflict for that of another account [staff-9]",
    run: Effect.gen(function* () {
      const made = (confirmedAt: Timestamp.Timestamp | null) =>
        Effect.gen(function* () {
          const id = UserId.make(yield* Entropy.id("usr"))
          const account = {
            ...(yield* Fixtures.user),
            id,
            email: `${id}@example.com`.toLowerCase() as Email,
            confirmedAt
          }
          yield* (yield* AccountStore).create(account, "hash")
          return account
        })
      const [lost, squatter] = [yield* made(null), yield* made(null)]
      const owner = yield* made(yield* Timestamp.now)
      const taken = yield* changed(lost.id, AccountChange.confirm(OPERATOR, owner.email))
      Check.isTrue(Option.exists(taken, Either.isLeft), "the address of an account that confirmed it")
      Check.equal<Account>(yield* stored(lost), lost, "unchanged")
      Check.equal(yield* kindsOf(lost), [], "no event")
      const outcome = yield* changed(lost.id, AccountChange.confirm(OPERATOR, squatter.email))
      const now = yield* Timestamp.now
      const expected: Account = { ...lost, email: squatter.email, confirmedAt: now }
      Check.equal(outcome, Option.some(Either.right(expected)), "the outcome")
      Check.equal(yield* stored(lost), expected, "stored")
      Check.equal((yield* stored(squatter)).email, releasedEmail(squatter.id), "an account that never confirmed it")
      Check.equal(yield* kindsOf(lost), ["address_confirmed"], "the audit log")
      const again = yield* changed(lost.id, AccountChange.confirm(OPERATOR, "other@example.com" as Email))
      Check.equal(again, Option.some(Either.right(expected)), "a confirmed address stays")
    })
  },
  {
    name: "AccountStore: an account, a session and the end of sessions are stored with their events [audit-1]",
    run: Effect.gen(function* () {
      const accounts = yield* AccountStore
      const now = yield* Timestamp.now
      const id = UserId.make(yield* Entropy.id("usr"))
      const account = { ...(yield* Fixtures.user), id, email: `${id}@example.com`.toLowerCase() as Account["email"] }
      const event = (detail: AuditDetail): AuditEvent => ({ at: now, userId: id, actor: OWNER, detail })
      const session = Session.open((yield* Vault).sha256(yield* Entropy.secret), id, now)
      yield* accounts.create(account, "hash", undefined, event({ kind: "account_made", roles: [] }))
      yield* accounts.openSession(session, event({ kind: "sign_in", browser: null, network: null }))
      const count = yield* accounts.closeOtherSessions(id, null, now, (ended) =>
        event({ kind: "sessions_ended", count: ended + 4 })
      )
      const { items } = yield* (yield* AuditLog).list({ userId: id }, 10, undefined)
      Check.equal(
        [count, ...items.map(({ detail }) => detail.kind).sort()],
        [1, "account_made", "sessions_ended", "sign_in"],
        "kept"
      )
      const ended = items.flatMap(({ detail }) => (detail.kind === "sessions_ended" ? [detail.count] : []))
      Check.equal(ended, [5], "the event of the count")
      const taken = { ...account, id: UserId.make(yield* Entropy.id("usr")) }
      yield* Effect.either(accounts.create(taken, "hash", undefined, event({ kind: "account_deleted" })))
      Check.equal((yield* (yield* AuditLog).list({ userId: id }, 10, undefined)).items.length, 3, "none of a refusal")
      yield* accounts.openSession({ ...session, hash: (yield* Vault).sha256(yield* Entropy.secret) })
      yield* changed(id, AccountChange.suspend(OPERATOR))
      Check.equal(yield* accounts.closeOtherSessions(id, null, now), 1, "of a suspended account")
    })
  },
  {
    name: "change: roles, event and mail are committed together; a step that changes nothing writes nothing",
    run: Effect.gen(function* () {
      const account = yield* Fixtures.user
      const give = AccountChange.giveRole("reviewer", OPERATOR)
      const expected = { ...account, roles: ["reviewer"] as const }
      for (const _ of [1, 2]) {
        Check.equal(yield* changed(account.id, give), Option.some(Either.right<Account>(expected)), "the outcome")
      }
      Check.equal<Account>(yield* stored(account), expected, "stored")
      Check.equal(yield* kindsOf(account), ["role_given"], "the audit log")
      Check.equal(yield* subjectsOf(account), ["You are a reviewer now"], "the mail")
      Check.equal(yield* changed(UserId.make(yield* Entropy.id("usr")), give), Option.none(), "nobody")
    })
  },
  {
    name: "change: the last admin keeps the role; a suspended admin counts as none, also when an account is deleted",
    run: Effect.gen(function* () {
      yield* withoutAdmins
      const [one, two] = [
        yield* Fixtures.userWith({ roles: ["admin"] }),
        yield* Fixtures.userWith({ roles: ["admin"] })
      ]
      const outcome = (id: UserId, step: AccountChange.AccountStep) =>
        Effect.map(changed(id, step), (found) => Option.exists(found, Either.isRight))
      Check.isTrue(yield* outcome(two.id, AccountChange.suspend(OPERATOR)), "one of two is suspended")
      Check.isTrue(!(yield* outcome(one.id, AccountChange.takeRole("admin", OPERATOR))), "the last one's role")
      Check.isTrue(!(yield* outcome(one.id, AccountChange.suspend(OPERATOR))), "the last one is not suspended")
      const begun = yield* (yield* AccountDeletionStore).begin(one.id, AccountDeletion.decide)
      Check.isTrue(Option.exists(begun, Either.isLeft), "the last one is not deleted")
      Check.isTrue(yield* outcome(two.id, AccountChange.takeRole("admin", OPERATOR)), "a suspended one's role")
      Check.equal(yield* stored(one), one, "unchanged")
    })
  },
  {
    name: "change: of two admins whose roles are taken at once, one keeps it",
    run: Effect.gen(function* () {
      yield* withoutAdmins
      const admins = [yield* Fixtures.userWith({ roles: ["admin"] }), yield* Fixtures.userWith({ roles: ["admin"] })]
      yield* Effect.forEach(admins, ({ id }) => changed(id, AccountChange.takeRole("admin", OPERATOR)), {
        concurrency: "unbounded"
      })
      const left = (yield* Effect.forEach(admins, stored)).filter((account) => hasRole(account, "admin"))
      Check.equal(left.length, 1, "admins left")
    })
  },
  {
    name: "suspension: sessions are listed and do not count until the account is resumed; its apps have the same state",
    run: Effect.gen(function* () {
      const [accounts, apps] = [yield* AccountStore, yield* AppStore]
      const [account, other] = [yield* Fixtures.user, yield* Fixtures.user]
      const [own, foreign] = [yield* Fixtures.app(account.id), yield* Fixtures.app(other.id)]
      const now = yield* Timestamp.now
      const hash = (yield* Vault).sha256(yield* Entropy.secret)
      yield* accounts.openSession(Session.open(hash, account.id, now))
      const seen = Effect.gen(function* () {
        const session = yield* accounts.findSession(hash, yield* Timestamp.now)
        const found = yield* Effect.forEach([own, foreign], ({ id }) => apps.find(id))
        return {
          isOpen: Option.isSome(session),
          listed: (yield* accounts.listSessions(account.id, yield* Timestamp.now)).length,
          apps: found.map((one) => Option.map(one, ({ suspendedAt }) => suspendedAt !== null))
        }
      })
      yield* changed(account.id, AccountChange.suspend(OPERATOR))
      const suspended = { isOpen: false, listed: 1, apps: [Option.some(true), Option.some(false)] }
      Check.equal(yield* seen, suspended, "while it is suspended")
      const late = (yield* Vault).sha256(yield* Entropy.secret)
      yield* accounts.openSession(Session.open(late, account.id, now))
      Check.equal(yield* accounts.findSession(late, now), Option.none(), "a session of a sign-in that was under way")
      yield* changed(account.id, AccountChange.resume(OPERATOR))
      const resumed = { isOpen: true, listed: 2, apps: [Option.some(false), Option.some(false)] }
      Check.equal(yield* seen, resumed, "after it")
      // If both events have the same time, the log may list the two events in either order.
      Check.equal((yield* kindsOf(account)).toSorted(), ["account_resumed", "account_suspended"], "the audit log")
    })
  },
  {
    name: "suspension: ends the invitations that the account sent, with their mails, when it begins and ends [teams-2]",
    run: Effect.gen(function* () {
      const teams = yield* TeamStore
      const [owner, other, invitee] = [yield* Fixtures.user, yield* Fixtures.user, yield* Fixtures.user]
      const [app, foreign] = [yield* Fixtures.app(owner.id), yield* Fixtures.app(other.id)]
      const invite = (by: Account, { id: appId }: { readonly id: typeof app.id }) =>
        Effect.gen(function* () {
          const id = InvitationId.make(yield* Entropy.id("inv"))
          const invitation = { id, email: invitee.email, role: "owner" as const, invitee }
          const outcome = yield* teams.update(appId, (team, now) =>
            TeamLife.invite(by, invitation)({ ...team, isClosed: false }, now)
          )
          Check.isTrue(Option.exists(outcome, Either.isRight), "invited")
          return id
        })
      const mails = Effect.map(
        Effect.flatMap(MailOutbox, (outbox) => outbox.recent(10_000)),
        (all) => all.filter(({ message }) => message.to === invitee.id).length
      )
      const open = Effect.map(teams.listInvited(invitee.email, yield* Timestamp.now), (found) =>
        found.map(({ invitation }) => invitation.id)
      )
      yield* invite(owner, app)
      const stays = yield* invite(other, foreign)
      yield* changed(owner.id, AccountChange.giveRole("reviewer", OPERATOR))
      Check.equal([(yield* open).length, yield* mails], [2, 2], "after another change")
      yield* changed(owner.id, AccountChange.suspend(OPERATOR))
      Check.equal([yield* open, yield* mails], [[stays], 1], "while it is suspended")
      // A request that was in progress when the suspension began may store an invitation during the suspension.
      yield* invite(owner, app)
      yield* changed(owner.id, AccountChange.resume(OPERATOR))
      Check.equal([yield* open, yield* mails], [[stays], 1], "after it")
    })
  },
  {
    name: "AccountStore.hasAnother: somebody else with one of the roles, who is not suspended",
    run: Effect.gen(function* () {
      yield* withoutAdmins
      const accounts = yield* AccountStore
      const one = yield* Fixtures.userWith({ roles: ["admin"] })
      const has = accounts.hasAnother([one.id], ["admin"])
      Check.isTrue(!(yield* has), "nobody else")
      const two = yield* Fixtures.userWith({ roles: ["developer", "admin"] })
      Check.isTrue(yield* has, "another one")
      Check.isTrue(!(yield* accounts.hasAnother([two.id, one.id], ["admin"])), "one of the left out")
      yield* changed(two.id, AccountChange.suspend(OPERATOR))
      Check.isTrue(!(yield* has), "who is suspended")
    })
  },
  {
    name: "change and hasAnother: a test person and the placeholder for deleted accounts are no staff [staff-2]",
    run: Effect.gen(function* () {
      yield* withoutAdmins
      const accounts = yield* AccountStore
      const robin = yield* testPerson
      yield* (yield* AccountDeletionStore).begin((yield* Fixtures.user).id, AccountDeletion.decide)
      const [one, suspended] = [
        yield* Fixtures.userWith({ roles: ["admin"] }),
        yield* Fixtures.userWith({ roles: ["admin"] })
      ]
      for (const id of [robin.id, AccountDeletion.NOBODY.id]) {
        Check.equal(yield* changed(id, AccountChange.giveRole("admin", OPERATOR)), Option.none(), "no role")
        yield* accounts.addRoles(id, ["admin"])
      }
      yield* changed(suspended.id, AccountChange.suspend(OPERATOR))
      Check.isTrue(!(yield* accounts.hasAnother([one.id], ["admin"])), "nobody else")
      const taken = yield* changed(one.id, AccountChange.takeRole("admin", OPERATOR))
      Check.isTrue(Option.exists(taken, Either.isLeft), "the last one's role")
      const begun = yield* (yield* AccountDeletionStore).begin(one.id, AccountDeletion.decide)
      Check.isTrue(Option.exists(begun, Either.isLeft), "the last one is not deleted")
    })
  },
  {
    name: "list: everybody once, the newest first; the pages meet",
    run: Effect.gen(function* () {
      const store = yield* StaffStore
      const made = yield* Effect.forEach([1, 2, 3, 4, 5], () => Fixtures.user)
      const ids: Array<UserId> = []
      let after: PagePosition | undefined
      do {
        const page = yield* store.list(2, after)
        ids.push(...page.items.map(({ id }) => id))
        after = page.next
      } while (after !== undefined)
      Check.equal(new Set(ids).size, ids.length, "once")
      Check.isTrue(
        made.every(({ id }) => ids.includes(id)),
        "everybody"
      )
      Check.isTrue(!ids.includes(AccountDeletion.NOBODY.id), "but nobody")
    })
  }
]
