import { Effect, Either, Option } from "effect"
import { type Account, DisplayName, Email } from "../../../src/accounts/Account.js"
import { AccountStore } from "../../../src/accounts/AccountStore.js"
import { AppStore } from "../../../src/apps/AppStore.js"
import type { App } from "../../../src/apps/App.js"
import { ConnectionStore, type WithApp } from "../../../src/connection/ConnectionStore.js"
import * as AccountDeletion from "../../../src/deletions/AccountDeletion.js"
import { AccountDeletionStore } from "../../../src/deletions/AccountDeletionStore.js"
import { ReviewStore } from "../../../src/staff/ReviewStore.js"
import { ServiceStore } from "../../../src/staff/ServiceStore.js"
import { StaffStore } from "../../../src/staff/StaffStore.js"
import * as AccountLimits from "../../../src/quotas/AccountLimits.js"
import * as Entropy from "../../../src/shared/Entropy.js"
import { AppId, UserId } from "../../../src/shared/Ids.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import * as TestPerson from "../../../src/test-people/TestPerson.js"
import * as LeakNotice from "../../../src/tokens/LeakNotice.js"
import { TestPersonStore } from "../../../src/test-people/TestPersonStore.js"
import { TokenStore } from "../../../src/tokens/TokenStore.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import * as Fixtures from "../../fixtures.js"
import * as Connections from "../connection/connectionSamples.js"
import type * as Rules from "../rules/ruleSamples.js"

type Ports = ReviewStore | TestPersonStore | AccountDeletionStore | ServiceStore | StaffStore | Rules.RuleSamplePorts

/** Makes a test person of the app without storing it. */
const fresh = (app: Pick<App, "id">) =>
  Effect.gen(function* () {
    const id = UserId.make(yield* Entropy.id("usr"))
    return TestPerson.account(id, app.id, DisplayName.make("Robin"), yield* Timestamp.now)
  })

const made = (app: Pick<App, "id">) =>
  Effect.gen(function* () {
    const account = yield* fresh(app)
    Check.equal(yield* (yield* TestPersonStore).create(account), "created", "made")
    return account
  })

const sandboxApp = Effect.gen(function* () {
  return yield* Fixtures.app((yield* Fixtures.user).id)
})

const stray = Effect.flatMap(TestPersonStore, (store) => store.listStray(1_000))

const changed = (app: App, change: Partial<App>) =>
  Effect.gen(function* () {
    yield* (yield* AppStore).update(app.id, (before) => ({
      outcome: 0,
      after: { ...before, app: { ...before.app, ...change } }
    }))
  })

/**
 * What every `TestPersonStore` must guarantee, and what other stores must guarantee about test people. Each case makes
 * its own app.
 */
