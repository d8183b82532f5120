import { SqlClient } from "@effect/sql/SqlClient"
import {
  SqlAccountDeletionStore,
  SqlAccountStore,
  SqlAppStore,
  SqlAuditLog,
  SqlMailOutbox,
  SqlPurposeStore,
  SqlRetentionStore,
  SqlStaffStore,
  SqlTeamStore
} from "@place-access/adapters-pg"
import { lockAdmins } from "@place-access/adapters-pg/accounts/adminLock"
import { type App, AppStore } from "@place-access/domain/apps"
import { AuditEvent } from "@place-access/domain/audit"
import { AccountDeletion, AccountDeletionStore } from "@place-access/domain/deletions"
import { PurposeStore } from "@place-access/domain/purposes"
import { AccountLimits } from "@place-access/domain/quotas"
import { AppId, Entropy, InvitationId, MemberId, Timestamp } from "@place-access/domain/shared"
import { AccountChange, StaffStore } from "@place-access/domain/staff"
import { RetentionStore } from "@place-access/domain/sweeps"
import { TeamLife, TeamStore } from "@place-access/domain/teams"
import { Fixtures } from "@place-access/domain/testing"
import { Clock, Deferred, Effect, Either, Layer, Option } from "effect"
import { expect, it } from "vitest"
import { migratedOn, POOL, withStores } from "../support/contracts.js"
import { describeServers } from "../support/postgres.js"

const stores = Layer.mergeAll(SqlAccountStore.layer, SqlAppStore.layer, SqlAuditLog.layer, SqlPurposeStore.layer)

describeServers("creations of apps that overlap, under the real clock", (server) => {
  const run = withStores(migratedOn(server), stores)

  it("at 49 of 50 apps, the second of two creations waits for the first, and finds no room [limits-9]", async () => {
    const outcomes = await run(
      Effect.gen(function* () {
        const [apps, sql] = [yield* AppStore, yield* SqlClient]
        const owner = yield* Fixtures.user
        const first = yield* Fixtures.app(owner.id)
        for (let made = 1; made < AccountLimits.APPS.most - 1; made++) yield* Fixtures.app(owner.id)
        const draft = Effect.map(Entropy.id("app"), (id): App.App => ({ ...first, id: AppId.make(id) }))
        const [one, other] = [yield* draft, yield* draft]
        const isMade = yield* Deferred.make<void>()
        // The first creation inserts its app and commits half a second later. Without a lock, the second creation would
        // not count the app of the first one, and the owner would get one app too many.
        const slow = sql.withTransaction(
          apps.create(one).pipe(
            Effect.tap(() => Deferred.succeed(isMade, undefined)),
            Effect.tap(() => Effect.sleep("500 millis"))
          )
        )
        const late = Effect.zipRight(Deferred.await(isMade), apps.create(other))
        return yield* Effect.all([slow, late], { concurrency: "unbounded" })
      }).pipe(Effect.withClock(Clock.make()))
    )
    expect(outcomes).toEqual(["Made", "Full"])
  })
})

describeServers("purposes of several apps that are added and changed at the same time", (server) => {
  const run = withStores(migratedOn(server), stores)

  it("nobody meets a deadlock [purposes-1]", async () => {
    const failures = await run(
      Effect.gen(function* () {
        const purposes = yield* PurposeStore
        const prepared = Effect.gen(function* () {
          const app = yield* Fixtures.app((yield* Fixtures.user).id)
          return { app, old: yield* Fixtures.purpose(app.id, "old") }
        })
        const apps = yield* Effect.replicateEffect(prepared, 20)
        const both = apps.flatMap(({ app, old }) => [
          Effect.asVoid(Fixtures.purpose(app.id, "new")),
          Effect.asVoid(purposes.update(old.id, (after) => ({ outcome: 0, after })))
        ])
        const outcomes = yield* Effect.all(both.map(Effect.either), { concurrency: POOL })
        return outcomes.filter(Either.isLeft).map(({ left }) => String(left.cause))
      }).pipe(Effect.withClock(Clock.make()))
    )
    expect(failures).toEqual([])
  })
})

const teams = Layer.mergeAll(
  stores,
  SqlRetentionStore.layer,
  SqlAccountDeletionStore.layer,
  SqlMailOutbox.layer,
  SqlStaffStore.layer,
  SqlTeamStore.layer
)

