import { SqlClient } from "@effect/sql/SqlClient"
import { archivePlace, type Connection, ConnectionStore, sharePlaces } from "@place-access/domain/connection"
import type { Place } from "@place-access/domain/places"
import { ConnectionId, type Scope } from "@place-access/domain/shared"
import { ConnectionSamples, ConsentFlow, Fixtures, RuleSamples } from "@place-access/domain/testing"
import { Deferred, Effect, Fiber, Option } from "effect"
import { expect, it } from "vitest"
import { migratedOn, withStores } from "../support/contracts.js"
import { overlapping, waitsOrEnds } from "../support/overlapping.js"
import { describeServers } from "../support/postgres.js"
import { ConsentStores } from "../support/uploadStores.js"

const SCOPES: ReadonlyArray<Scope.Scope> = ["location.place.current", "location.places.watch"]

/**
 * A place is archived while its owner shares it with an app. Each version number of an app's places must stand for
 * exactly one set of places [places-3].
 */
describeServers("a place that is archived while it is shared", (server) => {
  const run = withStores(migratedOn(server), ConsentStores)

  const production = Effect.flatMap(Fixtures.user, ({ id }) => Fixtures.app(id, { status: "production" }))

  /** A connection that shares a place, and one that shares no place. The archiving locks them in this order. */
  const twoApps = Effect.gen(function* () {
    const heldScopes = SCOPES
    const { connection: first, place, user } = yield* RuleSamples.sharing({ heldScopes })
    const app = yield* production
    const id = ConnectionId.make(`${first.id}z`)
    const second = yield* ConnectionSamples.connection(user, app, { id, heldScopes, places: [] })
    yield* ConnectionSamples.approve(yield* ConnectionSamples.request(app), second)
    return { first, second, app, place, user }
  })

  const share = ({ id, userId }: Connection.Connection, place: Place.Place) =>
    sharePlaces(userId, id, [{ placeId: place.id, includeEarlierVisits: false }], "unchecked")

  const stored = (one: Pick<Connection.Connection, "id" | "userId">) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const found = Option.getOrThrow(yield* (yield* ConnectionStore).findOfUser(one.userId, one.id))
      const events = yield* sql<{ readonly version: number }>`
        SELECT (payload ->> 'placesVersion')::int AS version FROM events
        WHERE user_id = ${one.userId} AND connection_id = ${one.id} ORDER BY version`
      const { places, placesVersion } = found.connection
      return { shared: places.length, placesVersion, events: events.map(({ version }) => version) }
    })

  it("a connection that begins to share it while the archiving waits also gets a new version", () =>
    run(
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const { first, place, second, user } = yield* twoApps
        const [held, release] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        // A third transaction has the lock of the first connection, so the archiving waits for this lock.
        const holder = yield* sql`
          SELECT 1 FROM connections WHERE user_id = ${user.id} AND connection_id = ${first.id} FOR UPDATE`.pipe(
          Effect.zipRight(Deferred.succeed(held, undefined)),
          Effect.zipRight(Deferred.await(release)),
          sql.withTransaction,
          Effect.fork
        )
        yield* Deferred.await(held)
        const archiving = yield* Effect.fork(archivePlace(user.id, place.id))
        yield* waitsOrEnds(server, archiving)
        yield* share(second, place)
        yield* Deferred.succeed(release, undefined)
        yield* Fiber.join(holder)
        yield* Fiber.join(archiving)
        expect(yield* stored(first)).toEqual({ shared: 1, placesVersion: 2, events: [2] })
        expect(yield* stored(second)).toEqual({ shared: 1, placesVersion: 3, events: [2, 3] })
      })
    ))

  it("a choice of places that waits for the archiving is refused", () =>
    run(
      Effect.gen(function* () {
        const { place, second, user } = yield* twoApps
        const [, refusal] = yield* overlapping(
          server,
          archivePlace(user.id, place.id),
          Effect.either(share(second, place))
        )
        expect(refusal).toMatchObject({ _tag: "Left", left: { _tag: "Invalid", problems: [{ field: "places" }] } })
        expect(yield* stored(second)).toEqual({ shared: 0, placesVersion: 1, events: [] })
      })
    ))

  it("an approval that waits for the archiving is refused", () =>
    run(
      Effect.gen(function* () {
        const { place, user } = yield* twoApps
        const app = yield* production
        const approve = ConsentFlow.approve(app, user, SCOPES, { places: [place.id] })
        const [, refusal] = yield* overlapping(server, archivePlace(user.id, place.id), Effect.either(approve))
        expect(refusal).toMatchObject({ _tag: "Left", left: { _tag: "Invalid", problems: [{ field: "place" }] } })
      })
    ))

  it("an archiving that waits for the approval of one more app also raises the version of its places", () =>
    run(
      Effect.gen(function* () {
        const { place, user } = yield* twoApps
        const app = yield* production
        const approve = ConsentFlow.approve(app, user, SCOPES, { places: [place.id] })
        const [{ connectionId }] = yield* overlapping(server, approve, archivePlace(user.id, place.id))
        const made = { userId: user.id, id: connectionId }
        expect(yield* stored(made)).toEqual({ shared: 1, placesVersion: 2, events: [2] })
      })
    ))
})
