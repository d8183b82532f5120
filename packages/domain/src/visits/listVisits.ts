import { Array, Effect, Schema } from "effect"
import type { Connection, SharedPlace } from "../connection/Connection.js"
import { getHistoryChoice } from "../history/getHistoryChoice.js"
import type { HistoryStore } from "../history/HistoryStore.js"
import * as Place from "../places/Place.js"
import { PlaceStore } from "../places/PlaceStore.js"
import * as Cursor from "../shared/Cursor.js"
import { type DeviceId, PlaceId, type UserId } from "../shared/Ids.js"
import type { Invalid } from "../shared/Invalid.js"
import type { StoreError } from "../shared/StoreError.js"
import * as Timestamp from "../shared/Timestamp.js"
import type { Vault, VaultError } from "../shared/Vault.js"
import { atOnePlace } from "./atOnePlace.js"
import { type Bounds, deriveStays } from "./deriveStays.js"
import * as OsVisit from "./OsVisit.js"
import * as StayProgress from "./StayProgress.js"
import { StayStore } from "./StayStore.js"
import * as Visit from "./Visit.js"
import { type DeviceSpan, type DeviceStay, type Span, type Unfinished, VisitStore } from "./VisitStore.js"

export interface VisitsQuery extends Span {
  readonly limit: number
  readonly cursor: string | undefined
}

/** With the place as it is called now. */
export interface VisitAt {
  readonly arrival: Timestamp.Timestamp
  readonly departure: Timestamp.Timestamp | null
  readonly place: Place.PlaceRef
}

export interface VisitPage {
  readonly visits: ReadonlyArray<VisitAt>
  /** Null on the last page. Good for the same connection, `from` and `to` only. */
  readonly nextCursor: string | null
  /** False while visits are still derived from what phones uploaded: those that are not final yet are left out. */
  readonly complete: boolean
}

/**
 * Visits at the places that the app knows, newest first (Spec §4.5). Filled up to `limit`: a short page would tell of stops
 * elsewhere. What phones told comes with what is derived from fixes; stays that are due are derived
 * first, as far as 20,000 fixes go and at least 5,000 of each phone. Where that is not the end the answer says so, and has the visits that
 * ended before what is still due: a stay that is open there is open only because nobody has looked further.
 */
export const listVisits = (
  connection: Pick<Connection, "userId" | "id" | "places">,
  now: Timestamp.Timestamp,
  { cursor, from, limit, to }: VisitsQuery
): Effect.Effect<
  VisitPage,
  Invalid | StoreError | VaultError,
  VisitStore | StayStore | PlaceStore | HistoryStore | Vault
> =>
  Effect.gen(function* () {
    const { userId } = connection
    const query = JSON.stringify(["visits", connection.id, from, to])
    const after = cursor === undefined ? undefined : yield* position(yield* Cursor.open(cursor, query))
    const known = yield* knownPlaces(userId, connection.places)
    const unfinished = yield* catchUp(userId, new Set(known.candidates.map((one) => one.placeId)))

    const { cutoff } = yield* getHistoryChoice(userId)
    const candidates = known.candidates
    const asked = { userId, candidates, span: { from, to }, after, limit: limit + 1, now, cutoff, unfinished }
    const visits = Visit.merge([...(yield* derived(asked)), ...(yield* told(asked))])
    const page = visits.slice(0, limit)
    const last = page.at(-1)
    return {
      visits: page.flatMap(({ arrival, departure, placeId }) => {
        const place = known.places.get(placeId)
        return place === undefined ? [] : [{ arrival, departure, place: Place.ref(place) }]
      }),
      nextCursor:
        visits.length > limit && last !== undefined ? yield* Cursor.seal([last.arrival, last.placeId], query) : null,
      complete: unfinished.length === 0
    }
  }).pipe(Effect.withSpan("listVisits"))

const Sealed = Schema.Tuple(Timestamp.Timestamp, PlaceId)