describeServers("changes of one team that overlap", (server) => {
  const run = withStores(migratedOn(server), teams)

  /** How many of the outcomes changed the team. */
  const changed = (outcomes: ReadonlyArray<Option.Option<TeamLife.TeamOutcome<unknown>>>): number =>
    outcomes.filter((one) => Option.exists(one, Either.isRight)).length

  it("no more invitations are open, and no more people join, than a team may have [limits-9]", async () => {
    const counts = await run(
      Effect.gen(function* () {
        const store = yield* TeamStore
        const holder = yield* Fixtures.user
        const app = yield* Fixtures.app(holder.id)
        const atOnce = { concurrency: 8 } as const
        const people = yield* Effect.replicateEffect(Fixtures.user, AccountLimits.MEMBERS.most + 3)
        const invite = (invitee: (typeof people)[number]) =>
          Effect.gen(function* () {
            const id = InvitationId.make(yield* Entropy.id("inv"))
            const outcome = yield* store.update(
              app.id,
              TeamLife.invite(holder, { id, email: invitee.email, role: "viewer", invitee })
            )
            return { id, invitee, outcome }
          })
        const invited = yield* Effect.forEach(people, invite, atOnce)
        const open = changed(invited.map(({ outcome }) => outcome))
        const accept = ({ id, invitee }: (typeof invited)[number]) =>
          Effect.flatMap(Entropy.id("mbr"), (member) =>
            store.update(app.id, TeamLife.accept(invitee, id, MemberId.make(member)))
          )
        const joined = changed(yield* Effect.forEach(invited, accept, atOnce))
        return { open, joined }
      })
    )
    expect(counts).toEqual({
      open: Math.min(AccountLimits.INVITATIONS.most, AccountLimits.MEMBERS.most + 3),
      joined: Math.min(AccountLimits.INVITATIONS.most, AccountLimits.MEMBERS.most - 1)
    })
  })

  it("invitations that are withdrawn, and a sweep of old ones: nobody meets a deadlock [teams-2]", async () => {
    const failures = await run(
      Effect.gen(function* () {
        const [retention, store] = [yield* RetentionStore, yield* TeamStore]
        const invited = Effect.gen(function* () {
          const [holder, invitee] = [yield* Fixtures.user, yield* Fixtures.user]
          const app = yield* Fixtures.app(holder.id)
          const invite = Effect.gen(function* () {
            const id = InvitationId.make(yield* Entropy.id("inv"))
            const invitation = { id, email: invitee.email, role: "viewer", invitee } as const
            yield* store.update(app.id, TeamLife.invite(holder, invitation))
            return store.update(app.id, TeamLife.withdraw(holder.id, id))
          })
          return yield* invite
        })
        const withdrawals = yield* Effect.replicateEffect(invited, 20)
        const now = yield* Timestamp.now
        const both = withdrawals.flatMap((withdraw) => [
          Effect.asVoid(withdraw),
          Effect.asVoid(retention.remove("app_invitations", now, 2))
        ])
        const outcomes = yield* Effect.all(both.map(Effect.either), { concurrency: POOL })
        return outcomes.filter(Either.isLeft).map(({ left }) => String(left.cause))
      }).pipe(Effect.withClock(Clock.make()))
    )
    expect(failures).toEqual([])
  })

  /**
   * Makes an app and one of its owners, who is also an admin, and the hand-over of the app from its holder to that
   * owner.
   */
  const stage = Effect.gen(function* () {
    const [sql, store] = [yield* SqlClient, yield* TeamStore]
    const [holder, owner, other] = [yield* Fixtures.user, yield* Fixtures.user, yield* Fixtures.user]
    const app = yield* Fixtures.app(holder.id)
    const [memberId, stays] = [MemberId.make(yield* Entropy.id("mbr")), MemberId.make(yield* Entropy.id("mbr"))]
    yield* sql`INSERT INTO app_members (app_id, member_id, user_id, role, since)
               VALUES (${app.id}, ${memberId}, ${owner.id}, 'owner', now())`
    yield* sql`UPDATE accounts SET roles = '{admin}' WHERE user_id IN (${owner.id}, ${other.id})`
    const handOver = store
      .update(app.id, TeamLife.handOver(holder.id, memberId, stays), memberId)
      .pipe(Effect.map(Option.map((one) => (Either.isLeft(one) ? one.left._tag : "handed over"))))
    return { app, holder, owner, handOver }
  })

  /**
   * Runs `change`, which removes an admin, and then `next`. Another transaction has the lock of `lockAdmins`, so
   * `change` stops after it has locked the account. `next` begins while `change` waits, so both run at the same time.
   */
  const changeFirst = <A, E, R, B, E2, R2>(change: Effect.Effect<A, E, R>, next: Effect.Effect<B, E2, R2>) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const isLocked = yield* Deferred.make<void>()
      const begun = yield* Deferred.make<void>()
      const blocker = sql.withTransaction(
        Effect.gen(function* () {
          yield* lockAdmins(sql)
          yield* Deferred.succeed(isLocked, undefined)
          yield* Effect.repeat(isBlocked(sql), { until: (isWaiting) => isWaiting })
          yield* Deferred.succeed(begun, undefined)
          yield* Effect.sleep("300 millis")
        })
      )
      const [, changed, followed] = yield* Effect.all(
        [blocker, Effect.zipRight(Deferred.await(isLocked), change), Effect.zipRight(Deferred.await(begun), next)],
        { concurrency: "unbounded" }
      )
      return [changed, followed] as const
    }).pipe(Effect.withClock(Clock.make()))

  it("a hand-over to a member whose account is being deleted finds no such member afterwards [teams-3]", async () => {
    const [deleted, handed] = await run(
      Effect.gen(function* () {
        const { handOver, owner } = yield* stage
        return yield* changeFirst((yield* AccountDeletionStore).begin(owner.id, AccountDeletion.decide), handOver)
      })
    )
    expect([Option.exists(deleted, Either.isRight), handed]).toEqual([true, Option.some("NotFound")])
  })

  it("an account that is being deleted creates no app and joins no team afterwards [deletions-2]", async () => {
    const outcomes = await run(
      Effect.gen(function* () {
        const [apps, deletions, store] = [yield* AppStore, yield* AccountDeletionStore, yield* TeamStore]
        const later = Effect.gen(function* () {
          const { owner } = yield* stage
          const holder = yield* Fixtures.user
          const other = yield* Fixtures.app(holder.id)
          const id = InvitationId.make(yield* Entropy.id("inv"))
          yield* store.update(
            other.id,
            TeamLife.invite(holder, { id, email: owner.email, role: "viewer", invitee: owner })
          )
          const draft: App.App = { ...other, id: AppId.make(yield* Entropy.id("app")), ownerId: owner.id }
          const memberId = MemberId.make(yield* Entropy.id("mbr"))
          const begin = deletions.begin(owner.id, AccountDeletion.decide)
          return {
            begin,
            create: apps.create(draft),
            join: store.update(other.id, TeamLife.accept(owner, id, memberId))
          }
        })
        const [one, two] = [yield* later, yield* later]
        const [, created] = yield* changeFirst(one.begin, one.create)
        const [, joined] = yield* changeFirst(two.begin, two.join)
        return [created, Option.map(joined, Either.isRight)]
      })
    )
    expect(outcomes[0]).toBe("NoOwner")
    // The join may fail in two ways. None: the account was deleted when the join inserted the member. False: on a
    // cluster, the join waits for the lock of the app, and then finds that the deletion has deleted the invitation.
    expect([Option.none(), Option.some(false)]).toContainEqual(outcomes[1])
  })

  it("a hand-over to a member who is being suspended is refused afterwards [teams-3]", async () => {
    const [suspended, handed] = await run(
      Effect.gen(function* () {
        const { handOver, owner } = yield* stage
        return yield* changeFirst(
          (yield* StaffStore).change(owner.id, AccountChange.suspend(AuditEvent.OPERATOR)),
          handOver
        )
      })
    )
    expect([Option.exists(suspended, Either.isRight), handed]).toEqual([true, Option.some("Conflict")])
  })

  it("both owners of an app delete their accounts at the same time: the app is revoked [teams-4]", async () => {
    const outcome = await run(
      Effect.gen(function* () {
        const deletions = yield* AccountDeletionStore
        const { app, holder, owner } = yield* stage
        const outcomes = yield* changeFirst(
          deletions.begin(owner.id, AccountDeletion.decide),
          deletions.begin(holder.id, AccountDeletion.decide)
        )
        return {
          deleted: outcomes.map((one) => Option.exists(one, Either.isRight)),
          app: yield* (yield* AppStore).find(app.id)
        }
      })
    )
    expect(outcome.deleted).toEqual([true, true])
    expect(outcome.app).toMatchObject(
      Option.some({ ownerId: AccountDeletion.NOBODY.id, revokedAt: expect.any(Number) as number })
    )
  })

  it("an owner who is being suspended does not inherit an app that is not paused [teams-4]", async () => {
    const outcome = await run(
      Effect.gen(function* () {
        const { app, holder, owner } = yield* stage
        const [suspended, deleted] = yield* changeFirst(
          (yield* StaffStore).change(owner.id, AccountChange.suspend(AuditEvent.OPERATOR)),
          (yield* AccountDeletionStore).begin(holder.id, AccountDeletion.decide)
        )
        const done = [Option.exists(suspended, Either.isRight), Option.exists(deleted, Either.isRight)]
        return { done, app: yield* (yield* AppStore).find(app.id) }
      })
    )
    expect(outcome.done).toEqual([true, true])
    expect(outcome.app).toMatchObject(Option.some({ ownerId: AccountDeletion.NOBODY.id }))
  })
})

/** Whether a transaction waits for the advisory lock of `lockAdmins`. Advisory locks that Citus takes do not count. */
const isBlocked = (sql: SqlClient) =>
  Effect.map(
    sql`SELECT 1 FROM pg_locks waiting JOIN pg_locks held USING (locktype, database, classid, objid, objsubid)
        WHERE waiting.locktype = 'advisory' AND NOT waiting.granted AND held.granted AND held.pid = pg_backend_pid()`,
    (rows) => rows.length > 0
  )
