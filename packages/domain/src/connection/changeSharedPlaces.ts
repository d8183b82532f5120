import { Effect, Option } from "effect"
import { WorkSignal } from "../events/WorkSignal.js"
import {
  Conflict,
  Entropy,
  Invalid,
  isOutdatedForm,
  NotFound,
  OUTDATED_FORM,
  program,
  type ShownState
} from "../shared/index.js"
import { type ConnectionId, EventId, type PlaceId, type UserId } from "../shared/Ids.js"
import type { Timestamp } from "../shared/Timestamp.js"
import {
  type ArchiveDecision,
  ConnectionStore,
  type ConnectionDecision,
  type LockedConnection,
  type Sharing,
  type Write
} from "./ConnectionStore.js"
import * as ConsentEntry from "./ConsentEntry.js"
import * as Ending from "./Ending.js"
import * as PlacesNotice from "./PlacesNotice.js"
import { getConnection } from "./readConnections.js"
import * as SharedPlaces from "./SharedPlaces.js"

type Outcome = "shared" | "not_found" | "ended" | "refused" | "outdated"

/**
 * Replaces the set of places that the app may ask about (`SharedPlaces.replace`). `shown`: the places that the form
 * showed as shared, archived ones included, and for which of them earlier visits are shared.
 *
 * Fails with:
 * - `NotFound` when the user has no such connection
 * - `Invalid` on `places` for a place that is not the user's, and for an archived place that is not shared yet
 * - `Conflict` when the connection has ended
 * - `Conflict` with `OUTDATED_FORM` when the connection no longer has the state in `shown`, and the choice would change
 *   something (decision connection-10)
 */
export const sharePlaces = program(
  "sharePlaces",
  function* (
    userId: UserId,
    id: ConnectionId,
    chosen: ReadonlyArray<SharedPlaces.ChosenPlaces>,
    shown: ShownState<ReadonlyArray<SharedPlaces.ChosenPlaces>>
  ) {
    const eventId = EventId.make(yield* Entropy.id("evt"))
    const outcome = yield* (yield* ConnectionStore).change(id, (state, now) =>
      decide({ userId, chosen, shown, eventId }, state, now)
    )
    switch (Option.getOrElse(outcome, (): Outcome => "not_found")) {
      case "not_found":
        return yield* new NotFound({ what: "connection" })
      case "ended":
        return yield* new Conflict({ reason: "the connection has ended" })
      case "outdated":
        return yield* new Conflict({ reason: OUTDATED_FORM })
      case "refused":
        return yield* Invalid.of("places", "must name only places of yours that are not archived")
      case "shared":
        yield* (yield* WorkSignal).raise
        return yield* getConnection(userId, id)
    }
  }
)

interface Input {
  readonly userId: UserId
  readonly chosen: ReadonlyArray<SharedPlaces.ChosenPlaces>
  readonly shown: ShownState<ReadonlyArray<SharedPlaces.ChosenPlaces>>
  readonly eventId: EventId
}

const decide = (
  { chosen, eventId, shown, userId }: Input,
  { app, connection, ownPlaces: own }: LockedConnection,
  now: Timestamp
): ConnectionDecision<Outcome> => {
  if (connection.userId !== userId) return { outcome: "not_found", writes: [] }
  const over = Ending.ifOver(connection, app, now)
  if (connection.endedAt !== null || over.length > 0) return { outcome: "ended", writes: over }
  if (SharedPlaces.refused(chosen, own, connection.places).length > 0) return { outcome: "refused", writes: [] }
  const after = SharedPlaces.replace(connection, chosen, own, now)
  const isPresent = (places: ReadonlyArray<SharedPlaces.ChosenPlaces>) => SharedPlaces.same(places, connection.places)
  if (isOutdatedForm(isPresent, shown, after.places)) {
    return { outcome: "outdated", writes: [] }
  }
  const events = PlacesNotice.events(connection, { app, connection: { ...connection, ...after } }, eventId, now)
  return {
    outcome: "shared",
    writes: [
      { _tag: "SetPlaces", ...after },
      ...(SharedPlaces.same(connection.places, after.places)
        ? []
        : [{ _tag: "Record", entry: ConsentEntry.of("places_changed", { ...connection, ...after }, now) } as const]),
      ...events.map((event): Write => ({ _tag: "Emit", event }))
    ]
  }
}

/**
 * Archives a place. From then on no fix counts as being at this place, but past visits keep its label (Spec §4.5.5). In
 * each live connection that shares the place, `placesVersion` grows, and an app that may watch places gets a
 * `places.changed` event. Idempotent. Fails with `NotFound` when the user has no such place.
 */
export const archivePlace = program("archivePlace", function* (userId: UserId, id: PlaceId) {
  const connections = yield* ConnectionStore
  let outcome: Option.Option<ArchiveOutcome>
  do {
    const eventIds = yield* freshEventIds(userId)
    outcome = yield* connections.archivePlace(userId, id, (state, now) => decideArchive(eventIds, state, now))
  } while (Option.contains(outcome, "retry"))
  if (Option.isNone(outcome)) return yield* new NotFound({ what: "place" })
  // A worker sends the `places.changed` events, if there are any. Without this signal the worker would find them later.
  yield* (yield* WorkSignal).raise
})

/**
 * "retry": after `freshEventIds` made an event id for each connection, the user made a new connection that shares the
 * place. The new connection has no event id, so `archivePlace` tries again with new ids.
 */
type ArchiveOutcome = "archived" | "retry"

const freshEventIds = (userId: UserId) =>
  Effect.gen(function* () {
    const all = yield* (yield* ConnectionStore).listOfUser(userId)
    const ids = yield* Effect.forEach(
      all.filter(({ connection }) => connection.endedAt === null),
      ({ connection }) => Effect.map(Entropy.id("evt"), (text) => [connection.id, EventId.make(text)] as const)
    )
    return new Map(ids)
  })

const decideArchive = (
  eventIds: ReadonlyMap<ConnectionId, EventId>,
  { place, sharedWith }: Sharing,
  now: Timestamp
): ArchiveDecision<ArchiveOutcome> => {
  if (place.archivedAt !== null) return { outcome: "archived", archivedAt: place.archivedAt, writes: [] }
  if (sharedWith.some(({ connection }) => !eventIds.has(connection.id))) {
    return { outcome: "retry", archivedAt: null, writes: [] }
  }
  return {
    outcome: "archived",
    archivedAt: now,
    writes: sharedWith.map(({ app, connection }) => {
      const over = Ending.ifOver(connection, app, now)
      const eventId = eventIds.get(connection.id)
      if (over.length > 0 || eventId === undefined) return { id: connection.id, writes: over }
      const { places } = connection
      const placesVersion = connection.placesVersion + 1
      const events = PlacesNotice.events(
        connection,
        { app, connection: { ...connection, placesVersion } },
        eventId,
        now
      )
      return {
        id: connection.id,
        writes: [
          { _tag: "SetPlaces", places, placesVersion },
          ...events.map((event): Write => ({ _tag: "Emit", event }))
        ]
      }
    })
  }
}
