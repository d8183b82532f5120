import { Effect } from "effect"
import type { Connection } from "../connection/Connection.js"
import * as Pause from "../connection/Pause.js"
import { type Fix, FixHistory, nearestFix } from "../fixes/index.js"
import { askZone } from "../limits/spendLimits.js"
import { type Geometry, Place, PlaceStore } from "../places/index.js"
import { NotFound, program, type StoreError, Timestamp, type UserId } from "../shared/index.js"
import * as CurrentPlace from "./CurrentPlace.js"
import * as PlaceAtMoment from "./PlaceAtMoment.js"
import * as Presence from "./Presence.js"
import * as VisiblePlaces from "./VisiblePlaces.js"

interface SharedPlaces {
  readonly version: number
  /** Ordered by label, then id. */
  readonly places: ReadonlyArray<Place.PlaceRef>
}

/** The places that the app may ask about, with the version of the set (Spec §4.5). */
export const listSharedPlaces = program(
  "listSharedPlaces",
  function* (connection: Pick<Connection, "userId" | "places" | "placesVersion">) {
    const own = yield* (yield* PlaceStore).list(connection.userId)
    const result: SharedPlaces = {
      version: connection.placesVersion,
      places: VisiblePlaces.current(connection, own).map(Place.ref)
    }
    return result
  }
)

export interface PlacePresence {
  readonly place: Place.PlaceRef
  readonly presence: Presence.Presence
}

/**
 * Whether the user is at a place, by the fixes of the last `maxAgeS` seconds. `NotFound` for an unknown, withdrawn or
 * archived place and for another person's place, so that the app cannot tell them apart. `id` may be any text.
 */
export const checkPresence = program(
  "checkPresence",
  function* (connection: Pick<Connection, "userId" | "places" | "pause">, id: string, maxAgeS: number) {
    const own = yield* (yield* PlaceStore).list(connection.userId)
    const place = VisiblePlaces.current(connection, own).find((one) => one.id === id)
    if (place === undefined) return yield* new NotFound({ what: "place" })
    const presence = (yield* isPaused(connection))
      ? Presence.UNKNOWN
      : yield* newestDecisive(yield* FixHistory, connection.userId, maxAgeS, (fixes, since) =>
          Presence.decide(place.circle, fixes, since)
        )
    const result: PlacePresence = { place: Place.ref(place), presence }
    return result
  }
)

/** The place where the user is now, of the app's places, by fixes of the last `maxAgeS` seconds. */
export const findCurrentPlace = program(
  "findCurrentPlace",
  function* (connection: Pick<Connection, "userId" | "places" | "pause">, maxAgeS: number) {
    if (yield* isPaused(connection)) return CurrentPlace.UNKNOWN
    const places = VisiblePlaces.current(connection, yield* (yield* PlaceStore).list(connection.userId))
    return yield* newestDecisive(yield* FixHistory, connection.userId, maxAgeS, (fixes, since) =>
      CurrentPlace.decide(places, fixes, since)
    )
  }
)

/**
 * The place where the user was at `at`, of the places that are shared with the app now (decision L9), by the nearest
 * fix within `toleranceMs`. When a place was shared does not matter. A place that was archived later still matches
 * earlier moments.
 */
export const lookUpPlace = program(
  "lookUpPlace",
  function* (
    connection: Pick<Connection, "userId" | "places" | "pause">,
    at: Timestamp.Timestamp,
    toleranceMs: number
  ) {
    if (yield* isPaused(connection)) return PlaceAtMoment.UNKNOWN
    const { userId } = connection
    const store = yield* PlaceStore
    const places = VisiblePlaces.shared(connection, yield* store.list(userId))
    const shapes = yield* store.shapes(userId)
    return PlaceAtMoment.decide(places, shapes, yield* nearestFix(userId, at, toleranceMs))
  }
)

/**
 * Whether the user is inside a circle that the app drew, by fixes of the last `maxAgeS` seconds. `BudgetExceeded`
 * beyond the budget of questions that the app has for this person, which zone rules use too: many questions could
 * locate a person.
 */
export const verifyZone = program(
  "verifyZone",
  function* (
    { appId, pause, userId }: Pick<Connection, "appId" | "userId" | "pause">,
    circle: Geometry.Circle,
    maxAgeS: number
  ) {
    // During a pause nothing is disclosed, so nothing is taken from the budget.
    if (yield* isPaused({ pause })) return Presence.UNKNOWN
    yield* askZone({ userId, appId }, circle)
    return yield* newestDecisive(yield* FixHistory, userId, maxAgeS, (fixes, since) =>
      Presence.decide(circle, fixes, since)
    )
  }
)

/** Whether the app is paused. Then the answers say that the user's place is unknown (decision connection-4). */
const isPaused = ({ pause }: Pick<Connection, "pause">): Effect.Effect<boolean> =>
  Effect.map(Timestamp.now, (now) => Pause.isOn(pause, now))

/** How many fixes are read first. The newest fix usually decides; near an edge, hundreds of fixes may not. */
const FIRST_PAGE = 8
const PAGE_MAX = 1_000

/**
 * Gives `decide` the fixes of the last `maxAgeS` seconds, newest first, page by page, until it decides or no fix is
 * left.
 */
const newestDecisive = <A extends { readonly state: string }>(
  history: FixHistory["Type"],
  userId: UserId,
  maxAgeS: number,
  decide: (fixes: ReadonlyArray<Fix.StoredFix>, since: Timestamp.Timestamp) => A
) =>
  Timestamp.nowWith((now) => {
    const since = Timestamp.plus(now, -maxAgeS * Timestamp.SECOND)
    const until = (end: Timestamp.Timestamp | null, limit: number): Effect.Effect<A, StoreError> =>
      Effect.flatMap(history.newest(userId, now, { from: since, until: end }, limit), (fixes) => {
        const answer = decide(fixes, since)
        const last = fixes.at(-1)
        return answer.state !== "unknown" || last === undefined || fixes.length < limit
          ? Effect.succeed(answer)
          : until(last.capturedAt, Math.min(limit * 8, PAGE_MAX))
      })
    return until(null, FIRST_PAGE)
  })
