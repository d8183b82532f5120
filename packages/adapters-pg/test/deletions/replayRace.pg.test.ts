import { SqlClient } from "@effect/sql/SqlClient"
import { SqlAccountDeletionStore, SqlDeliveryStore, SqlMailOutbox } from "@place-access/adapters-pg"
import { AccountDeletion, AccountDeletionStore } from "@place-access/domain/deletions"
import { DeliveryStore, Replay } from "@place-access/domain/deliveries"
import { DeliveryId, Timestamp } from "@place-access/domain/shared"
import { RuleSamples, UploadSamples, WebhookFixtures } from "@place-access/domain/testing"
import { Effect, Fiber, Layer, TestClock, TestServices } from "effect"
import { expect, it } from "vitest"
import { migratedOn, withStores } from "../support/contracts.js"
import { held } from "../support/overlapping.js"
import { describeServers, lockWaits, type Server } from "../support/postgres.js"
import { UploadStores } from "../support/uploadStores.js"

/** Waits until `count` connections to this database wait for a row lock. */
const waitsForRow = (server: Server, count: number): Effect.Effect<void, unknown, SqlClient> =>
  Effect.gen(function* () {
    if ((yield* lockWaits(server, yield* SqlClient)) < count) {
      yield* TestServices.provideLive(Effect.sleep("5 millis"))
      yield* waitsForRow(server, count)
    }
  })

/** A failed delivery of a deleted person's event, whose fan-out was more than a minute ago. */
const lost = Effect.gen(function* () {
  const sql = yield* SqlClient
  const { connection, place, user } = yield* RuleSamples.sharing()
  const event = yield* UploadSamples.event(yield* RuleSamples.rule(connection, RuleSamples.onPlace(place)))
  yield* UploadSamples.commit(yield* RuleSamples.device(user.id), { events: [event] })
  const endpoint = yield* WebhookFixtures.endpoint(event.appId)
  const draft = yield* WebhookFixtures.draft(endpoint, { userId: user.id })
  const delivery = { ...draft, envelope: { ...draft.envelope, eventId: event.id } }
  yield* (yield* DeliveryStore).insert([delivery])
  yield* sql`UPDATE deliveries SET state = 'failed', fail_reason = 'exhausted', due_at = NULL, ended_at = created_at
             WHERE app_id = ${delivery.appId}`
  yield* (yield* AccountDeletionStore).begin(user.id, AccountDeletion.decide)
  yield* TestClock.adjust(2 * Timestamp.MINUTE)
  const { appId, id } = delivery
  const replayId = DeliveryId.make(`${id}-again`)
  return {
    appId,
    id,
    user,
    endpoint,
    replay: Effect.flatMap(DeliveryStore, (store) =>
      store.replay(appId, id, (state, now) => Replay.decide(state, replayId, now))
    ),
    recover: Effect.gen(function* () {
      const now = yield* Timestamp.now
      const since = Timestamp.plus(now, -Timestamp.DAY)
      const request = { appId, endpointId: endpoint.id, since, before: now, ids: [replayId], now, dueFrom: now }
      return yield* (yield* DeliveryStore).recover(request)
    }),
    left: Effect.map(sql`SELECT delivery_id FROM deliveries WHERE app_id = ${appId}`, (rows) => rows.length)
  }
})

/** Runs `statement` in a transaction that stays open. Returns an effect that commits it and waits for its end. */
const holding = (statement: Effect.Effect<unknown, unknown, SqlClient>) =>
  Effect.map(held(statement), ({ holder, release }) => Effect.zipRight(release, Fiber.join(holder)))

describeServers("a replay while the rows of the event's person are removed [deletions-3]", (server) => {
  const run = withStores(
    migratedOn(server),
    Layer.mergeAll(SqlAccountDeletionStore.layer, SqlDeliveryStore.layer, SqlMailOutbox.layer, UploadStores)
  )

  it("is removed too, when a call of removeSome waited for it", () =>
    run(
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const { appId, id, left, replay, user } = yield* lost
        const release = yield* holding(
          sql`SELECT 1 FROM deliveries WHERE app_id = ${appId} AND delivery_id = ${id} FOR UPDATE`
        )
        const replaying = yield* Effect.fork(replay)
        yield* waitsForRow(server, 1)
        const removeSome = Effect.flatMap(AccountDeletionStore, (store) =>
          Effect.flatMap(Timestamp.now, (now) => store.removeSome(user.id, now, 100))
        )
        const removing = yield* Effect.fork(removeSome)
        yield* waitsForRow(server, 2)
        yield* release
        yield* Fiber.join(replaying)
        let removed = yield* Fiber.join(removing)
        while (removed > 0) removed = yield* removeSome
        expect(yield* left).toBe(0)
      })
    ))

  it.each(["replay", "recover"] as const)("stores nothing, when the original was removed meanwhile: %s", (which) =>
    run(
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const made = yield* lost
        const { appId, endpoint, id, left } = made
        // The replay has read the original delivery and waits. Then the removal of this delivery is committed.
        const release = yield* holding(
          Effect.zipRight(
            sql`DELETE FROM deliveries WHERE app_id = ${appId} AND delivery_id = ${id}`,
            sql`SELECT 1 FROM endpoints WHERE app_id = ${appId} AND endpoint_id = ${endpoint.id}
                AND ${which === "recover"} FOR UPDATE`
          )
        )
        const replaying = yield* Effect.fork<unknown, unknown, DeliveryStore>(made[which])
        yield* waitsForRow(server, 1)
        yield* release
        yield* Fiber.join(replaying)
        expect(yield* left).toBe(0)
      })
    )
  )
})
