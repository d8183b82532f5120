import { Effect, Option } from "effect"
import type { AccessLogStore } from "../access-log/AccessLogStore.js"
import { WorkSignal } from "../deliveries/WorkSignal.js"
import type { Place } from "../places/Place.js"
import { PlaceStore } from "../places/PlaceStore.js"
import * as Entropy from "../shared/Entropy.js"
import { type ConnectionId, EventId, type UserId } from "../shared/Ids.js"
import { Conflict, Invalid, NotFound } from "../shared/Invalid.js"
import type { StoreError } from "../shared/StoreError.js"
import type { Timestamp } from "../shared/Timestamp.js"
import { ConnectionStore, type Decision, type Locked, type Write } from "./ConnectionStore.js"
import type { UserConnection } from "./ConnectionView.js"
import * as Ending from "./Ending.js"
import { getConnection } from "./listConnections.js"
import * as PlacesNotice from "./PlacesNotice.js"
import * as SharedPlaces from "./SharedPlaces.js"

type Outcome = "shared" | "not_found" | "ended" | "refused"

/**
 * Replaces the set of places that the app may ask about. A place that stays keeps the moment it was shared; `places_version`
 * grows only when the set changed. Archived places that are shared stay, named or not. `Invalid` on `places` for what is not the
 * user's, or is archived and not shared, `Conflict` when the connection has ended, `NotFound` for another user's.
 */
export const sharePlaces = (
  userId: UserId,
  id: ConnectionId,
  chosen: ReadonlyArray<SharedPlaces.Chosen>
): Effect.Effect<
  UserConnection,
  NotFound | Invalid | Conflict | StoreError,
  ConnectionStore | PlaceStore | AccessLogStore | WorkSignal | Entropy.Entropy
> =>
  Effect.gen(function* () {
    const own = yield* (yield* PlaceStore).list(userId)
    const eventId = EventId.make(yield* Entropy.id("evt"))
    const outcome = yield* (yield* ConnectionStore).change(id, {}, (state, now) =>
      decide({ userId, own, chosen, eventId }, state, now)
    )
    switch (Option.getOrElse(outcome, (): Outcome => "not_found")) {
      case "not_found":
        return yield* new NotFound({ what: "connection" })
      case "ended":
        return yield* new Conflict({ reason: "the connection has ended" })
      case "refused":
        return yield* Invalid.of("places", "must name only places of yours that are not archived")
      case "shared":
        // There may be an event.
        yield* (yield* WorkSignal).raise
        return yield* getConnection(userId, id)
    }
  }).pipe(Effect.withSpan("sharePlaces"))

interface Input {
  readonly userId: UserId
  readonly own: ReadonlyArray<Place>
  readonly chosen: ReadonlyArray<SharedPlaces.Chosen>
  readonly eventId: EventId
}

const decide = (
  { chosen, eventId, own, userId }: Input,
  { app, connection }: Locked,
  now: Timestamp
): Decision<Outcome> => {
  if (connection.userId !== userId) return { outcome: "not_found", writes: [] }
  const expired = Ending.ifExpired(connection, now)
  if (connection.endedAt !== null || expired.length > 0) return { outcome: "ended", writes: expired }
  if (SharedPlaces.refused(chosen, own, connection.places).length > 0) return { outcome: "refused", writes: [] }
  const after = SharedPlaces.replace(connection, chosen, own, now)
  const events = PlacesNotice.events(connection, { app, connection: { ...connection, ...after } }, eventId, now)
  return {
    outcome: "shared",
    writes: [{ _tag: "SetPlaces", ...after }, ...events.map((event): Write => ({ _tag: "Emit", event }))]
  }
}
