import { SqlClient } from "@effect/sql/SqlClient"
import {
  SqlAccountDeletionStore,
  SqlAccountStore,
  SqlAppStore,
  SqlAuditLog,
  SqlIdempotencyStore,
  SqlMailOutbox,
  SqlTeamStore
} from "@place-access/adapters-pg"
import { type Account, AccountStore } from "@place-access/domain/accounts"
import { type App, AppStore, createApp } from "@place-access/domain/apps"
import { AccountDeletion, AccountDeletionStore } from "@place-access/domain/deletions"
import { answerOnce, Idempotency } from "@place-access/domain/idempotency"
import { AppId, Entropy, InvitationId, MemberId, StoreError } from "@place-access/domain/shared"
import { acceptInvitation, type NamedInvitation, TeamLife, TeamStore } from "@place-access/domain/teams"
import { Fixtures } from "@place-access/domain/testing"
import { Clock, Deferred, Effect, Either, Fiber, Layer, Option } from "effect"
import { expect, it } from "vitest"
import { migratedOn, withStores } from "../support/contracts.js"
import { describeServers, lockWaits } from "../support/postgres.js"

const stores = Layer.mergeAll(
  SqlAccountDeletionStore.layer,
  SqlAccountStore.layer,
  SqlAppStore.layer,
  SqlAuditLog.layer,
  SqlIdempotencyStore.layer,
  SqlMailOutbox.layer,
  SqlTeamStore.layer
)

describeServers("work that is stored together with its answer, and another change of apps", (server) => {
  const run = withStores(migratedOn(server), stores)

  /**
   * Runs `act` and stores its answer in one transaction, like a request with an `Idempotency-Key`. While this
   * transaction is open, `change` runs: it begins when `act` has given the account its role. `act` continues when
   * `change` has ended or waits for a lock.
   */
  const during = <A, E, R, A2, E2, R2>(
    account: Account.Account,
    act: Effect.Effect<A2, E2, R2>,
    change: Effect.Effect<A, E, R>
  ) =>
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
      const work = Effect.as(Effect.provideService(act, AccountStore, paused), { answer: null, value: "created" })
      const key = Idempotency.IdempotencyKey.make("key")
      const request = { userId: account.id, subject: Idempotency.account(account.id), key, content: "content" }
      return { created: yield* Effect.either(answerOnce(request, work)), changed: yield* Fiber.join(changing) }
    }).pipe(Effect.withClock(Clock.make()))

  const createDuring = <A, E, R>(
    account: Account.Account,
    { declaredScopes: scopes, description, homepageUrl, name }: App.App,
    change: Effect.Effect<A, E, R>
  ) => during(account, createApp(account, { name, description, homepageUrl, scopes }), change)

  /** Invites the account into the team of the app. */
  const invited = ({ id, ownerId }: App.App, { email }: Account.Account) =>
    Effect.gen(function* () {
      const named: NamedInvitation = { appId: id, id: InvitationId.make(yield* Entropy.id("inv")) }
      const sql = yield* SqlClient
      yield* sql`INSERT INTO app_invitations (app_id, invitation_id, email, role, invited_by, created_at)
                 VALUES (${id}, ${named.id}, ${email}, 'developer', ${ownerId}, now())`
      return named
    })

  /** The error of the database in `outcome`, such as a deadlock; undefined when `outcome` is a success or a refusal. */
  const faultOf = (outcome: Either.Either<unknown, unknown>) =>
    Either.isLeft(outcome) && outcome.left instanceof StoreError ? String(outcome.left.cause) : undefined

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
  it("an invitation, and the deletion of the inviting holder, who is in the account's own team: no deadlock [teams-2, deletions-4]", async () => {
    const { changed, created } = await run(
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const [holder, invitee] = [yield* Fixtures.user, yield* Fixtures.user]
        const apps = [yield* Fixtures.app(holder.id), yield* Fixtures.app(holder.id)] as const
        // The deletion locks the apps in the order of their ids. If the inviting app has the smaller id, the deletion
        // locks this app first and then waits for the other app. Only this order could end in a deadlock.
        const [inviting, own] = apps[0].id < apps[1].id ? apps : [apps[1], apps[0]]
        yield* sql`UPDATE apps SET owner_id = ${invitee.id} WHERE app_id = ${own.id}`
        yield* sql`INSERT INTO app_members (app_id, member_id, user_id, role, since)
                   VALUES (${own.id}, ${MemberId.make(yield* Entropy.id("mbr"))}, ${holder.id}, 'owner', now())`
        const accept = acceptInvitation(invitee, "confirmed", yield* invited(inviting, invitee))
        return yield* during(invitee, accept, (yield* AccountDeletionStore).begin(holder.id, AccountDeletion.decide))
      })
    )
    expect([faultOf(created), faultOf(changed)]).toEqual([undefined, undefined])
  })

  it("an invitation, and an acceptance of another invitation to the same app without a key: no deadlock [teams-2]", async () => {
    const { changed, created, members } = await run(
      Effect.gen(function* () {
        const [holder, invitee] = [yield* Fixtures.user, yield* Fixtures.user]
        const app = yield* Fixtures.app(holder.id)
        const [first, second] = [yield* invited(app, invitee), yield* invited(app, invitee)]
        const memberId = MemberId.make(yield* Entropy.id("mbr"))
        const joins = (yield* TeamStore).update(app.id, TeamLife.accept(invitee, second.id, memberId))
        const outcomes = yield* during(invitee, acceptInvitation(invitee, "confirmed", first), joins)
        return { ...outcomes, members: (yield* (yield* AppStore).members(app.id)).length }
      })
    )
    expect([faultOf(created), faultOf(changed), members]).toEqual([undefined, undefined, 1])
  })

  it("a second app that begins before the first one is stored, and the deletion of the account: no deadlock [limits-9]", async () => {
    const { changed, created } = await run(
      Effect.gen(function* () {
        const [apps, deletions, sql] = [yield* AppStore, yield* AccountDeletionStore, yield* SqlClient]
        const owner = yield* Fixtures.user
        const draft = yield* Fixtures.app((yield* Fixtures.user).id)
        const first = { ...draft, id: AppId.make(yield* Entropy.id("app")), ownerId: owner.id }
        const [isIn, isSeen] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const earlier = yield* apps
          .create(first)
          .pipe(
            Effect.zipRight(Deferred.succeed(isIn, undefined)),
            Effect.zipRight(Deferred.await(isSeen)),
            sql.withTransaction,
            Effect.fork
          )
        yield* Deferred.await(isIn)
        const both = yield* Effect.fork(createDuring(owner, draft, deletions.begin(owner.id, AccountDeletion.decide)))
        yield* Effect.repeat(Effect.delay(lockWaits(server, sql), "20 millis"), { until: (waits) => waits > 0 })
        yield* Deferred.succeed(isSeen, undefined)
        yield* Fiber.join(earlier)
        return yield* Fiber.join(both)
      }).pipe(Effect.withClock(Clock.make()))
    )
    expect([created, faultOf(changed)]).toEqual([CREATED, undefined])
  })
})
