import {
  SqlAccountStore,
  SqlAppStore,
  SqlCredentialStore,
  SqlFactorStore,
  SqlStaffStore
} from "@place-access/adapters-pg"
import { SqlClient } from "@effect/sql/SqlClient"
import { type Account, AccountStore, Session } from "@place-access/domain/accounts"
import { AccountLink, CredentialStore } from "@place-access/domain/credentials"
import { FactorStore } from "@place-access/domain/factors"
import { type StoreError, Timestamp, Vault } from "@place-access/domain/shared"
import { StaffStore } from "@place-access/domain/staff"
import { Fixtures } from "@place-access/domain/testing"
import { Clock, Deferred, Effect, Either, Fiber, Layer } from "effect"
import { randomBytes } from "node:crypto"
import { expect, it } from "vitest"
import { migratedPostgres, withStores } from "../support/contracts.js"
import { describePg } from "../support/postgres.js"

const stores = Layer.mergeAll(
  SqlAccountStore.layer,
  SqlAppStore.layer,
  SqlCredentialStore.layer,
  SqlFactorStore.layer,
  SqlStaffStore.layer
)

const fresh = () => Vault.Hash.make(randomBytes(32).toString("hex"))

type Locking = AccountStore | CredentialStore | FactorStore | StaffStore

const signIn = (account: Account.Account) =>
  Effect.gen(function* () {
    yield* (yield* AccountStore).openSession(Session.open(fresh(), account.id, yield* Timestamp.now))
  })

/** One change of each kind that holds the lock of all credentials. The deciding functions change nothing. */
const CHANGES: Readonly<Record<string, (account: Account.Account) => Effect.Effect<unknown, StoreError, Locking>>> = {
  "a request for a mailed link": (account) =>
    Effect.gen(function* () {
      const link = AccountLink.make("password_reset", fresh(), account, yield* Timestamp.now)
      return yield* (yield* CredentialStore).offerLink(link, null)
    }),
  "a new password": ({ id }) => Effect.flatMap(CredentialStore, (store) => store.replacePassword(id, null, () => null)),
  "a change of the second factors": ({ id }) =>
    Effect.flatMap(FactorStore, (store) => store.change(id, () => ["same", null])),
  "a change by staff": ({ id }) => Effect.flatMap(StaffStore, (store) => store.change(id, () => Either.right(null))),
  "a sign-in": signIn
}

/**
 * A person can make a transaction that has locked the person's account wait for seconds. A transaction that holds the
 * lock of all credentials must not wait as long: all other people's sign-ins wait for that lock.
 */
describePg("accountLock", "an account whose row another transaction holds, under the real clock", () => {
  const run = withStores(migratedPostgres, stores)

  it.each(Object.entries(CHANGES))("%s is refused for now, and other people sign in [accounts-25]", (_, change) =>
    run(
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const [owner, other] = [yield* Fixtures.user, yield* Fixtures.user]
        const [held, release] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const holder = yield* sql`SELECT 1 FROM accounts WHERE user_id = ${owner.id} FOR UPDATE`.pipe(
          Effect.zipRight(Deferred.succeed(held, undefined)),
          Effect.zipRight(Deferred.await(release)),
          sql.withTransaction,
          Effect.fork
        )
        yield* Deferred.await(held)
        // Without the limits of the connection, a change that sets no limit itself waits until the holder ends.
        const refused = yield* Effect.gen(function* () {
          yield* sql`SET LOCAL statement_timeout = 0`
          yield* sql`SET LOCAL lock_timeout = 0`
          return yield* Effect.either(change(owner))
        }).pipe(sql.withTransaction)
        expect(Either.isLeft(refused) && refused.left.transient).toBe(true)
        yield* signIn(other)
        yield* Deferred.succeed(release, undefined)
        yield* Fiber.join(holder)
        yield* change(owner)
      }).pipe(Effect.withClock(Clock.make()))
    )
  )
})
