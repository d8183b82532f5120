import { Effect } from "effect"
import type { Connection } from "../connection/Connection.js"
import type { FixHistory } from "../fixes/FixHistory.js"
import * as Place from "../places/Place.js"
import { PlaceStore } from "../places/PlaceStore.js"
import { NotFound } from "../shared/Invalid.js"
import type { StoreError } from "../shared/StoreError.js"
import * as Telemetry from "../shared/Telemetry.js"
import { newestDecisive } from "./newestDecisive.js"
import * as Presence from "./Presence.js"
import * as VisiblePlaces from "./VisiblePlaces.js"

export interface PlacePresence {
  readonly place: Place.PlaceRef
  readonly presence: Presence.Presence
}

/**
 * Whether the user is at a place, by fixes of the last `maxAgeS` seconds. `NotFound` for a place that the app cannot ask about:
 * unknown, withdrawn, archived and somebody else's are not told apart. `id` may be any text.
 */
export const checkPresence = (
  connection: Pick<Connection, "userId" | "places">,
  id: string,
  maxAgeS: number
): Effect.Effect<PlacePresence, NotFound | StoreError, PlaceStore | FixHistory> =>
  Effect.gen(function* () {
    const own = yield* (yield* PlaceStore).list(connection.userId)
    const place = VisiblePlaces.current(connection, own).find((one) => one.id === id)
    if (place === undefined) return yield* new NotFound({ what: "place" })
    const presence = yield* newestDecisive(connection.userId, maxAgeS, (fixes, since) =>
      Presence.decide(place.circle, fixes, since)
    )
    return { place: Place.ref(place), presence }
  }).pipe(Telemetry.span("checkPresence"))
