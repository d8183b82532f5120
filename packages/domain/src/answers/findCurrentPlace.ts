import { Effect } from "effect"
import type { Connection } from "../connection/Connection.js"
import { FixHistory } from "../fixes/FixHistory.js"
import { PlaceStore } from "../places/PlaceStore.js"
import type { StoreError } from "../shared/StoreError.js"
import * as Telemetry from "../shared/Telemetry.js"
import * as CurrentPlace from "./CurrentPlace.js"
import { newestDecisive } from "./newestDecisive.js"
import * as VisiblePlaces from "./VisiblePlaces.js"

/** Which of the places shared with the app the user is at now, by fixes of the last `maxAgeS` seconds. */
export const findCurrentPlace = (
  connection: Pick<Connection, "userId" | "places">,
  maxAgeS: number
): Effect.Effect<CurrentPlace.CurrentPlace, StoreError, PlaceStore | FixHistory> =>
  Effect.gen(function* () {
    const places = VisiblePlaces.current(connection, yield* (yield* PlaceStore).list(connection.userId))
    return yield* newestDecisive(yield* FixHistory, connection.userId, maxAgeS, (fixes, since) =>
      CurrentPlace.decide(places, fixes, since)
    )
  }).pipe(Telemetry.span("findCurrentPlace"))
