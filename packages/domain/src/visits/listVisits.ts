import { Array, Effect, Schema } from "effect"
import type { Connection, SharedPlace } from "../connection/Connection.js"
import * as Pause from "../connection/Pause.js"
import { getHistoryChoice } from "../retention-choice/chooseHistory.js"
import { listErasures } from "../retention-choice/eraseHistory.js"
import { Place, PlaceStore } from "../places/index.js"
import { Cursor, type DeviceId, type Page, PlaceId, Timestamp, type UserId, program } from "../shared/index.js"
import { atOnePlace } from "./atOnePlace.js"
import { type StayBounds, deriveStays } from "./deriveStays.js"
import * as OsVisit from "./OsVisit.js"
import * as Stay from "./Stay.js"
import * as StayProgress from "./StayProgress.js"
import { StayStore } from "./StayStore.js"
import * as Visit from "./Visit.js"
import { type DeviceSpan, type DeviceStay, type Span, type Unfinished, VisitStore } from "./VisitStore.js"

export interface VisitsQuery extends Span, Page.PageRequest {}

/** A visit with the place's present name. */
export interface VisitAt {
  readonly arrival: Timestamp.Timestamp
  readonly departure: Timestamp.Timestamp | null
  /** True: the user left at `departure` or later (`Visit.isUncertain`). Only the owner sees this field. */
  readonly isUncertain: boolean
  readonly place: Place.PlaceRef
}

export interface VisitPage {
  readonly visits: ReadonlyArray<VisitAt>
  /** The cursor of the next page; null on the last page. It is valid only for the same connection, `from` and `to`. */
  readonly nextCursor: string | null
  /** False while some stays are still to be derived. The page then lacks visits whose end is not final yet. */
  readonly complete: boolean
}

/**
 * Visits at the places that the app knows, newest first (Spec §4.5). The program merges phones' own reports with stays
 * derived from fixes, and fills each page up to `limit`, because a short page would reveal stops elsewhere.
 *
 * First the program derives the stays that are due, in at most 20 steps, because the app waits for the answer. A step
 * reads about 5,000 fixes of one device. The first devices share four steps (`WAITED_FOR`), and each further device
 * gets one step. When fixes are still due after these steps, `complete` is false. For the devices and places of these
 * fixes, the answer then has only visits whose end is final, because the first fix that was not processed may end an
 * open visit.
 */
export const listVisits = program(
  "listVisits",
  function* (
    connection: Pick<Connection, "userId" | "id" | "places" | "pause">,
    now: Timestamp.Timestamp,
    { cursor, from, limit, to }: VisitsQuery
  ) {
    const { userId } = connection
    const query = JSON.stringify(["visits", connection.id, from, to])
    const after = cursor === undefined ? undefined : yield* position(yield* Cursor.open(cursor, query))
    // The cursor is opened before the pause is checked. Otherwise, while the app is paused, its developer would not see
    // the error of a wrong cursor.
    if (Pause.isOn(connection.pause, now)) return NO_VISITS
    const known = yield* knownPlaces(userId, connection.places)
    const unfinished = yield* catchUp(userId, new Set(known.candidates.map((one) => one.placeId)))

    const { cutoff } = yield* getHistoryChoice(userId)
    const candidates = known.candidates
    const stayQuery = { userId, candidates, span: { from, to }, after, limit: limit + 1, now, cutoff, unfinished }
    const visits = Visit.merge([...(yield* derived(stayQuery)), ...(yield* reportedVisits(stayQuery))])
    const page = visits.slice(0, limit)
    const last = page.at(-1)
    const result: VisitPage = {
      visits: page.flatMap(({ arrival, departure, isUncertain, placeId }) => {
        const place = known.places.get(placeId)
        return place === undefined ? [] : [{ arrival, departure, isUncertain, place: Place.ref(place) }]
      }),
      nextCursor:
        visits.length > limit && last !== undefined ? yield* Cursor.seal([last.arrival, last.placeId], query) : null,
      complete: unfinished.length === 0
    }
    return result
  }
)

/** The answer while the user has paused the app (decision connection-4). */
const NO_VISITS: VisitPage = { visits: [], nextCursor: null, complete: true }

const Sealed = Schema.Tuple(Timestamp.Timestamp, PlaceId)

/** Decodes the position in a cursor of this list. The cursor is signed, so a position of another form is a bug. */
const position = (sealed: Page.PagePosition): Effect.Effect<Visit.Position> =>
  Effect.map(Effect.orDie(Schema.decodeUnknown(Sealed)(sealed)), ([arrival, placeId]) => ({ arrival, placeId }))

