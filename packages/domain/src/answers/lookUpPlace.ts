import { Effect } from "effect"
import type { Connection } from "../connection/Connection.js"
import type { FixHistory } from "../fixes/FixHistory.js"
import { nearestFix } from "../fixes/nearestFix.js"
import { PlaceStore } from "../places/PlaceStore.js"
import type { StoreError } from "../shared/StoreError.js"
import * as Telemetry from "../shared/Telemetry.js"
import type { Timestamp } from "../shared/Timestamp.js"
import * as PlaceAtMoment from "./PlaceAtMoment.js"
import * as VisiblePlaces from "./VisiblePlaces.js"

/**
 * Which of the places that are shared with the app now the user was at, at `at`: whenever they were shared (decision L9). Places
 * that were archived since still match what was before.
 */
export const lookUpPlace = (
  connection: Pick<Connection, "userId" | "places">,
  at: Timestamp,
  toleranceMs: number
): Effect.Effect<PlaceAtMoment.PlaceAtMoment, StoreError, PlaceStore | FixHistory> =>
  Effect.gen(function* () {
    const { userId } = connection
    const store = yield* PlaceStore
    const places = VisiblePlaces.shared(connection, yield* store.list(userId))
    const shapes = yield* store.shapes(userId)
    return PlaceAtMoment.decide(places, shapes, yield* nearestFix(userId, at, toleranceMs))
  }).pipe(Telemetry.span("lookUpPlace"))
