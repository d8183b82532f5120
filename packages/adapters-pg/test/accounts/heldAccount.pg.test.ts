import {
  SqlAccountStore,
  SqlAppStore,
  SqlCredentialStore,
  SqlFactorStore,
  SqlStaffStore
} from "@place-access/adapters-pg"
import { SqlClient } from "@effect/sql/SqlClient"
import { type Account, AccountStore, Session } from "@place-access/domain/accounts"
import { AccountLink, CredentialStore, SignUpRequest } from "@place-access/domain/credentials"
import { FactorStore } from "@place-access/domain/factors"
import { Entropy, type StoreError, Timestamp, UserId, Vault } from "@place-access/domain/shared"
import { StaffStore } from "@place-access/domain/staff"
import { Fixtures } from "@place-access/domain/testing"
import { Clock, Deferred, Effect, Either, Fiber, Layer, Schedule } from "effect"
import { randomBytes } from "node:crypto"
import { expect, it } from "vitest"
import { migratedPostgres, POOL, withStores } from "../support/contracts.js"
import { describePg, lockWaits, postgres } from "../support/postgres.js"

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

/**
 * One change of each kind that holds the lock of all credentials. The functions that decide about a change decide to
 * change nothing.
 */
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
 * A person can make one transaction after another keep the person's account locked for seconds. Changes of this account
 * must still get their turn, and changes of other accounts must not wait.
 */
describePg("accountLock", "an account whose row other transactions hold, under the real clock", () => {
  const run = withStores(migratedPostgres, stores)

  /** Starts a fiber that locks the account's row, completes `held`, and keeps the lock until `until` is done. */
  const hold = (account: Account.Account, held: Deferred.Deferred<void>, until: Effect.Effect<unknown>) =>
    Effect.flatMap(SqlClient, (sql) =>
      sql`SELECT 1 FROM accounts WHERE user_id = ${account.id} FOR UPDATE`.pipe(
        Effect.zipRight(Deferred.succeed(held, undefined)),
        Effect.zipRight(until),
        sql.withTransaction,
        Effect.fork
      )
    )

  const waiting = (atLeast: number) =>
    Effect.flatMap(SqlClient, (sql) =>
      Effect.repeat(lockWaits(postgres, sql), {
        until: (waits) => waits >= atLeast,
        schedule: Schedule.spaced("10 millis")
      })
    )

  it.each(Object.entries(CHANGES))("%s gets its turn, and other people do not wait for it [accounts-25]", (_, change) =>
    run(
      Effect.gen(function* () {
        const [owner, other] = [yield* Fixtures.user, yield* Fixtures.user]
        const [held, release] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const first = yield* hold(owner, held, Deferred.await(release))
        yield* Deferred.await(held)
        const changed = yield* Effect.fork(change(owner))
        yield* waiting(1)
        const second = yield* hold(owner, yield* Deferred.make<void>(), Effect.sleep("1 second"))
        yield* waiting(2)
        for (const theirs of Object.values(CHANGES)) yield* theirs(other)
        yield* Effect.sleep("1 second")
        yield* Deferred.succeed(release, undefined)
        yield* Fiber.join(first)
        yield* Fiber.join(second)
        yield* Fiber.join(changed)
      }).pipe(Effect.withClock(Clock.make()))
    )
  )

  it("changes of one account and sign-ins at the same time: nobody meets a deadlock or is refused [accounts-25]", async () => {
    const failures = await run(
      Effect.gen(function* () {
        const people = yield* Effect.replicateEffect(Fixtures.user, 6)
        const changes = people.flatMap((account) => Object.values(CHANGES).map((change) => change(account)))
        const atOnce = [...changes, ...changes.toReversed()]
        const outcomes = yield* Effect.all(atOnce.map(Effect.either), { concurrency: POOL })
        return outcomes.filter(Either.isLeft).map(({ left }) => String(left.cause))
      }).pipe(Effect.withClock(Clock.make()))
    )
    expect(failures).toEqual([])
  })

  it("a sign-up with the address of a busy account is refused for now, and works later [accounts-25]", () =>
    run(
      Effect.gen(function* () {
        const [sql, credentials] = [yield* SqlClient, yield* CredentialStore]
        const owner = yield* Fixtures.user
        yield* sql`UPDATE accounts SET confirmed_at = NULL WHERE user_id = ${owner.id}`
        const userId = UserId.make(yield* Entropy.id("usr"))
        const wanted = { ...owner, userId, passwordHash: "hash", keep: null, returnTo: "/" }
        const request = SignUpRequest.withLink(wanted)(fresh(), yield* Timestamp.now)
        yield* credentials.requestSignUp(request, { to: userId, dedupeKey: "sign_up", subject: "New", body: "New" })
        const confirm = credentials.confirmSignUp(request.hash, SignUpRequest.confirm)
        const [held, release] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const holder = yield* hold(owner, held, Deferred.await(release))
        yield* Deferred.await(held)
        // The time-outs of the connection are switched off, so a sign-up that sets no time-out itself would wait until
        // the holder ends.
        const refused = yield* Effect.gen(function* () {
          yield* sql`SET LOCAL statement_timeout = 0`
          yield* sql`SET LOCAL lock_timeout = 0`
          return yield* Effect.either(confirm)
        }).pipe(sql.withTransaction)
        expect(Either.isLeft(refused) && refused.left.transient).toBe(true)
        yield* Deferred.succeed(release, undefined)
        yield* Fiber.join(holder)
        expect(yield* confirm).toBe("Made")
      }).pipe(Effect.withClock(Clock.make()))
    ))
})
