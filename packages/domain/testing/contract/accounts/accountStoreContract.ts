import { Effect, Either, Option, TestClock } from "effect"
import { type Account, DisplayName, Email } from "../../../src/accounts/Account.js"
import { AccountStore } from "../../../src/accounts/AccountStore.js"
import type { AuditLog } from "../../../src/audit/AuditLog.js"
import * as SignInThrottle from "../../../src/accounts/SignInThrottle.js"
import * as Entropy from "../../../src/shared/Entropy.js"
import { UserId } from "../../../src/shared/Ids.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import type { Vault } from "../../../src/shared/Vault.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import * as Fixtures from "../../fixtures.js"
import { choiceContract } from "./choiceContract.js"
import { sessionContract } from "./sessionContract.js"

type Ports = AccountStore | AuditLog | Entropy.Entropy | Vault

/** An e-mail address and a network address that nobody else in the database has. */
const stranger = Effect.map(Entropy.id("try"), (id): { email: Email; address: string } => ({
  email: Email.make(`${id}@example.org`),
  address: id
}))

const tryOf = (who: { readonly email: Email; readonly address: string }) =>
  Effect.map(Entropy.id("try"), (id): SignInThrottle.SignInTry => ({ id, browser: null, ...who }))

const admit = (tried: SignInThrottle.SignInTry) =>
  Effect.flatMap(AccountStore, (accounts) => accounts.admitTry(tried, SignInThrottle.decide))

interface Who {
  readonly email: Email
  readonly address: string
}

/**
 * Makes `count` sign-in attempts at the same time, and returns the number of admitted attempts. `who` gets an unused
 * e-mail address and network address for each attempt, and returns the addresses that the attempt uses.
 */
const admittedAtOnce = (count: number, who: (stranger: Who) => Who) =>
  Effect.all(
    Array.from({ length: count }, () => Effect.flatMap(stranger, (one) => Effect.flatMap(tryOf(who(one)), admit))),
    { concurrency: "unbounded" }
  ).pipe(Effect.map((verdicts) => verdicts.filter(({ _tag }) => _tag === "Admitted").length))

/** Makes one sign-in attempt with a wrong password. */
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

/** What every `AccountStore` must guarantee about accounts, sessions and the count of sign-in attempts. */
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
        createdAt: yield* Timestamp.now,
        suspendedAt: null,
        confirmedAt: null,
        timeZone: "America/Argentina/Buenos_Aires",
        language: "de",
        browserLanguage: "en",
        testOf: null
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
  ...choiceContract,
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
  ...sessionContract,
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
      // Each attempt comes from a different network address, so that only the limit of the account applies.
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
          // The attempt `other` has not ended and may still fail, so the store counts it towards the limit.
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
    name: "tries: of a known browser count apart, and a success clears those of its own kind only [accounts-14]",
    run: Effect.gen(function* () {
      const accounts = yield* AccountStore
      const who = yield* stranger
      const known = { ...who, browser: yield* Entropy.id("brw") }
      const failed = (one: typeof who & { readonly browser?: string }) =>
        Effect.gen(function* () {
          const tried = yield* tryOf(one)
          Check.equal((yield* admit(tried))._tag, "Admitted", "admitted")
          yield* accounts.failTry(tried.id)
          return tried
        })
      const counted = (one: typeof who & { readonly browser?: string }) =>
        Effect.gen(function* () {
          let seen: ReadonlyArray<number | undefined> = []
          yield* accounts.admitTry(yield* tryOf(one), ({ ofAccount, ofAddress, ofBrowser }) => {
            seen = [ofAccount.length, ofAddress.length, ofBrowser?.length]
            return { _tag: "Busy" }
          })
          return seen
        })
      yield* failed(who)
      yield* failed(who)
      yield* failed(known)
      Check.equal(yield* counted(who), [2, 2, undefined], "for a stranger")
      Check.equal(yield* counted(known), [2, 2, 1], "for the known browser")
      yield* accounts.clearTries(yield* tryOf(known))
      Check.equal(
        [yield* counted(who), yield* counted(known)],
        [
          [2, 2, undefined],
          [2, 2, 0]
        ],
        "its own"
      )
      yield* failed(known)
      yield* accounts.clearTries(yield* tryOf(who))
      Check.equal(
        [yield* counted(who), yield* counted(known)],
        [
          [0, 2, undefined],
          [0, 2, 1]
        ],
        "the stranger's"
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
