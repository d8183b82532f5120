import { Effect, Option } from "effect"
import type { Account } from "../../../src/accounts/Account.js"
import type { Connection } from "../../../src/connection/Connection.js"
import { type ArchiveDecision, ConnectionStore, type Sharing } from "../../../src/connection/ConnectionStore.js"
import { ConsentStore } from "../../../src/consent/ConsentStore.js"
import type { Place } from "../../../src/places/Place.js"
import { PlaceStore } from "../../../src/places/PlaceStore.js"
import type * as Rule from "../../../src/rules/Rule.js"
import { RuleStore } from "../../../src/rules/RuleStore.js"
import type { PlaceId, UserId } from "../../../src/shared/Ids.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import type { StaffStore } from "../../../src/staff/StaffStore.js"
import * as Connections from "../connection/connectionSamples.js"
import { suspend } from "../connection/suspended.js"
import * as Samples from "./ruleSamples.js"
import * as Visits from "../visits/visitSamples.js"

const archive = <A>(
  userId: UserId,
  placeId: PlaceId,
  decide: (state: Sharing, now: Timestamp.Timestamp) => ArchiveDecision<A>
) => Effect.flatMap(ConnectionStore, (store) => store.archivePlace(userId, placeId, decide))

const found = (userId: UserId, id: PlaceId) =>
  Effect.map(
    Effect.flatMap(PlaceStore, (store) => store.find(userId, id)),
    Option.getOrNull
  )

/** Another connection of the user, with another app. */
const another = (user: Account, overrides: Partial<Connection>) =>
  Effect.gen(function* () {
    const { app } = yield* Connections.pair
    const made = yield* Connections.connection(user, app, overrides)
    yield* Connections.approve(yield* Connections.request(app), made)
    return made
  })

/**
 * Archives a place at the moment at which a connection would begin to share it. `share` shares the place unless the
 * place is archived, and says whether it shared the place. Whichever of the two comes first, the other one must see its
 * result: the store must read the places, and the connections that share a place, after it got the locks.
 */
const archivedMeanwhile = <E, R, F, S>(
  begin: Effect.Effect<{ place: Place; share: Effect.Effect<Option.Option<boolean>, E, R> }, F, S>
) =>
  Effect.gen(function* () {
    for (const isArchivedFirst of [false, true, false, true]) {
      const { place, share } = yield* begin
      const archiving = archive(place.userId, place.id, ({ sharedWith }, now) => ({
        outcome: sharedWith.length === 1,
        archivedAt: now,
        writes: []
      }))
      const [seen, shared] = isArchivedFirst
        ? yield* Effect.all([archiving, share], { concurrency: "unbounded" })
        : (yield* Effect.all([share, archiving], { concurrency: "unbounded" })).toReversed()
      Check.isTrue(shared !== undefined && Option.isSome(shared), "there is something to share")
      Check.equal(seen, shared, "the archiving sees the connection, unless the connection leaves the place out")
    }
  })

const sharedNow = (place: Place) =>
  Effect.map(Timestamp.now, (sharedAt) => [{ placeId: place.id, sharedAt, includeEarlierVisits: false }])

const isThere = (place: Place, ownPlaces: ReadonlyArray<Place>) =>
  ownPlaces.some(({ archivedAt, id }) => id === place.id && archivedAt === null)

/**
 * What `ConnectionStore.archivePlace` must guarantee: it changes a place, and the connections that share the place, in
 * one transaction.
 */