/** The places that the connection shares, with archived places, because past visits stay visible (Spec §1.3 rule 5). */
const knownPlaces = (userId: UserId, shared: ReadonlyArray<SharedPlace>) =>
  Effect.gen(function* () {
    const store = yield* PlaceStore
    const places = new Map((yield* store.list(userId)).map((place) => [place.id, place]))
    const shapes = Array.groupBy(yield* store.shapes(userId), (shape) => shape.placeId)
    const candidates = shared.flatMap(({ includeEarlierVisits, placeId, sharedAt }): Array<OsVisit.VisitCandidate> => {
      const place = places.get(placeId)
      return place === undefined
        ? []
        : [
            {
              placeId,
              archivedAt: place.archivedAt,
              shapes: shapes[placeId] ?? [],
              since: includeEarlierVisits ? null : sharedAt
            }
          ]
    })
    return { places, candidates }
  })

/**
 * The steps for which an answer waits. After these steps, each further device still gets one step, until `STEPS_IN_ALL`
 * steps were made.
 */
const WAITED_FOR: StayBounds = { stepsMax: 4, fixesAStep: 5_000 }
/**
 * The most steps for one answer, of all devices together. Every imported file has a device, so hundreds of devices may
 * have due stays after a place has moved. The phones of a person get their steps before the files, because
 * `StayStore.due` has phones first.
 */
const STEPS_IN_ALL = 20

/**
 * Derives due stays, and returns the devices and places that still have stays to derive. Places that are not in `known`
 * are not returned: a place that the app does not know must not change the answer.
 */
const catchUp = (userId: UserId, known: ReadonlySet<PlaceId>) =>
  Effect.gen(function* () {
    const store = yield* StayStore
    const due = yield* store.due(userId)
    let taken = 0
    for (const deviceId of due) {
      if (taken >= STEPS_IN_ALL) break
      // A device gets one step even when other devices have used up `WAITED_FOR`. After a place has moved, the stays of
      // all devices must be derived again, and most devices need only one step.
      const bounds = { ...WAITED_FOR, stepsMax: Math.max(1, WAITED_FOR.stepsMax - taken), newPlaces: known }
      taken += yield* deriveStays(userId, deviceId, bounds)
    }
    const unfinished: Array<Unfinished> = []
    for (const deviceId of due.length === 0 ? [] : yield* store.due(userId)) {
      const { progress } = yield* store.view(userId, deviceId)
      for (const one of StayProgress.missing(progress, known)) unfinished.push({ deviceId, ...one })
    }
    return unfinished
  })

interface StayPageQuery {
  readonly userId: UserId
  readonly candidates: ReadonlyArray<OsVisit.VisitCandidate>
  readonly span: Span
  readonly after: Visit.Position | undefined
  readonly limit: number
  readonly now: Timestamp.Timestamp
  readonly cutoff: Timestamp.Timestamp | null
  readonly unfinished: ReadonlyArray<Unfinished>
}

/**
 * The derived stays of one page. The loop reads until the page is full, because some stays are left out only after
 * reading: stays that the phone also reported, and stays whose stop is shown at another place (`atOnePlace`).
 */
const derived = (query: StayPageQuery) =>
  Effect.gen(function* () {
    const store = yield* VisitStore
    let visits: ReadonlyArray<Visit.Visit> = []
    let { after } = query
    // Reads one more stay than a page needs, because another phone may have a stay with the same arrival.
    let limit = query.limit + 1
    for (;;) {
      const rows = yield* store.stays({ ...query, places: query.candidates, after, limit })
      const isAll = rows.length < limit
      const last = rows.at(-1)
      const whole = isAll ? rows : rows.filter((row) => row.arrival !== last?.arrival || row.placeId !== last.placeId)
      const end = whole.at(-1)
      if (!isAll && end === undefined) {
        limit *= 2
        continue
      }
      visits = Visit.merge([...visits, ...(yield* atOnePlace(query, yield* besideReports(query, whole)))])
      if (isAll || visits.length >= query.limit || end === undefined) return visits
      after = { arrival: end.arrival, placeId: end.placeId }
    }
  })

/**
 * Leaves out stays that the same phone also reported as a visit: stay and report overlap in time, and the report lies
 * in the circle of the stay. The report is shown instead, at the same place or at another place whose circle contains
 * it.
 */
const besideReports = (query: StayPageQuery, stays: ReadonlyArray<DeviceStay>) =>
  Effect.gen(function* () {
    if (stays.length === 0) return stays
    const spans = new Map<DeviceId, DeviceSpan>()
    for (const { arrival, departure, deviceId } of stays) {
      const known = spans.get(deviceId)
      const from = known === undefined || arrival < known.from ? arrival : known.from
      const to = departure === null || known?.to === null ? null : Math.max(departure, known?.to ?? departure)
      spans.set(deviceId, { deviceId, from, to: to === null ? null : Timestamp.make(to) })
    }
    const reported = yield* (yield* VisitStore).reportsWithin(query.userId, [...spans.values()])
    const visits = yield* placed(query, reported)
    return stays.filter(({ arrival, departure, deviceId, placeId }) => {
      const here = query.candidates.filter((candidate) => candidate.placeId === placeId)
      return !visits.some(
        (visit) =>
          visit.deviceId === deviceId &&
          visit.arrival < (departure ?? Infinity) &&
          arrival < (visit.departure ?? Infinity) &&
          OsVisit.placeOf(visit, here) !== undefined
      )
    })
  })

