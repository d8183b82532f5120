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
  /** The shared places, ordered by label, then by id. */
  readonly places: ReadonlyArray<Place.PlaceRef>
}

/** The places that the app may ask about, with `placesVersion`, which grows when the set changes (Spec §4.5). */
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
 * Whether the user is at a place, by the fixes of the last `maxAgeS` seconds. The caller must check that `maxAgeS` is
 * finite and not negative: it is not checked here. Fails with `NotFound` for an unknown place, an archived place, a
 * place of another person, and a place that is not shared with the app: the app must not be able to tell these cases
 * apart. `id` may be any text.
 */
export const checkPresence = program(
  "checkPresence",
  function* (connection: Pick<Connection, "userId" | "places" | "pause">, id: string, maxAgeS: number) {
    const own = yield* (yield* PlaceStore).list(connection.userId)
    const place = VisiblePlaces.current(connection, own).find((one) => one.id === id)
    if (place === undefined) return yield* new NotFound({ what: "place" })
    const presence = (yield* isPaused(connection))
      ? Presence.UNKNOWN
      : yield* newestDecisive(yield* FixHistory, connection.userId, maxAgeS, Effect.void, (fixes, since) =>
          Presence.decide(place.circle, fixes, since)
        )
    const result: PlacePresence = { place: Place.ref(place), presence }
    return result
  }
)

/** The shared place where the user is, by the fixes of the last `maxAgeS` seconds. */
export const findCurrentPlace = program(
  "findCurrentPlace",
  function* (connection: Pick<Connection, "userId" | "places" | "pause">, maxAgeS: number) {
    if (yield* isPaused(connection)) return CurrentPlace.UNKNOWN
    const places = VisiblePlaces.current(connection, yield* (yield* PlaceStore).list(connection.userId))
    return yield* newestDecisive(yield* FixHistory, connection.userId, maxAgeS, Effect.void, (fixes, since) =>
      CurrentPlace.decide(places, fixes, since)
    )
  }
)

/**
 * The place where the user was at the moment `at`, by the nearest fix within `toleranceMs`. Only places that are shared
 * with the app at the time of the call count (decision L9), even if they were not shared at the moment `at`. A place
 * that was archived later still matches earlier moments.
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
 * Whether the user is inside a circle that the app drew, by the fixes of the last `maxAgeS` seconds. Fails with
 * `BudgetExceeded` when the app has used up its budget of questions about circles for this person. Rules on zones use
 * the same budget. Without the budget, an app could locate a person with many questions.
 */
export const verifyZone = program(
  "verifyZone",
  function* (
    { appId, pause, userId }: Pick<Connection, "appId" | "userId" | "pause">,
    circle: Geometry.Circle,
    maxAgeS: number
  ) {
    // During a pause the answer discloses nothing, so it takes nothing from the app's budget.
    if (yield* isPaused({ pause })) return Presence.UNKNOWN
    return yield* newestDecisive(
      yield* FixHistory,
      userId,
      maxAgeS,
      askZone({ userId, appId }, circle),
      (fixes, since) => Presence.decideZone(circle, fixes, since)
    )
  }
)

/**
 * Whether the user has paused the app. During a pause the answers say that the user's place is unknown (decision
 * connection-4).
 */
const isPaused = ({ pause }: Pick<Connection, "pause">): Effect.Effect<boolean> =>
  Effect.map(Timestamp.now, (now) => Pause.isOn(pause, now))

/**
 * How many fixes an answer reads at first. In most cases the newest fix decides the answer, so the first page is small.
 * Each later page is larger, up to `PAGE_MAX`, because hundreds of fixes near the edge of a circle may decide nothing.
 */
const FIRST_PAGE = 8
const PAGE_MAX = 1_000

/**
 * Reads the fixes of the last `maxAgeS` seconds, newest first and page by page, and passes each page to `decide`. Stops
 * when `decide` returns a state other than "unknown", or when no fix is left.
 *
 * `ask` spends one question of the app's budget, and refuses the answer when the budget is used up; answers without a
 * budget pass `Effect.void`. `ask` runs between the first page and the first decision. If `ask` ran earlier, a fault of
 * the database, which usually shows at the first page, would cost the app a question. If `ask` ran later, the duration
 * of a refused call would reveal where the user is, because the number of pages depends on the user's place.
 */
const newestDecisive = <A extends { readonly state: string }, E, R>(
  history: FixHistory["Type"],
  userId: UserId,
  maxAgeS: number,
  ask: Effect.Effect<void, E, R>,
  decide: (fixes: ReadonlyArray<Fix.StoredFix>, since: Timestamp.Timestamp) => A
) =>
  Timestamp.nowWith((now) => {
    const since = Timestamp.plus(now, -maxAgeS * Timestamp.SECOND)
    const page = (until: Timestamp.Timestamp | null, limit: number) =>
      history.newest(userId, now, { from: since, until }, limit)
    const decided = (fixes: ReadonlyArray<Fix.StoredFix>, limit: number): Effect.Effect<A, StoreError> => {
      const answer = decide(fixes, since)
      const last = fixes.at(-1)
      if (answer.state !== "unknown" || last === undefined || fixes.length < limit) return Effect.succeed(answer)
      const next = Math.min(limit * 8, PAGE_MAX)
      return Effect.flatMap(page(last.capturedAt, next), (more) => decided(more, next))
    }
    return page(null, FIRST_PAGE).pipe(
      Effect.zipLeft(ask),
      Effect.flatMap((fixes) => decided(fixes, FIRST_PAGE))
    )
  })
