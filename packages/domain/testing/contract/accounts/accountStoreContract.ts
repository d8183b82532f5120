import { Effect, Either, Option, TestClock } from "effect"
import { type Account, DisplayName, Email } from "../../../src/accounts/Account.js"
import { AccountStore } from "../../../src/accounts/AccountStore.js"
import * as Session from "../../../src/accounts/Session.js"
import * as SignInThrottle from "../../../src/accounts/SignInThrottle.js"
import * as Entropy from "../../../src/shared/Entropy.js"
import { UserId } from "../../../src/shared/Ids.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import { Vault } from "../../../src/shared/Vault.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import * as Fixtures from "../../fixtures.js"

type Ports = AccountStore | Entropy.Entropy | Vault

/** An e-mail and an address that nothing else in the database has. */
const stranger = Effect.map(Entropy.id("try"), (id): { email: Email; address: string } => ({
  email: Email.make(`${id}@example.org`),
  address: id
}))

const tryOf = (who: { readonly email: Email; readonly address: string }) =>
  Effect.map(Entropy.id("try"), (id): SignInThrottle.SignInTry => ({ id, ...who }))

const admit = (tried: SignInThrottle.SignInTry) =>
  Effect.flatMap(AccountStore, (accounts) => accounts.admitTry(tried, SignInThrottle.decide))

interface Who {
  readonly email: Email
  readonly address: string
}

/** How many of `count` tries at once are let in. `who` says which part of a stranger each try has. */
const admittedAtOnce = (count: number, who: (stranger: Who) => Who) =>
  Effect.all(
    Array.from({ length: count }, () => Effect.flatMap(stranger, (one) => Effect.flatMap(tryOf(who(one)), admit))),
    { concurrency: "unbounded" }
  ).pipe(Effect.map((verdicts) => verdicts.filter(({ _tag }) => _tag === "Admitted").length))

/** One try with a wrong password. */
const fail = (who: { readonly email: Email; readonly address: string }) =>
  Effect.gen(function* () {
    const tried = yield* tryOf(who)
    const verdict = yield* admit(tried)
    Check.equal(verdict, { _tag: "Admitted" }, "the try is let in")
    yield* (yield* AccountStore).failTry(tried.id)
  })

const seen = (who: { readonly email: Email; readonly address: string }) =>
  Effect.gen(function* () {
    const accounts = yield* AccountStore
    let recent: SignInThrottle.RecentTries | undefined
    yield* accounts.admitTry(yield* tryOf(who), (state) => {
      recent = state
      return { _tag: "Busy" }
    })
    return recent ?? Check.fail("decide was not called")
  })

const freshHash = Effect.flatMap(Vault, (vault) => Effect.map(Entropy.secret, vault.sha256))

