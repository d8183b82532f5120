import { SqlClient } from "@effect/sql/SqlClient"
import {
  SqlAccountStore,
  SqlAppStore,
  SqlAuditLog,
  SqlIdempotencyStore,
  SqlMailOutbox,
  SqlTeamStore
} from "@place-access/adapters-pg"
import { type Account, AccountStore } from "@place-access/domain/accounts"
import { type App, AppStore, createApp } from "@place-access/domain/apps"
import { answerOnce, Idempotency } from "@place-access/domain/idempotency"
import { AppId, Entropy, MemberId } from "@place-access/domain/shared"
import { TeamLife, TeamStore } from "@place-access/domain/teams"
import { Fixtures } from "@place-access/domain/testing"
import { Clock, Deferred, Effect, Either, Fiber, Layer, Option } from "effect"
import { expect, it } from "vitest"
import { migratedOn, withStores } from "../support/contracts.js"
import { describeServers, lockWaits } from "../support/postgres.js"

const stores = Layer.mergeAll(
  SqlAccountStore.layer,
  SqlAppStore.layer,
  SqlAuditLog.layer,
  SqlIdempotencyStore.layer,
  SqlMailOutbox.layer,
  SqlTeamStore.layer
)

describeServers("an app that is created together with its stored answer, and another change of apps", (server) => {
  const run = withStores(migratedOn(server), stores)

  /**
   * Creates an app as the page and a request with an `Idempotency-Key` do. `change` begins after the account has its
   * role, and the creation goes on when `change` waits for a lock, or has ended.
   */
  const createDuring = <A, E, R>(account: Account.Account, draft: App.App, change: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      const [accounts, sql] = [yield* AccountStore, yield* SqlClient]
      const hasRole = yield* Deferred.make<void>()
      const changing = yield* Effect.fork(Effect.either(Effect.zipRight(Deferred.await(hasRole), change)))
      const isStill = Effect.gen(function* () {
        return Option.isSome(yield* Fiber.poll(changing)) || (yield* lockWaits(server, sql)) > 0
      })
      const begin = Effect.zipRight(
        Deferred.succeed(hasRole, undefined),
        Effect.repeat(Effect.delay(isStill, "20 millis"), { until: (is) => is })
      )
      const paused: typeof AccountStore.Service = {
        ...accounts,
        addRoles: (id, roles) => Effect.tap(accounts.addRoles(id, roles), () => Effect.orDie(begin))
      }
      const { description, homepageUrl, name } = draft
      const create = createApp(account, { name, description, homepageUrl, scopes: draft.declaredScopes })
      const work = Effect.as(Effect.provideService(create, AccountStore, paused), { answer: null, value: "created" })
      const key = Idempotency.IdempotencyKey.make("key")
      const request = { userId: account.id, subject: Idempotency.account(account.id), key, content: "content" }
      return { created: yield* Effect.either(answerOnce(request, work)), changed: yield* Fiber.join(changing) }
    }).pipe(Effect.withClock(Clock.make()))

  const CREATED = Either.right({ _tag: "Worked", value: "created" })

  it("another app of the same account: both are created, and nobody meets a deadlock [limits-9, idempotency-6]", async () => {
    const { changed, created } = await run(
      Effect.gen(function* () {
        const owner = yield* Fixtures.user
        const app = yield* Fixtures.app(owner.id)
        const another = { ...app, id: AppId.make(yield* Entropy.id("app")) }
        return yield* createDuring(owner, app, (yield* AppStore).create(another))
      })
    )
    expect([created, changed]).toEqual([CREATED, Either.right("Made")])
  })

  it("an app that is handed over to its creator: nobody meets a deadlock [teams-3, idempotency-6]", async () => {
    const { changed, created } = await run(
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const [holder, taker] = [yield* Fixtures.user, yield* Fixtures.user]
        const app = yield* Fixtures.app(holder.id)
        const [memberId, stays] = [MemberId.make(yield* Entropy.id("mbr")), MemberId.make(yield* Entropy.id("mbr"))]
        yield* sql`INSERT INTO app_members (app_id, member_id, user_id, role, since)
                   VALUES (${app.id}, ${memberId}, ${taker.id}, 'owner', now())`
        const handOver = (yield* TeamStore).update(app.id, TeamLife.handOver(holder.id, memberId, stays), memberId)
        return yield* createDuring(taker, app, Effect.map(handOver, Option.exists(Either.isRight)))
      })
    )
    expect([created, changed]).toEqual([CREATED, Either.right(true)])
  })
})
