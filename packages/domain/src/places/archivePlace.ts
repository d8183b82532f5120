import { Effect, Option } from "effect"
import { type ArchiveDecision, ConnectionStore, type Sharing, type Write } from "../connection/ConnectionStore.js"
import * as Ending from "../connection/Ending.js"
import * as PlacesNotice from "../connection/PlacesNotice.js"
import { WorkSignal } from "../deliveries/WorkSignal.js"
import * as Entropy from "../shared/Entropy.js"
import { type ConnectionId, EventId, type PlaceId, type UserId } from "../shared/Ids.js"
import { NotFound } from "../shared/Invalid.js"
import type { StoreError } from "../shared/StoreError.js"
import type { Timestamp } from "../shared/Timestamp.js"

/**
 * The place stops matching; past visits keep its label (Spec §4.5, visits rule 5). For the apps that it is shared with the set of
 * places changed: their version grows, and who watches is told, as when a place is withdrawn. Idempotent.
 */
export const archivePlace = (
  userId: UserId,
  id: PlaceId
): Effect.Effect<void, NotFound | StoreError, ConnectionStore | WorkSignal | Entropy.Entropy> =>
  Effect.gen(function* () {
    const connections = yield* ConnectionStore
    let outcome: Option.Option<Outcome>
    do {
      const eventIds = yield* freshEventIds(userId)
      outcome = yield* connections.archivePlace(userId, id, (state, now) => decide(eventIds, state, now))
    } while (Option.contains(outcome, "again"))
    if (Option.isNone(outcome)) return yield* new NotFound({ what: "place" })
    // There may be an event.
    yield* (yield* WorkSignal).raise
  }).pipe(Effect.withSpan("archivePlace"))

/** `again`: a connection began to share the place meanwhile, and has no id for its event yet. */
type Outcome = "archived" | "again"

const freshEventIds = (userId: UserId) =>
  Effect.gen(function* () {
    const all = yield* (yield* ConnectionStore).listOfUser(userId)
    const ids = yield* Effect.forEach(
      all.filter(({ connection }) => connection.endedAt === null),
      ({ connection }) => Effect.map(Entropy.id("evt"), (text) => [connection.id, EventId.make(text)] as const)
    )
    return new Map(ids)
  })

const decide = (
  eventIds: ReadonlyMap<ConnectionId, EventId>,
  { place, sharedWith }: Sharing,
  now: Timestamp
): ArchiveDecision<Outcome> => {
  if (place.archivedAt !== null) return { outcome: "archived", archivedAt: place.archivedAt, writes: [] }
  if (sharedWith.some(({ connection }) => !eventIds.has(connection.id))) {
    return { outcome: "again", archivedAt: null, writes: [] }
  }
  return {
    outcome: "archived",
    archivedAt: now,
    writes: sharedWith.map(({ app, connection }) => {
      const expired = Ending.ifExpired(connection, now)
      const eventId = eventIds.get(connection.id)
      if (expired.length > 0 || eventId === undefined) return { id: connection.id, writes: expired }
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