/** Rules of `AccountStore`: accounts, sessions, and the count of sign-in tries. */
export const accountStoreContract: Contract<Ports> = [
  {
    name: "create: what was stored is found by id and by e-mail, with its password's hash",
    run: Effect.gen(function* () {
      const accounts = yield* AccountStore
      const account: Account = {
        id: UserId.make(yield* Entropy.id("usr")),
        email: Email.make(`${yield* Entropy.id("ada")}@example.com`),
        displayName: DisplayName.make('Ada 🦉 O\'Brien \\ "x"'),
        roles: ["reviewer"],
        createdAt: yield* Timestamp.now
      }
      yield* accounts.create(account, "$argon2id$v=19$m=1$x$y")
      Check.equal(yield* accounts.find(account.id), Option.some(account), "by id")
      Check.equal(
        yield* accounts.findByEmail(account.email),
        Option.some({ account, passwordHash: "$argon2id$v=19$m=1$x$y", passwordVersion: 0 }),
        "by e-mail"
      )
    })
  },
  {
    name: "find: none for an unknown id and an unknown e-mail",
    run: Effect.gen(function* () {
      const accounts = yield* AccountStore
      Check.equal(yield* accounts.find(UserId.make(yield* Entropy.id("usr"))), Option.none(), "by id")
      Check.equal(yield* accounts.findByEmail((yield* stranger).email), Option.none(), "by e-mail")
    })
  },
  {
    name: "create: a taken e-mail is a Conflict and leaves the first account as it is",
    run: Effect.gen(function* () {
      const accounts = yield* AccountStore
      const first = yield* Fixtures.user
      const second = { ...first, id: UserId.make(yield* Entropy.id("usr")), displayName: DisplayName.make("Eve") }
      const outcome = yield* Effect.either(accounts.create(second, "other"))
      Check.isTrue(Either.isLeft(outcome) && outcome.left._tag === "Conflict", "the second is refused")
      Check.equal(yield* accounts.find(second.id), Option.none(), "nothing is stored of it")
      Check.equal(
        Option.map(yield* accounts.findByEmail(first.email), ({ account }) => account),
        Option.some(first),
        "the first keeps the e-mail"
      )
    })
  },
  {
    name: "create: of several at once with one e-mail exactly one is made",
    run: Effect.gen(function* () {
      const accounts = yield* AccountStore
      const { email } = yield* stranger
      const outcomes = yield* Effect.all(
        Array.from({ length: 6 }, () =>
          Effect.either(Fixtures.userWith({ email }).pipe(Effect.catchAllDefect(Effect.fail)))
        ),
        { concurrency: "unbounded" }
      )
      const made = outcomes.filter(Either.isRight)
      Check.equal(made.length, 1, "one account")
      Check.equal(
        Option.map(yield* accounts.findByEmail(email), ({ account }) => account.id),
        Option.fromNullable(made[0]?.right.id),
        "the one that was told so"
      )
    })
  },
  {
    name: "addRoles: adds what is missing, keeps what is there, twice is once",
    run: Effect.gen(function* () {
      const accounts = yield* AccountStore
      const account = yield* Fixtures.userWith({ roles: ["admin"] })
      const expected = Option.some({ ...account, roles: ["developer", "admin"] as const })
      Check.equal(yield* accounts.addRoles(account.id, ["developer"]), expected, "answered")
      Check.equal(yield* accounts.addRoles(account.id, ["developer", "admin"]), expected, "again")
      Check.equal(yield* accounts.find(account.id), expected, "stored")
    })
  },
  {
    name: "addRoles: two additions at once both last",
    run: Effect.gen(function* () {
      const accounts = yield* AccountStore
      const { id } = yield* Fixtures.user
      yield* Effect.all([accounts.addRoles(id, ["developer"]), accounts.addRoles(id, ["reviewer"])], {
        concurrency: "unbounded"
      })
      const roles = Option.map(yield* accounts.find(id), (account) => account.roles)
      Check.equal(roles, Option.some(["developer", "reviewer"] as const), "roles")
    })
  },
  {
    name: "addRoles: none for an unknown account",
    run: Effect.gen(function* () {
      const id = UserId.make(yield* Entropy.id("usr"))
      Check.equal(yield* (yield* AccountStore).addRoles(id, ["developer"]), Option.none(), "outcome")
    })
  },
  {
    name: "session: live before expires_at, gone at it [T2]",
    run: Effect.gen(function* () {
      const accounts = yield* AccountStore
      const account = yield* Fixtures.user
      const now = yield* Timestamp.now
      const session = Session.open(yield* freshHash, account.id, now)
      yield* accounts.openSession(session)
      const at = (millis: number) => accounts.findSession(session.hash, Timestamp.plus(now, millis))
      const found = Option.some({ account, session })
      Check.equal(yield* at(0), found, "at once")
      Check.equal(yield* at(Session.LIFETIME - 1), found, "a millisecond before")
      Check.equal(yield* at(Session.LIFETIME), Option.none(), "at expires_at")
    })
  },
  {
    name: "session: shows the account's roles of now, not those of the sign-in",
    run: Effect.gen(function* () {
      const accounts = yield* AccountStore
      const account = yield* Fixtures.user
      const now = yield* Timestamp.now
      const session = Session.open(yield* freshHash, account.id, now)
      yield* accounts.openSession(session)
      yield* accounts.addRoles(account.id, ["developer"])
      const roles = Option.map(yield* accounts.findSession(session.hash, now), (found) => found.account.roles)
      Check.equal(roles, Option.some(["developer"] as const), "roles")
    })
  },
  {
    name: "session: closing one leaves the account's others open; closing again, or an unknown one, does nothing",
    run: Effect.gen(function* () {
      const accounts = yield* AccountStore
      const account = yield* Fixtures.user
      const now = yield* Timestamp.now
      const [one, other] = [
        Session.open(yield* freshHash, account.id, now),
        Session.open(yield* freshHash, account.id, now)
      ]
      yield* accounts.openSession(one)
      yield* accounts.openSession(other)
      yield* accounts.closeSession(one.hash)
      yield* accounts.closeSession(one.hash)
      yield* accounts.closeSession(yield* freshHash)
      Check.equal(yield* accounts.findSession(one.hash, now), Option.none(), "the closed one")
      const found = Option.some({ account, session: other })
      Check.equal(yield* accounts.findSession(other.hash, now), found, "the other one")
    })
  },
  {
    name: "renewSession: stores the last use and the new end; a session that is closed stays closed",
    run: Effect.gen(function* () {
      const accounts = yield* AccountStore
      const account = yield* Fixtures.user
      const now = yield* Timestamp.now
      const client = { browser: "Firefox on Linux", address: "2001:db8::7" }
      const session = Session.open(yield* freshHash, account.id, now, 0, client)
      const closed = Session.open(yield* freshHash, account.id, now)
      yield* accounts.openSession(session)
      const later = Timestamp.plus(now, Session.LIFETIME - 1)
      const renewed = { ...session, seenAt: later, expiresAt: Timestamp.plus(later, Timestamp.DAY) }
      yield* accounts.renewSession(renewed)
      yield* accounts.renewSession({ ...closed, seenAt: later })
      const at = (millis: number) => accounts.findSession(session.hash, Timestamp.plus(later, millis))
      Check.equal(yield* at(Timestamp.DAY - 1), Option.some({ account, session: renewed }), "before the new end")
      Check.equal(yield* at(Timestamp.DAY), Option.none(), "at the new end")
      Check.equal(yield* accounts.findSession(closed.hash, now), Option.none(), "the closed one")
    })
  },
  {
    name: "listSessions: the account's own live sessions, the one that was used last first",
    run: Effect.gen(function* () {
      const accounts = yield* AccountStore
      const [account, stranger] = [yield* Fixtures.user, yield* Fixtures.user]
      const now = yield* Timestamp.now
      const open = (seenAfter: number, userId = account.id, passwordVersion = 0) =>
        Effect.gen(function* () {
          const hash = yield* freshHash
          const session = {
            ...Session.open(hash, userId, now, passwordVersion, { browser: null, address: "192.0.2.7" }),
            seenAt: Timestamp.plus(now, seenAfter)
          }
          yield* accounts.openSession(session)
          return session
        })
      const [first, second, third] = [yield* open(1), yield* open(3), yield* open(2)]
      yield* open(0, stranger.id)
      yield* open(0, account.id, 1)
      const list = (millis: number) => accounts.listSessions(account.id, Timestamp.plus(now, millis))
      Check.equal(yield* list(0), [second, third, first], "newest use first, none of another password or account")
      Check.equal(yield* list(Session.LIFETIME), [], "none after the end")
    })
  },
  {
    name: "closeOtherSessions: closes the account's others and counts them; those of other accounts stay",
    run: Effect.gen(function* () {
      const accounts = yield* AccountStore
      const [account, stranger] = [yield* Fixtures.user, yield* Fixtures.user]
      const now = yield* Timestamp.now
      const kept = Session.open(yield* freshHash, account.id, now)
      const others = [Session.open(yield* freshHash, account.id, now), Session.open(yield* freshHash, account.id, now)]
      const theirs = Session.open(yield* freshHash, stranger.id, now)
      yield* Effect.forEach([kept, ...others, theirs], accounts.openSession, { discard: true })
      Check.equal(yield* accounts.closeOtherSessions(account.id, kept.hash), 2, "closed")
      Check.equal(yield* accounts.listSessions(account.id, now), [kept], "left")
      Check.equal(yield* accounts.closeOtherSessions(account.id, null), 1, "the kept one, too")
      Check.equal(yield* accounts.listSessions(account.id, now), [], "none left")
      Check.equal(yield* accounts.listSessions(stranger.id, now), [theirs], "a stranger's")
    })
  },
  {
    name: "tries: a try that is let in counts before it is settled, and is a failure once it failed [accounts-5]",
    run: Effect.gen(function* () {
      const accounts = yield* AccountStore
      const who = yield* stranger
      const tried = yield* tryOf(who)
      const at = yield* Timestamp.now
      yield* admit(tried)
      Check.equal(
        yield* seen(who),
        { ofAccount: [{ at, failed: false }], ofAddress: [{ at, failed: false }] },
        "in flight"
      )
      yield* accounts.failTry(tried.id)
      Check.equal(yield* seen(who), { ofAccount: [{ at, failed: true }], ofAddress: [{ at, failed: true }] }, "failed")
    })
  },
  {
    name: "tries: one that is not let in does not count",
    run: Effect.gen(function* () {
      const who = yield* stranger
      yield* seen(who)
      Check.equal(yield* seen(who), { ofAccount: [], ofAddress: [] }, "nothing")
    })
  },
  {
    name: "tries: counted by e-mail and by address apart, oldest first",
    run: Effect.gen(function* () {
      const [ada, bob] = [yield* stranger, yield* stranger]
      const first = yield* Timestamp.now
      yield* fail(ada)
      yield* TestClock.adjust("1 seconds")
      yield* fail({ email: bob.email, address: ada.address })
      const times = (tries: ReadonlyArray<SignInThrottle.CountedTry>) => tries.map(({ at }) => at - first)
      const here = yield* seen({ email: bob.email, address: ada.address })
      Check.equal([times(here.ofAccount), times(here.ofAddress)], [[1000], [0, 1000]], "Bob at Ada's address")
      const there = yield* seen({ email: ada.email, address: bob.address })
      Check.equal([times(there.ofAccount), times(there.ofAddress)], [[0], []], "Ada at another address")
    })
  },
  {
    name: "tries: what is as old as the window has left it (15:00.000), a millisecond younger counts",
    run: Effect.gen(function* () {
      const who = yield* stranger
      yield* fail(who)
      yield* TestClock.adjust(SignInThrottle.WINDOW - 1)
      Check.equal((yield* seen(who)).ofAccount.length, 1, "14:59.999")
      yield* TestClock.adjust(1)
      Check.equal(yield* seen(who), { ofAccount: [], ofAddress: [] }, "15:00.000")
    })
  },
  {
    name: "tries: five failures shut the sixth out until the first is 15 minutes old",
    run: Effect.gen(function* () {
      const who = yield* stranger
      for (let count = 0; count < SignInThrottle.PER_ACCOUNT; count++) {
        yield* fail(who)
        yield* TestClock.adjust("1 seconds")
      }
      const wait = SignInThrottle.WINDOW - 5 * Timestamp.SECOND
      Check.equal(yield* admit(yield* tryOf(who)), { _tag: "Closed", retryAfterMillis: wait }, "the sixth")
      yield* TestClock.adjust(wait)
      Check.equal(yield* admit(yield* tryOf(who)), { _tag: "Admitted" }, "later")
    })
  },
  {
    name: "tries: of twenty at once on one account five are let in",
    run: Effect.gen(function* () {
      const { email } = yield* stranger
      // Each try comes from another network address, so that only the limit of the account applies.
      const admitted = yield* admittedAtOnce(20, ({ address }) => ({ email, address }))
      Check.equal(admitted, SignInThrottle.PER_ACCOUNT, "let in")
    })
  },
  {
    name: "tries: of sixty at once from one address fifty are let in, whatever the account",
    run: Effect.gen(function* () {
      const { address } = yield* stranger
      const admitted = yield* admittedAtOnce(60, ({ email }) => ({ email, address }))
      Check.equal(admitted, SignInThrottle.PER_ADDRESS, "let in")
    })
  },
  {
    name: "tries: a success takes its own try back and forgets the account's failures, but not the address's",
    run: Effect.gen(function* () {
      const accounts = yield* AccountStore
      const who = yield* stranger
      const at = yield* Timestamp.now
      yield* fail(who)
      yield* TestClock.adjust("1 millis")
      const other = yield* tryOf(who)
      yield* admit(other)
      const right = yield* tryOf(who)
      yield* admit(right)
      yield* accounts.clearTries(right)
      Check.equal(
        yield* seen(who),
        {
          // The other try is still in flight and may fail.
          ofAccount: [{ at: Timestamp.plus(at, 1), failed: false }],
          ofAddress: [
            { at, failed: true },
            { at: Timestamp.plus(at, 1), failed: false }
          ]
        },
        "after the success"
      )
    })
  },
  {
    name: "tries: a failure that was forgotten does not come back when it is settled again",
    run: Effect.gen(function* () {
      const accounts = yield* AccountStore
      const who = yield* stranger
      const [wrong, right] = [yield* tryOf(who), yield* tryOf(who)]
      yield* admit(wrong)
      yield* accounts.failTry(wrong.id)
      yield* admit(right)
      yield* accounts.clearTries(right)
      yield* accounts.failTry(wrong.id)
      yield* accounts.failTry(right.id)
      Check.equal((yield* seen(who)).ofAccount, [], "the account's")
    })
  }
]
