import { Array, Effect, Schema } from "effect"
import type { Connection, SharedPlace } from "../connection/Connection.js"
import { getHistoryChoice } from "../history/getHistoryChoice.js"
import type { HistoryStore } from "../history/HistoryStore.js"
import * as Place from "../places/Place.js"
import { PlaceStore } from "../places/PlaceStore.js"
import * as Cursor from "../shared/Cursor.js"
import { PlaceId, type UserId } from "../shared/Ids.js"
import type { Invalid } from "../shared/Invalid.js"
import type { StoreError } from "../shared/StoreError.js"
import * as Timestamp from "../shared/Timestamp.js"
import type { Vault, VaultError } from "../shared/Vault.js"
import { type Bounds, deriveStays } from "./deriveStays.js"
import * as OsVisit from "./OsVisit.js"
import { StayStore } from "./StayStore.js"
import * as Visit from "./Visit.js"
import { type Span, VisitStore } from "./VisitStore.js"

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
}

/**
 * Visits at the places that the app knows, newest first (Spec §4.5). Filled up to `limit`: a short page would tell of stops
 * elsewhere. What phones told comes with what is derived from the fixes of those that tell none; stays that are due are derived
 * first, as far as 20,000 fixes go and at least 5,000 of each phone (the rest comes later, rule 6).
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
    yield* catchUp(userId, new Set(known.candidates.map((one) => one.placeId)))

    const { cutoff } = yield* getHistoryChoice(userId)
    const asked = { userId, candidates: known.candidates, span: { from, to }, after, limit: limit + 1, now, cutoff }
    const visits = Visit.merge([...(yield* derived(asked)), ...(yield* told(asked))])
    const page = visits.slice(0, limit)
    const last = page.at(-1)
    return {
      visits: page.flatMap(({ arrival, departure, placeId }) => {
        const place = known.places.get(placeId)
        return place === undefined ? [] : [{ arrival, departure, place: Place.ref(place) }]
      }),
      nextCursor:
        visits.length > limit && last !== undefined ? yield* Cursor.seal([last.arrival, last.placeId], query) : null
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

const catchUp = (userId: UserId, newPlaces: ReadonlySet<PlaceId>) =>
  Effect.gen(function* () {
    let stepsMax = WAITED_FOR.stepsMax
    for (const deviceId of yield* (yield* StayStore).due(userId)) {
      // One for each: a move of any place sets all phones back, shared or not, and most of them have nothing new.
      stepsMax -= yield* deriveStays(userId, deviceId, { ...WAITED_FOR, stepsMax: Math.max(1, stepsMax), newPlaces })
    }
  })

interface Asked {
  readonly userId: UserId
  readonly candidates: ReadonlyArray<OsVisit.Candidate>
  readonly span: Span
  readonly after: Visit.Position | undefined
  readonly limit: number
  readonly now: Timestamp.Timestamp
  readonly cutoff: Timestamp.Timestamp | null
}

const derived = ({ candidates, ...asked }: Asked) =>
  Effect.flatMap(VisitStore, (store) => store.stays({ ...asked, places: candidates }))

/** Read at a time; most of them may be at places that the app does not know. */
const TOLD_AT_A_TIME = 500

const told = ({ after, candidates, cutoff, limit, span, userId }: Asked) =>
  Effect.gen(function* () {
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
      const here = some
        .flatMap((one) => visitAt(one, candidates, cutoff))
        .filter((visit) => Visit.isAfter(visit, after))
      visits = Visit.merge([...visits, ...here])
      last = some.length < TOLD_AT_A_TIME ? undefined : some.at(-1)
      // Of the last arrival there may be another phone's to come.
    } while (last !== undefined && !isBefore(last.arrival, visits[limit - 1]))
    return visits
  })

const visitAt = (
  told: OsVisit.Told,
  candidates: ReadonlyArray<OsVisit.Candidate>,
  cutoff: Timestamp.Timestamp | null
): ReadonlyArray<Visit.Visit> => {
  const visit = OsVisit.decide(told)
  const placeId = visit === undefined ? undefined : OsVisit.placeOf(visit, candidates)
  return visit === undefined || placeId === undefined || Visit.isPast(visit, told.heardAt, cutoff)
    ? []
    : [{ placeId, arrival: visit.arrival, departure: visit.departure }]
}

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
