import { SqlClient } from "@effect/sql/SqlClient"
import { SqlAccountStore, SqlAppStore, SqlAuditLog, SqlMailOutbox, SqlTeamStore } from "@place-access/adapters-pg"
import { type App, AppStore } from "@place-access/domain/apps"
import { AccountLimits } from "@place-access/domain/quotas"
import { AppId, Entropy, InvitationId, MemberId } from "@place-access/domain/shared"
import { TeamLife, TeamStore } from "@place-access/domain/teams"
import { Fixtures } from "@place-access/domain/testing"
import { Clock, Deferred, Effect, Either, Layer, Option } from "effect"
import { expect, it } from "vitest"
import { migratedOn, withStores } from "../support/contracts.js"
import { describeServers } from "../support/postgres.js"

const stores = Layer.mergeAll(SqlAccountStore.layer, SqlAppStore.layer, SqlAuditLog.layer)

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
        // The first creation is not committed for a while: without a lock the second would not see it.
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
    expect(outcomes).toEqual([true, false])
  })
})

const teams = Layer.mergeAll(stores, SqlTeamStore.layer, SqlMailOutbox.layer)

describeServers("changes of one team that overlap", (server) => {
  const run = withStores(migratedOn(server), teams)

  /** How many of the outcomes changed the team. */
  const changed = (outcomes: ReadonlyArray<Option.Option<TeamLife.TeamOutcome<unknown>>>): number =>
    outcomes.filter((one) => Option.exists(one, Either.isRight)).length

  it("no more invitations are open, and no more people join, than a team may have [limits-9]", async () => {
    const told = await run(
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
    expect(told).toEqual({
      open: Math.min(AccountLimits.INVITATIONS.most, AccountLimits.MEMBERS.most + 3),
      joined: Math.min(AccountLimits.INVITATIONS.most, AccountLimits.MEMBERS.most - 1)
    })
  })
})