export const testPersonStoreContract: Contract<Ports> = [
  {
    name: "create, find, list: a test person is an account with its app; another app does not have it",
    run: Effect.gen(function* () {
      const store = yield* TestPersonStore
      const app = yield* sandboxApp
      const other = yield* sandboxApp
      const [one, two] = [yield* made(app), yield* made(app)].sort((a, b) => (a.id < b.id ? -1 : 1))
      if (one === undefined || two === undefined) return Check.fail("two people")
      Check.equal(yield* store.list(app.id), [one, two], "of the app, by age and id")
      Check.equal(yield* store.list(other.id), [], "of another app")
      Check.equal(yield* store.find(app.id, one.id), Option.some(one), "found")
      Check.equal(yield* store.find(other.id, one.id), Option.none(), "not of another app")
      Check.equal(yield* (yield* AccountStore).find(one.id), Option.some(one), "an account like others")
      const developer = yield* Fixtures.user
      Check.equal(yield* store.find(app.id, developer.id), Option.none(), "an account of somebody is none")
    })
  },
  {
    name: "create: nobody finds the account by its address",
    run: Effect.gen(function* () {
      const { email } = yield* made(yield* sandboxApp)
      // The stored address of a test person has a capital letter. The service converts a typed address to lower case
      // before it looks the address up, so nobody can sign in with this address.
      const typed = Email.make(email.toLowerCase())
      Check.isTrue(typed !== email, "the stored address has a capital letter")
      Check.equal(yield* (yield* AccountStore).findByEmail(typed), Option.none(), "by its address")
    })
  },
  {
    name: `create: the ${AccountLimits.TEST_PEOPLE.most}th of an app is the last, also when several ask at once; a removed one makes room [limits-9]`,
    run: Effect.gen(function* () {
      const store = yield* TestPersonStore
      const app = yield* sandboxApp
      const first = yield* made(app)
      for (let one = 1; one < AccountLimits.TEST_PEOPLE.most - 1; one++) yield* made(app)
      const rivals = yield* Effect.all([fresh(app), fresh(app), fresh(app)])
      const outcomes = yield* Effect.forEach(rivals, store.create, { concurrency: "unbounded" })
      Check.equal(outcomes.toSorted(), ["created", "full", "full"], "there was room for one")
      Check.equal(yield* store.create(yield* fresh(app)), "full", "one too many")
      Check.equal((yield* store.list(app.id)).length, AccountLimits.TEST_PEOPLE.most, "not stored")
      yield* made(yield* sandboxApp)
      yield* (yield* AccountDeletionStore).begin(first.id, AccountDeletion.decide)
      yield* made(app)
    })
  },
  {
    name: "create: refused for an app in production, a revoked one, and one that does not exist",
    run: Effect.gen(function* () {
      const store = yield* TestPersonStore
      const owner = yield* Fixtures.user
      const production = yield* Fixtures.app(owner.id, { status: "production" })
      const revoked = yield* Fixtures.app(owner.id, { revokedAt: yield* Timestamp.now })
      const inReview = yield* Fixtures.app(owner.id, { status: "in_review" })
      Check.equal(yield* store.create(yield* fresh(production)), "unavailable", "in production")
      Check.equal(yield* store.create(yield* fresh(revoked)), "unavailable", "revoked")
      Check.equal(yield* store.create(yield* fresh({ id: AppId.make("app_nowhere") })), "unavailable", "no app")
      Check.equal(yield* store.create(yield* fresh(inReview)), "created", "in review")
    })
  },
  {
    name: "listStray: the people of apps in production and of revoked apps, and no others",
    run: Effect.gen(function* () {
      const [staying, promoted, revoked] = [yield* sandboxApp, yield* sandboxApp, yield* sandboxApp]
      const [one, two, three] = [yield* made(staying), yield* made(promoted), yield* made(revoked)]
      const of = (ids: ReadonlyArray<UserId>) => [one, two, three].map(({ id }) => ids.includes(id))
      Check.equal(of(yield* stray), [false, false, false], "all in the sandbox")
      yield* changed(promoted, { status: "production" })
      yield* changed(revoked, { revokedAt: yield* Timestamp.now })
      Check.equal(of(yield* stray), [false, true, true], "after a promotion and a revocation")
      Check.equal((yield* (yield* TestPersonStore).listStray(1)).length, 1, "at most so many")
      yield* (yield* AccountDeletionStore).begin(two.id, AccountDeletion.decide)
      Check.equal(of(yield* stray), [false, false, true], "a removed one is not stray")
    })
  },
  {
    name: "ConnectionStore, TokenStore: a test person's connection is suspended as soon as the app is in production",
    run: Effect.gen(function* () {
      const app = yield* sandboxApp
      const person = yield* made(app)
      const connection = yield* Connections.connection(person, app)
      yield* Connections.approve(yield* Connections.request(app), connection)
      const { access } = yield* Connections.issue(connection, 1)
      const isSuspended = Effect.gen(function* () {
        const [store, tokens] = [yield* ConnectionStore, yield* TokenStore]
        const found: ReadonlyArray<Option.Option<WithApp>> = [
          yield* store.findOfUser(person.id, connection.id),
          yield* store.findOfApp(app.id, connection.id),
          yield* tokens.findByAccessToken(connection.id, access.hash),
          yield* tokens.change(connection.id, {}, (state) => ({ outcome: state, writes: [] }))
        ]
        return found.map((one) => Option.getOrElse(one, () => Check.fail("the connection")).isSuspended)
      })
      Check.equal(yield* isSuspended, [undefined, undefined, undefined, undefined], "in the sandbox")
      yield* changed(app, { status: "production" })
      Check.equal(yield* isSuspended, [true, true, true, true], "in production")
    })
  },
  {
    name: "ServiceStore.counts: test people are not among the accounts of the service [test-people-3]",
    run: Effect.gen(function* () {
      const counts = Effect.gen(function* () {
        const now = yield* Timestamp.now
        return yield* (yield* ServiceStore).counts(now, Timestamp.plus(now, -Timestamp.DAY))
      })
      const app = yield* sandboxApp
      const before = yield* counts
      yield* made(app)
      const after = yield* counts
      Check.equal([after.accounts, after.newAccounts], [before.accounts, before.newAccounts], "accounts and new ones")
      yield* Fixtures.user
      Check.equal((yield* counts).accounts - before.accounts, 1, "a person is counted")
    })
  },
  {
    name: "ReviewStore.leaks: a token of a test person that was used twice is not among the leaks [test-people-3]",
    run: Effect.gen(function* () {
      const app = yield* sandboxApp
      const leaked = (user: Account) =>
        Effect.gen(function* () {
          const connection = yield* Connections.connection(user, app)
          yield* Connections.approve(yield* Connections.request(app), connection)
          const writes = LeakNotice.writes("refresh_token_reused", { connection, app }, yield* Timestamp.now)
          for (const write of writes) yield* Connections.change(connection.id, write)
          return connection.id
        })
      const [test, real] = [yield* leaked(yield* made(app)), yield* leaked(yield* Fixtures.user)]
      const { items } = yield* (yield* ReviewStore).leaks(500, undefined)
      const listed = items.map(({ connectionId }) => connectionId)
      Check.equal([listed.includes(test), listed.includes(real)], [false, true], "the person's alone")
    })
  },
  {
    name: "AccountDeletionStore.describe, StaffStore.list: test people are nobody's users and no accounts of the service",
    run: Effect.gen(function* () {
      const deletions = yield* AccountDeletionStore
      const owner = yield* Fixtures.user
      const app = yield* Fixtures.app(owner.id)
      const person = yield* made(app)
      yield* Connections.approve(yield* Connections.request(app), yield* Connections.connection(person, app))
      const described = Option.getOrElse(yield* deletions.describe(owner.id), () => Check.fail("described"))
      Check.equal(
        described.apps.map(({ people }) => people),
        [0],
        "people of the app"
      )
      const { items } = yield* (yield* StaffStore).list(500, undefined)
      Check.isTrue(!items.some(({ id }) => id === person.id), "not listed")
      Check.isTrue(
        Option.exists(yield* deletions.begin(person.id, AccountDeletion.decide), Either.isRight),
        "deleted like others"
      )
      Check.equal(yield* (yield* TestPersonStore).list(app.id), [], "gone")
    })
  }
]