/** How many reports one query reads. Most of the reports may be at places that the app does not know. */
const REPORTS_AT_A_TIME = 500

const reportedVisits = (query: StayPageQuery) =>
  Effect.gen(function* () {
    const { after, candidates, limit, span, userId } = query
    let visits: ReadonlyArray<Visit.Visit> = []
    if (candidates.length === 0) return visits
    const store = yield* VisitStore
    const narrowed = narrow(span, candidates, after)
    let last: OsVisit.VisitReports | undefined
    do {
      const some: ReadonlyArray<OsVisit.VisitReports> = yield* store.reports({
        userId,
        span: narrowed,
        after: last,
        limit: REPORTS_AT_A_TIME
      })
      const here = yield* placed(query, some)
      const shown = here.filter((visit) => Visit.isAfter(visit, after) && isFinal(visit, query.unfinished))
      visits = Visit.merge([...visits, ...shown])
      last = some.length < REPORTS_AT_A_TIME ? undefined : some.at(-1)
      // The loop goes on also when the arrival of the last report equals the arrival of the page's last visit, because
      // the next read may return another phone's visit with this arrival.
    } while (last !== undefined && !isBefore(last.arrival, visits[limit - 1]))
    return visits
  })

/** A visit that a phone reported, at a place that the app knows. */
type PlacedVisit = OsVisit.OsVisit & Visit.Visit

/**
 * Whether the end of a reported visit is final (decision visits-8). When no departure was reported, a stay that is not
 * derived yet may end the visit. An uncertain end is not final, because a reading that the phone captured during its
 * silence may still arrive.
 */
const isFinal = (
  { departure, deviceId, isLeft, isUncertain, placeId }: PlacedVisit,
  unfinished: ReadonlyArray<Unfinished>
): boolean => {
  if (isLeft) return true
  const due = unfinished.find((one) => one.deviceId === deviceId && one.placeId === placeId)
  return due === undefined || (departure !== null && !isUncertain && departure + Stay.FINAL_AFTER <= due.dueFrom)
}

/**
 * Matches reports with the app's places, and leaves out visits that are older than the history that the user keeps.
 * When the phone did not report a departure, the visit ends no later than the stay that was derived from the phone's
 * fixes.
 */
const placed = ({ candidates, cutoff, userId }: StayPageQuery, some: ReadonlyArray<OsVisit.VisitReports>) =>
  Effect.gen(function* () {
    const erasures = some.length === 0 ? [] : yield* listErasures(userId)
    const visits = some.flatMap((one) => {
      const visit = OsVisit.decide(one, erasures)
      const placeId = visit === undefined ? undefined : OsVisit.placeOf(visit, candidates)
      return visit === undefined || placeId === undefined
        ? []
        : [{ ...visit, placeId, isUncertain: false, heardAt: one.heardAt }]
    })
    const withoutReportedEnd = visits.filter(({ isLeft }) => !isLeft)
    const spans = withoutReportedEnd.map(({ arrival, departure, deviceId, placeId }) => ({
      deviceId,
      placeId,
      from: arrival,
      to: departure
    }))
    const ends = spans.length === 0 ? [] : yield* (yield* VisitStore).ends(userId, spans)
    const endOf = new Map(withoutReportedEnd.map((visit, index) => [visit, ends[index]]))
    return visits.flatMap((one): ReadonlyArray<PlacedVisit> => {
      const { heardAt, ...visit } = one
      const end = endOf.get(one)
      const isEarlier = (end?.departure ?? Infinity) < (visit.departure ?? Infinity)
      const ended = isEarlier ? { ...visit, ...end } : visit
      return Visit.isPast(ended, heardAt, cutoff) ? [] : [ended]
    })
  })

const isBefore = (arrival: Timestamp.Timestamp, visit: Visit.Visit | undefined): boolean =>
  visit !== undefined && arrival < visit.arrival

/**
 * The part of the span that a query must read. It leaves out the time before the first place was shared, and the time
 * that earlier pages covered.
 */
const narrow = (
  { from, to }: Span,
  candidates: ReadonlyArray<OsVisit.VisitCandidate>,
  after: Visit.Position | undefined
): Span => {
  const since = candidates.map((one) => one.since ?? Number.NEGATIVE_INFINITY)
  const earliest = Math.max(from ?? Number.NEGATIVE_INFINITY, Math.min(...since))
  const latest = Math.min(
    to ?? Number.POSITIVE_INFINITY,
    after === undefined ? Number.POSITIVE_INFINITY : after.arrival + 1
  )
  return {
    from: Number.isFinite(earliest) ? Timestamp.make(earliest) : null,
    to: Number.isFinite(latest) ? Timestamp.make(latest) : null
  }
}
