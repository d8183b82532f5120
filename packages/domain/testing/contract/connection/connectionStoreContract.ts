import { Effect, Exit, Option, TestClock } from "effect"
import { ConnectionStore, type WithApp } from "../../../src/connection/ConnectionStore.js"
import * as ConsentEntry from "../../../src/connection/ConsentEntry.js"
import type { PlaceStore } from "../../../src/places/PlaceStore.js"
import * as Entropy from "../../../src/shared/Entropy.js"
import { ConnectionId } from "../../../src/shared/Ids.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import { TokenStore } from "../../../src/tokens/TokenStore.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import * as Fixtures from "../../fixtures.js"
import * as Samples from "./connectionSamples.js"
import { type SuspensionPorts, suspendedConnections } from "./suspended.js"

/**
 * What every `ConnectionStore` must guarantee about changes, which lock the connection, about look-ups of connections,
 * and about lists.
 */
export const connectionStoreContract: Contract<SuspensionPorts | PlaceStore> = [
  ...suspendedConnections,
  {
    name: "change: none for an unknown connection, and nothing is asked",
    run: Effect.gen(function* () {
      const id = ConnectionId.make(yield* Entropy.id("con"))
      const outcome = yield* (yield* ConnectionStore).change(id, () => Check.fail("nothing is there to decide about"))
      Check.equal(outcome, Option.none(), "none")
    })
  },
  {
    name: "change: sees the connection with its app and the user's places, archived ones too, and writes what was decided",
    run: Effect.gen(function* () {
      const { app, connection, user } = yield* Samples.connected()
      const ownPlaces = yield* Samples.onePlaceArchived(user.id)
      const store = yield* ConnectionStore
      const outcome = yield* store.change(connection.id, (state) => ({
        outcome: state,
        writes: [{ _tag: "SetPlaces", places: [], placesVersion: connection.placesVersion + 1 }]
      }))
      Check.equal(Option.map(outcome, Samples.byPlace), Option.some({ connection, app, ownPlaces }), "seen")
      const after = yield* Samples.read(connection)
      Check.equal(after, { ...connection, places: [], placesVersion: connection.placesVersion + 1 }, "written")
    })
  },
  {
    name: "change: changes of one connection queue up, also with those of its tokens, and none is lost",
    run: Effect.gen(function* () {
      const { connection } = yield* Samples.connected()
      const store = yield* ConnectionStore
      const tokens = yield* TokenStore
      const step = ({ connection: before }: WithApp) => ({
        outcome: undefined,
        writes: [{ _tag: "SetPlaces", places: before.places, placesVersion: before.placesVersion + 1 } as const]
      })
      yield* Effect.all(
        Array.from({ length: 10 }, (_, index) =>
          index % 2 === 0 ? store.change(connection.id, step) : tokens.change(connection.id, {}, step)
        ),
        { concurrency: "unbounded" }
      )
      Check.equal((yield* Samples.read(connection)).placesVersion, connection.placesVersion + 10, "ten steps")
    })
  },
  {
    name: "change: a defect while deciding changes nothing and frees the connection",
    run: Effect.gen(function* () {
      const { connection } = yield* Samples.connected()
      const store = yield* ConnectionStore
      const defect = yield* Effect.exit(store.change(connection.id, () => Check.fail("planned")))
      Check.isTrue(Exit.isFailure(defect), "it is not swallowed")
      Check.equal(yield* store.change(connection.id, () => ({ outcome: 1, writes: [] })), Option.some(1), "free")
      Check.equal(yield* Samples.read(connection), connection, "as it was")
    })
  },
  {
    name: "change: steering writes the end, the pause, the agreed scopes and the history, newest first",
    run: Effect.gen(function* () {
      const from = yield* Timestamp.now
      const places = [yield* Samples.place(from), yield* Samples.place(from, true)]
      const { connection } = yield* Samples.connected({
        heldScopes: ["location.place.current", "location.lookup"],
        // Stores return the places ordered by id.
        places: places.sort((a, b) => (a.placeId < b.placeId ? -1 : 1))
      })
      const stranger = yield* Fixtures.user
      const store = yield* ConnectionStore
      const paused = { ...connection, pause: { from, until: null }, standardExpiresAt: null }
      const left = { ...paused, heldScopes: ["location.place.current"] as const, sensitiveExpiresAt: null }
      const ended = ConsentEntry.of("exact_location_ended", left, from)
      const entries = [
        ConsentEntry.of("paused", paused, from),
        // An older version of the service stored entries like this one. Its `earlierVisits` is null, because that
        // version did not store the field.
        { ...ended, agreement: { ...ended.agreement, earlierVisits: null } }
      ]
      yield* Samples.change(
        connection.id,
        { _tag: "SetEnd", standardExpiresAt: null },
        { _tag: "SetPause", pause: paused.pause },
        ...entries.map((entry) => ({ _tag: "Record", entry }) as const),
        { _tag: "SetScopes", heldScopes: left.heldScopes, sensitiveExpiresAt: null }
      )
      Check.equal(yield* Samples.read(connection), left, "the agreed scopes stay")
      Check.equal(yield* store.history(connection.userId, connection.id, 9), entries.toReversed(), "newest first")
      Check.equal(yield* store.history(connection.userId, connection.id, 1), entries.slice(1), "limited")
      Check.equal(yield* store.history(stranger.id, connection.id, 9), [], "another user")
      yield* Samples.change(
        connection.id,
        { _tag: "SetPause", pause: null },
        {
          _tag: "SetScopes",
          heldScopes: left.heldScopes,
          sensitiveExpiresAt: null,
          agreedScopes: left.heldScopes
        }
      )
      Check.equal(yield* Samples.read(connection), { ...left, pause: null, agreedScopes: left.heldScopes }, "forgotten")
    })
  },
  {
    name: "findLive: none when there is none, when it has ended, and for another user or app",
    run: Effect.gen(function* () {
      const store = yield* ConnectionStore
      const { app, connection, user } = yield* Samples.connected()
      const other = yield* Samples.pair
      Check.equal(yield* store.findLive(other.user.id, app.id), Option.none(), "another user")
      Check.equal(yield* store.findLive(user.id, other.app.id), Option.none(), "another app")
      yield* Samples.change(connection.id, { _tag: "End", reason: "admin_revoked", at: yield* Timestamp.now })
      Check.equal(yield* store.findLive(user.id, app.id), Option.none(), "ended")
    })
  },
  {
    name: "findOfUser: none for an unknown connection and for another user's",
    run: Effect.gen(function* () {
      const store = yield* ConnectionStore
      const { connection } = yield* Samples.connected()
      const stranger = yield* Fixtures.user
      const unknown = ConnectionId.make(yield* Entropy.id("con"))
      Check.equal(yield* store.findOfUser(stranger.id, connection.id), Option.none(), "another user's")
      Check.equal(yield* store.findOfUser(connection.userId, unknown), Option.none(), "unknown")
    })
  },
  {
    name: "listOfUser: newest first, ended ones included, nobody else's",
    run: Effect.gen(function* () {
      const store = yield* ConnectionStore
      const { connection: oldest, user } = yield* Samples.connected()
      yield* Samples.connected()
      yield* Samples.change(oldest.id, { _tag: "End", reason: "user_disconnected", at: yield* Timestamp.now })
      yield* TestClock.adjust("1 second")
      const app = yield* Fixtures.app(user.id)
      const newest = yield* Samples.connection(user, app)
      yield* Samples.approve(yield* Samples.request(app), newest)
      const listed = yield* store.listOfUser(user.id)
      Check.equal(
        listed.map((one) => one.connection.id),
        [newest.id, oldest.id],
        "order"
      )
      Check.equal(listed[0], { connection: newest, app }, "whole")
    })
  },
  {
    name: "findOfApp: a connection of the app, ended or not; none of another app's and of an id that is not there",
    run: Effect.gen(function* () {
      const store = yield* ConnectionStore
      const { app, connection } = yield* Samples.connected()
      const other = yield* Samples.connected()
      Check.equal(yield* store.findOfApp(app.id, connection.id), Option.some({ connection, app }), "the app's")
      Check.isTrue(Option.isNone(yield* store.findOfApp(other.app.id, connection.id)), "another app's")
      Check.isTrue(Option.isNone(yield* store.findOfApp(app.id, ConnectionId.make("con_none"))), "not there")
      yield* Samples.change(connection.id, { _tag: "End", reason: "user_disconnected", at: yield* Timestamp.now })
      const ended = yield* store.findOfApp(app.id, connection.id)
      Check.isTrue(Option.isSome(ended) && ended.value.connection.endedAt !== null, "ended")
    })
  },
  {
    name: "listOfApp: newest first, equal times by id, every one on exactly one page",
    run: Effect.gen(function* () {
      const store = yield* ConnectionStore
      const app = yield* Fixtures.app((yield* Fixtures.user).id)
      yield* Samples.connected()
      const made: Array<{ readonly at: number; readonly id: string }> = []
      for (const pause of [0, 0, 1, 0, 5]) {
        yield* TestClock.adjust(pause)
        const connection = yield* Samples.connection(yield* Fixtures.user, app)
        yield* Samples.approve(yield* Samples.request(app), connection)
        made.push({ at: connection.connectedAt, id: connection.id })
      }
      const expected = made.sort((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1)).map(({ id }) => id)
      const paged: Array<string> = []
      let after: ReadonlyArray<string | number> | undefined
      for (let page = 0; page < 5; page++) {
        const { items, next } = yield* store.listOfApp(app.id, 2, after)
        paged.push(...items.map(({ id }) => id))
        after = next
        if (next === undefined) break
      }
      Check.equal(paged, expected, "pages of two")
      Check.equal((yield* store.listOfApp(app.id, 5, undefined)).next, undefined, "a full last page says so")
    })
  }
]