export const archivePlaceContract: Contract<Visits.VisitSamplePorts | StaffStore> = [
  {
    name: "archivePlace: says of each connection whether the account of the person or of the app's developer is suspended [staff-1]",
    run: Effect.gen(function* () {
      const { app, connection, place, user } = yield* Samples.sharing()
      const sharedAt = yield* Timestamp.now
      yield* another(user, { places: [{ placeId: place.id, sharedAt, includeEarlierVisits: false }] })
      const suspended = Effect.gen(function* () {
        const seen: Array<string> = []
        yield* archive(user.id, place.id, ({ sharedWith }) => {
          seen.push(...sharedWith.flatMap((one) => (one.isSuspended === true ? [one.connection.id] : [])))
          return { outcome: "seen", archivedAt: null, writes: [] }
        })
        return seen.length === 2 ? "both" : seen
      })
      Check.equal(yield* suspended, [], "before any suspension")
      yield* yield* suspend(app.ownerId)
      Check.equal(yield* suspended, [], "after a suspension")
      yield* Effect.asVoid(suspend(app.ownerId))
      Check.equal(yield* suspended, [connection.id], "while the developer is suspended")
      yield* Effect.asVoid(suspend(user.id))
      Check.equal(yield* suspended, "both", "while the person is suspended")
    })
  },
  {
    name: "archivePlace: decides over the place and the connections that share it and have not ended, by id",
    run: Effect.gen(function* () {
      const { connection, place, user } = yield* Samples.sharing()
      const sharedAt = yield* Timestamp.now
      const sharing = { places: [{ placeId: place.id, sharedAt, includeEarlierVisits: false }] }
      const other = yield* another(user, sharing)
      yield* another(user, {})
      yield* another(user, { ...sharing, endedAt: sharedAt, endReason: "expired" })
      yield* Samples.sharing()
      const seen: Array<Sharing> = []
      yield* archive(user.id, place.id, (state) => {
        seen.push(state)
        return { outcome: "seen", archivedAt: null, writes: [] }
      })
      Check.equal(
        seen.map((state) => [state.place, state.sharedWith.map((one) => one.connection.id)]),
        [[place, [connection.id, other.id].sort()]],
        "what was decided over"
      )
      Check.equal(yield* found(user.id, place.id), place, "the place")
    })
  },
  {
    name: "archivePlace: stores the place and what is written to its connections; rules on it are disabled since then",
    run: Effect.gen(function* () {
      const { connection, place, user } = yield* Samples.sharing()
      yield* Samples.rule(connection, Samples.onPlace(place))
      yield* Samples.rule(connection, Samples.ZONE)
      const phone = yield* Samples.device(user.id)
      const { version } = yield* Visits.view(phone)
      const { places, placesVersion } = connection
      const outcome = yield* archive(user.id, place.id, ({ sharedWith }, now) => ({
        outcome: "archived",
        archivedAt: now,
        writes: sharedWith.map(({ connection: { id } }) => ({
          id,
          writes: [{ _tag: "SetPlaces", places, placesVersion: placesVersion + 1 }]
        }))
      }))
      const now = yield* Timestamp.now
      Check.equal(Option.getOrNull(outcome), "archived", "outcome")
      Check.equal(yield* found(user.id, place.id), { ...place, archivedAt: now }, "the place")
      const after = Option.getOrNull(yield* (yield* ConnectionStore).findOfUser(user.id, connection.id))
      Check.equal(after?.connection, { ...connection, placesVersion: placesVersion + 1 }, "the connection")
      const disabledAt = (kind: Rule.RuleTarget["_tag"]) =>
        Effect.gen(function* () {
          const { items } = yield* (yield* RuleStore).list(user.id, connection.id, kind, 10, undefined)
          return items.map((rule) => rule.disabledAt)
        })
      Check.equal(yield* disabledAt("Place"), [now], "the place's rule")
      Check.equal(yield* disabledAt("Zone"), [null], "a zone's")
      const seen = yield* Visits.view(phone)
      Check.isTrue(seen.version > version, "uploads evaluate anew")
      Check.equal(seen.progress.dueFrom, now, "stays are due")
    })
  },
  {
    name: "archivePlace, decideRequest: a place archived during an approval is not shared, or the archiving sees the connection [places-3]",
    run: archivedMeanwhile(
      Effect.gen(function* () {
        const { app, user } = yield* Connections.pair
        const place = yield* Samples.place(user.id)
        const { id } = yield* Connections.request(app)
        const connection = yield* Connections.connection(user, app)
        const code = yield* Connections.codeFor(connection)
        const places = yield* sharedNow(place)
        const share = (yield* ConsentStore).decideRequest(id, user.id, ({ ownPlaces }) => {
          const isShared = isThere(place, ownPlaces)
          const made = isShared ? { ...connection, places } : connection
          const approval = { connection: made, code, expired: null }
          return { outcome: isShared, decided: Connections.approvedBy(made), approval }
        })
        return { place, share }
      })
    )
  },
  {
    name: "archivePlace, change: a place archived during a change is not shared, or the archiving sees the connection [places-3]",
    run: archivedMeanwhile(
      Effect.gen(function* () {
        const { connection, place } = yield* Samples.sharing({ places: [] })
        const places = yield* sharedNow(place)
        const share = (yield* ConnectionStore).change(connection.id, ({ ownPlaces }) => {
          const isShared = isThere(place, ownPlaces)
          return { outcome: isShared, writes: isShared ? [{ _tag: "SetPlaces", places, placesVersion: 2 }] : [] }
        })
        return { place, share }
      })
    )
  },
  {
    name: "archivePlace: none for another user's place, which stays as it is",
    run: Effect.gen(function* () {
      const { place, user } = yield* Samples.sharing()
      const other = yield* Visits.aUser
      const outcome = yield* archive(other, place.id, (_, now) => ({
        outcome: "archived",
        archivedAt: now,
        writes: []
      }))
      Check.isTrue(Option.isNone(outcome), "none")
      Check.equal(yield* found(user.id, place.id), place, "the place")
    })
  }
]