/** What is in a cursor of ours decodes; anything else is a bug. */
const position = (sealed: ReadonlyArray<string | number>): Effect.Effect<Visit.Position> =>
  Effect.map(Effect.orDie(Schema.decodeUnknown(Sealed)(sealed)), ([arrival, placeId]) => ({ arrival, placeId }))

/** The places that the connection shares, archived ones too: their past visits stay (rule 5). */
const knownPlaces = (userId: UserId, shared: ReadonlyArray<SharedPlace>) =>
  Effect.gen(function* () {
    const store = yield* PlaceStore
    const places = new Map((yield* store.list(userId)).map((place) => [place.id, place]))
    const shapes = Array.groupBy(yield* store.shapes(userId), (shape) => shape.placeId)
    const candidates = shared.flatMap(({ includeEarlierVisits, placeId, sharedAt }): Array<OsVisit.Candidate> => {
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

/** What a question waits for. */
const WAITED_FOR: Bounds = { stepsMax: 4, fixesAStep: 5_000 }

/** Answers what of the known places is due even then. Other places make no difference. */
const catchUp = (userId: UserId, known: ReadonlySet<PlaceId>) =>
  Effect.gen(function* () {
    const store = yield* StayStore
    const due = yield* store.due(userId)
    let stepsMax = WAITED_FOR.stepsMax
    for (const deviceId of due) {
      // One for each: a move of any place sets all phones back, shared or not, and most of them have nothing new.
      const bounds = { ...WAITED_FOR, stepsMax: Math.max(1, stepsMax), newPlaces: known }
      stepsMax -= yield* deriveStays(userId, deviceId, bounds)
    }
    const unfinished: Array<Unfinished> = []
    for (const deviceId of due.length === 0 ? [] : yield* store.due(userId)) {
      const { progress } = yield* store.view(userId, deviceId)
      for (const one of StayProgress.missing(progress, known)) unfinished.push({ deviceId, ...one })
    }
    return unfinished
  })

interface Asked {
  readonly userId: UserId
  readonly candidates: ReadonlyArray<OsVisit.Candidate>
  readonly span: Span
  readonly after: Visit.Position | undefined
  readonly limit: number
  readonly now: Timestamp.Timestamp
  readonly cutoff: Timestamp.Timestamp | null
  readonly unfinished: ReadonlyArray<Unfinished>
}

/** Read until the page is full: a stay that the phone's own report tells is left out. */
const derived = (asked: Asked) =>
  Effect.gen(function* () {
    const store = yield* VisitStore
    let visits: ReadonlyArray<Visit.Visit> = []
    let { after } = asked
    // One more than a page, because the last arrival may have another phone's stay to come.
    let limit = asked.limit + 1
    for (;;) {
      const rows = yield* store.stays({ ...asked, places: asked.candidates, after, limit })
      const isAll = rows.length < limit
      const last = rows.at(-1)
      const whole = isAll ? rows : rows.filter((row) => row.arrival !== last?.arrival || row.placeId !== last.placeId)
      const end = whole.at(-1)
      if (!isAll && end === undefined) {
        limit *= 2
        continue
      }
      visits = Visit.merge([...visits, ...(yield* atOnePlace(asked, yield* besideReports(asked, whole)))])
      if (isAll || visits.length >= asked.limit || end === undefined) return visits
      after = { arrival: end.arrival, placeId: end.placeId }
    }
  })

/**
 * Without the stays that the same phone told as a visit: one that overlaps in time and whose report lies in the circle of the stay. The
 * visit is told instead, there or at the place of another circle that it lies in.
 */
const besideReports = (asked: Asked, stays: ReadonlyArray<DeviceStay>) =>
  Effect.gen(function* () {
    if (stays.length === 0) return stays
    const spans = new Map<DeviceId, DeviceSpan>()
    for (const { arrival, departure, deviceId } of stays) {
      const known = spans.get(deviceId)
      const from = known === undefined || arrival < known.from ? arrival : known.from
      const to = departure === null || known?.to === null ? null : Math.max(departure, known?.to ?? departure)
      spans.set(deviceId, { deviceId, from, to: to === null ? null : Timestamp.make(to) })
    }
    const reported = yield* (yield* VisitStore).toldWithin(asked.userId, [...spans.values()])
    const visits = yield* placed(asked, reported)
    return stays.filter(({ arrival, departure, deviceId, placeId }) => {
      const here = asked.candidates.filter((candidate) => candidate.placeId === placeId)
      return !visits.some(
        (visit) =>
          visit.deviceId === deviceId &&
          visit.arrival < (departure ?? Infinity) &&
          arrival < (visit.departure ?? Infinity) &&
          OsVisit.placeOf(visit, here) !== undefined
      )
    })
  })

/** Read at a time; most of them may be at places that the app does not know. */
const TOLD_AT_A_TIME = 500

const told = (asked: Asked) =>
  Effect.gen(function* () {
    const { after, candidates, limit, span, userId } = asked
    let visits: ReadonlyArray<Visit.Visit> = []
    if (candidates.length === 0) return visits
    const store = yield* VisitStore
    const narrowed = narrow(span, candidates, after)
    let last: OsVisit.Told | undefined
    do {
      const some: ReadonlyArray<OsVisit.Told> = yield* store.told({
        userId,
        span: narrowed,
        after: last,
        limit: TOLD_AT_A_TIME
      })
      const here = yield* placed(asked, some)
      visits = Visit.merge([...visits, ...here.filter((visit) => Visit.isAfter(visit, after))])
      last = some.length < TOLD_AT_A_TIME ? undefined : some.at(-1)
      // Of the last arrival there may be another phone's to come.
    } while (last !== undefined && !isBefore(last.arrival, visits[limit - 1]))
    return visits
  })

/** A visit that a phone told, at a place that the app knows. */
type PlacedVisit = OsVisit.OsVisit & Visit.Visit

/**
 * Those at places that the app knows, without what is past. Where the phone did not tell when it left, the visit ended, at the latest, when
 * its own fixes showed it outside.
 */
const placed = ({ candidates, cutoff, userId }: Asked, some: ReadonlyArray<OsVisit.Told>) =>
  Effect.gen(function* () {
    const visits = some.flatMap((one) => {
      const visit = OsVisit.decide(one)
      const placeId = visit === undefined ? undefined : OsVisit.placeOf(visit, candidates)
      return visit === undefined || placeId === undefined ? [] : [{ ...visit, placeId, heardAt: one.heardAt }]
    })
    const asked = visits.filter(({ isLeft }) => !isLeft)
    const spans = asked.map(({ arrival, departure, deviceId, placeId }) => ({
      deviceId,
      placeId,
      from: arrival,
      to: departure
    }))
    const ends = spans.length === 0 ? [] : yield* (yield* VisitStore).ends(userId, spans)
    const endOf = new Map(asked.map((visit, index) => [visit, ends[index] ?? null]))
    return visits.flatMap(({ heardAt, ...visit }, index): ReadonlyArray<PlacedVisit> => {
      const of = visits[index]
      const ended = { ...visit, departure: earlier(visit.departure, of === undefined ? null : (endOf.get(of) ?? null)) }
      return Visit.isPast(ended, heardAt, cutoff) ? [] : [ended]
    })
  })

const earlier = (a: Timestamp.Timestamp | null, b: Timestamp.Timestamp | null): Timestamp.Timestamp | null =>
  a === null ? b : b === null || a < b ? a : b

const isBefore = (arrival: Timestamp.Timestamp, visit: Visit.Visit | undefined): boolean =>
  visit !== undefined && arrival < visit.arrival

/** Nothing before every place was shared, and nothing that earlier pages had. */
const narrow = (
  { from, to }: Span,
  candidates: ReadonlyArray<OsVisit.Candidate>,
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
