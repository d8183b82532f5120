import { SqlClient } from "@effect/sql/SqlClient"
import { SqlAccountDeletionStore, SqlImportStore, SqlMailOutbox } from "@place-access/adapters-pg"
import { ConnectionStore } from "@place-access/domain/connection"
import { AccountDeletion, AccountDeletionStore } from "@place-access/domain/deletions"
import { ImportedPlace } from "@place-access/domain/imports"
import { Place } from "@place-access/domain/places"
import { Timestamp, Vault } from "@place-access/domain/shared"
import { ImportSamples, RuleSamples } from "@place-access/domain/testing"
import { Deferred, Effect, Either, Fiber, Layer, Option, TestServices } from "effect"
import { expect, it } from "vitest"
import { migratedOn, withStores } from "../support/contracts.js"
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

describeServers("archiving a place and deleting its owner's account", (server) => {
  const run = withStores(
    migratedOn(server),
    Layer.mergeAll(SqlAccountDeletionStore.layer, SqlMailOutbox.layer, UploadStores)
  )

  it("wait for each other in one order: both end, none as a deadlock [places-3]", () =>
    run(
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const { place, user } = yield* RuleSamples.sharing()
        yield* RuleSamples.device(user.id)
        const [held, release] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        // A third transaction has the lock of the place's row. So the archiving takes its first lock and then waits for
        // the row. The deletion begins while the archiving waits.
        const holder =
          yield* sql`SELECT 1 FROM places WHERE user_id = ${user.id} AND place_id = ${place.id} FOR UPDATE`.pipe(
            Effect.zipRight(Deferred.succeed(held, undefined)),
            Effect.zipRight(Deferred.await(release)),
            sql.withTransaction,
            Effect.fork
          )
        yield* Deferred.await(held)
        const archivedAt = yield* Timestamp.now
        const archiving = yield* Effect.flatMap(ConnectionStore, (store) =>
          store.archivePlace(user.id, place.id, () => ({ outcome: "archived", archivedAt, writes: [] }))
        ).pipe(Effect.either, Effect.fork)
        yield* waitsForRow(server, 1)
        const deleting = yield* Effect.flatMap(AccountDeletionStore, (store) =>
          store.begin(user.id, AccountDeletion.decide)
        ).pipe(Effect.either, Effect.fork)
        yield* waitsForRow(server, 2)
        yield* Deferred.succeed(release, undefined)
        yield* Fiber.join(holder)
        expect(yield* Fiber.join(archiving)).toEqual(Either.right(Option.some("archived")))
        const deleted = yield* Fiber.join(deleting)
        expect(Either.isRight(deleted) && Option.exists(deleted.right, Either.isRight)).toBe(true)
      })
    ))
})

describeServers("importing an archive of this service and deleting its owner's account", (server) => {
  const run = withStores(
    migratedOn(server),
    Layer.mergeAll(SqlAccountDeletionStore.layer, SqlImportStore.layer, SqlMailOutbox.layer, UploadStores)
  )

  it("wait for each other in one order: both end, none as a deadlock [exports-9, deletions-2]", () =>
    run(
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const made = yield* ImportSamples.waiting()
        const now = yield* Timestamp.now
        const { lease } = yield* ImportSamples.claimed(made, "lease", now)
        const returned = ImportedPlace.returned(
          made.userId,
          {
            origin: "plc_home",
            label: Place.Label.make("Home"),
            kind: "home",
            createdAt: now,
            archivedAt: null,
            shapes: [{ geometryVersion: 1, validFrom: null, circle: { lat: 1, lon: 1, radiusM: 150 } }]
          },
          yield* Vault.Vault
        )
        const place = returned ?? (yield* Effect.die("no shape"))
        const [held, release] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        // A third transaction has inserted the place and not committed. So the step of the import locks the device and
        // then waits for the place. The deletion begins while the step waits.
        const holder = yield* sql`
          INSERT INTO places (user_id, place_id, label, kind, lat, lon, radius_m, geometry_version, created_at)
          VALUES (${made.userId}, ${place.place.id}, 'Home', 'home', 1, 1, 150, 1, now())`.pipe(
          Effect.zipRight(Deferred.succeed(held, undefined)),
          Effect.zipRight(Deferred.await(release)),
          Effect.zipRight(Effect.fail("rolled back")),
          sql.withTransaction,
          Effect.ignore,
          Effect.fork
        )
        yield* Deferred.await(held)
        const step = ImportSamples.step(made, lease, now, {
          places: [place],
          notices: ["weekly"]
        })
        const importing = yield* ImportSamples.advance(step).pipe(Effect.either, Effect.fork)
        yield* waitsForRow(server, 1)
        const deleting = yield* Effect.flatMap(AccountDeletionStore, (store) =>
          store.begin(made.userId, AccountDeletion.decide)
        ).pipe(Effect.either, Effect.fork)
        yield* waitsForRow(server, 2)
        yield* Deferred.succeed(release, undefined)
        yield* Fiber.join(holder)
        expect(yield* Fiber.join(importing)).toEqual(Either.right(true))
        const deleted = yield* Fiber.join(deleting)
        expect(Either.isRight(deleted) && Option.exists(deleted.right, Either.isRight)).toBe(true)
      })
    ))
})
