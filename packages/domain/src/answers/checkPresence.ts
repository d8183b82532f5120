import { Context, Effect } from "effect"
import type { Connection } from "../connection/Connection.js"
import { FixHistory } from "../fixes/FixHistory.js"
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
  Telemetry.program("checkPresence", (ports: Context.Context<PlaceStore | FixHistory>) =>
    Effect.flatMap(
      Context.get(ports, PlaceStore).list(connection.userId),
      (own): Effect.Effect<PlacePresence, NotFound | StoreError> => {
        const place = VisiblePlaces.current(connection, own).find((one) => one.id === id)
        if (place === undefined) return Effect.fail(new NotFound({ what: "place" }))
        const deciding = newestDecisive(Context.get(ports, FixHistory), connection.userId, maxAgeS, (fixes, since) =>
          Presence.decide(place.circle, fixes, since)
        )
        return Effect.map(deciding, (presence) => ({ place: Place.ref(place), presence }))
      }
    )
  )
