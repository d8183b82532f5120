import { geodesicM, type Point } from "./geodesic.js"

/**
 * A second implementation of visits, simple and slow, written only from Spec §4.5, amendment M15 and the decisions L10,
 * visits-10 and visits-11. It works on whole lists of everything that a phone sent, without a state machine, stored
 * progress or code of the product.
 */

export interface ReferenceCircle extends Point {
  readonly radiusM: number
}

export interface ReferencePlace {
  readonly id: string
  /** The circles that the place had, ordered by `from`. The first circle applies from the beginning. */
  readonly circles: ReadonlyArray<{ readonly from: number | null; readonly circle: ReferenceCircle }>
  readonly archivedAt: number | null
  /** The app sees only visits that began at this time or later. Null: the app sees all visits. */
  readonly since: number | null
}

export interface ReferenceSighting extends Point {
  readonly capturedAt: number
  readonly accuracy: number | null
  /** Whether the user had left the phone behind (decision M14). */
  readonly isLeftBehind?: boolean
}

export interface ReferenceReport extends Point {
  readonly arrival: number | null
  readonly departure: number | null
  readonly accuracy: number | null
}

export interface ReferencePhone {
  readonly fixes: ReadonlyArray<ReferenceSighting>
  readonly reports: ReadonlyArray<ReferenceReport>
}

export interface ReferenceVisit {
  readonly placeId: string
  readonly arrival: number
  readonly departure: number | null
}

const FIVE_MINUTES = 300_000
const TWO_MINUTES = 120_000
const TEN_MINUTES = 600_000
const FOUR_HOURS = 14_400_000

/** The visits that an app sees, newest first, then by place. `places` are the places that the app knows. */
export const referenceVisits = (
  places: ReadonlyArray<ReferencePlace>,
  phones: ReadonlyArray<ReferencePhone>,
  now: number
): ReadonlyArray<ReferenceVisit> => {
  const all = phones.flatMap((phone) => {
    const stays = places.map((place) => ({ place, stays: staysAt(place, phone.fixes) }))
    const reported = toldBy(
      phone.reports,
      places,
      (placeId) => stays.find(({ place }) => place.id === placeId)?.stays ?? []
    )
    const seen = stays.flatMap(({ place, stays }) =>
      stays.filter(
        (stay) =>
          (place.since === null || stay.arrival >= place.since) &&
          lasts(stay, now) &&
          !reported.some(
            ({ report, visit }) => overlap(visit, stay) && placeOf(report, visit.arrival, [place]) !== undefined
          )
      )
    )
    const countable = stays.flatMap(({ place, stays }) =>
      stays.filter((stay) => (place.since === null || stay.arrival >= place.since) && lasts(stay, now))
    )
    return [
      ...reported.map(({ visit }) => visit),
      ...seen.flatMap((stay) => atOnePlace(stay, countable, phone, places, now))
    ]
  })
  const longest = new Map<string, ReferenceVisit>()
  for (const visit of all) {
    const key = `${visit.arrival} ${visit.placeId}`
    const known = longest.get(key)
    if (known === undefined || end(visit) > end(known)) longest.set(key, visit)
  }
  return [...longest.values()].sort((a, b) => b.arrival - a.arrival || (a.placeId < b.placeId ? -1 : 1))
}

const lasts = ({ arrival, departure }: Pick<ReferenceVisit, "arrival" | "departure">, now: number): boolean =>
  (departure ?? now) - arrival >= FIVE_MINUTES

/**
 * The visit that the app sees for a stay, given the other stays of the phone. Empty if the visit counts for another of
 * the person's places.
 */
const atOnePlace = (
  stay: ReferenceVisit,
  all: ReadonlyArray<ReferenceVisit>,
  { fixes }: ReferencePhone,
  places: ReadonlyArray<ReferencePlace>,
  now: number
): ReadonlyArray<ReferenceVisit> => {
  const placeOfId = (id: string) => places.find((place) => place.id === id) ?? unknownPlace()
  const circleThen = (one: ReferenceVisit) => circleAt(placeOfId(one.placeId), one.arrival)
  const haveMet = (a: ReferenceCircle, b: ReferenceCircle) => geodesicM(a, b) < a.radiusM + b.radiusM
  const middle = (one: ReferenceVisit): Point => {
    const during = fixes.filter(
      ({ capturedAt, isLeftBehind }) =>
        isLeftBehind !== true && capturedAt >= one.arrival && capturedAt < (one.departure ?? Infinity)
    )
    const half = (values: ReadonlyArray<number>) => values.toSorted((a, b) => a - b)[(values.length - 1) >> 1] ?? NaN
    return { lat: half(during.map((fix) => fix.lat)), lon: half(during.map((fix) => fix.lon)) }
  }
  const isBand = (at: Point, circle: ReferenceCircle) => beyondEdgeM(circle, at) >= -50
  const isElsewhere = (later: ReferenceVisit, earlier: ReferenceVisit) =>
    later.arrival > earlier.arrival && isBand(middle(later), circleThen(earlier))
  const others = all.filter(
    (other) => other.placeId !== stay.placeId && overlap(stay, other) && haveMet(circleThen(stay), circleThen(other))
  )
  const ends = others.filter((other) => isElsewhere(other, stay)).map(({ arrival }) => arrival)
  const departure = ends.length === 0 ? stay.departure : Math.min(...ends, stay.departure ?? Infinity)
  const nearness = (one: ReferenceVisit): ReadonlyArray<number | string> => [
    Math.round(geodesicM(circleThen(one), middle(one)) * 100),
    circleThen(one).radiusM,
    one.placeId
  ]
  const isBefore = (a: ReadonlyArray<number | string>, b: ReadonlyArray<number | string>): boolean => {
    const at = a.findIndex((value, index) => value !== b[index])
    const [one, other] = [a[at], b[at]]
    return one !== undefined && other !== undefined && one < other
  }
  const takes = (a: ReferenceVisit, b: ReferenceVisit): boolean => {
    const skipped = geodesicM(circleThen(a), circleThen(b)) <= 10 ? 1 : 0
    return (
      overlap(a, b) &&
      beyondEdgeM(circleThen(a), middle(b)) <= 0 &&
      isBefore(nearness(a).slice(skipped), nearness(b).slice(skipped))
    )
  }
  const same = others.filter((other) => overlap({ ...stay, departure }, other) && !isElsewhere(stay, other))
  const isTaken = same
    .filter((other) => takes(other, stay))
    .some((other) => same.every((third) => !(takes(stay, third) && takes(third, other))))
  return isTaken || !lasts({ arrival: stay.arrival, departure }, now) ? [] : [{ ...stay, departure }]
}

const unknownPlace = (): never => {
  throw new Error("a stay is at a place that is known")
}

const overlap = (
  a: Pick<ReferenceVisit, "arrival" | "departure">,
  b: Pick<ReferenceVisit, "arrival" | "departure">
): boolean => a.arrival < (b.departure ?? Infinity) && b.arrival < (a.departure ?? Infinity)

const end = ({ departure }: ReferenceVisit): number => departure ?? Number.POSITIVE_INFINITY

const staysAt = (place: ReferencePlace, fixes: ReadonlyArray<ReferenceSighting>): ReadonlyArray<ReferenceVisit> => {
  const seen = onePerInstant(fixes)
  const begins = (fix: ReferenceSighting): boolean =>
    (place.archivedAt === null || fix.capturedAt <= place.archivedAt) &&
    seenBeyondEdgeM(circleAt(place, fix.capturedAt), fix) < -bandM(fix)
  const stays: Array<ReferenceVisit> = []
  for (let from = 0; from < seen.length;) {
    const first = seen.findIndex((fix, index) => index >= from && begins(fix))
    const arrival = seen[first]?.capturedAt
    if (arrival === undefined) break
    const circle = circleAt(place, arrival)
    const left = seen.findIndex(
      (fix, index) =>
        index > first &&
        seenBeyondEdgeM(circle, fix) > bandM(fix) &&
        !isBackSoon(seen.slice(index), circle, (later) => begins(later) && circleAt(place, later.capturedAt) !== circle)
    )
    stays.push({ placeId: place.id, arrival, departure: departureOf(seen[left - 1], seen[left], circle) })
    if (left === -1) break
    from = left
  }
  return stays
}

/**
 * The end of a stay is normally the time of the first sighting outside. There is one exception. If the phone was silent
 * for at least four hours before that sighting, and the sighting is more than 2 km beyond the band at the circle's
 * edge, the stay ends with the last sighting before the silence.
 */
const departureOf = (
  last: ReferenceSighting | undefined,
  outside: ReferenceSighting | undefined,
  circle: ReferenceCircle
): number | null => {
  if (last === undefined || outside === undefined) return null
  const isSilent = outside.capturedAt >= last.capturedAt + FOUR_HOURS
  return isSilent && seenBeyondEdgeM(circle, outside) - bandM(outside) > 2_000 ? last.capturedAt : outside.capturedAt
}

/**
 * Whether the phone is back in the circle so soon that the stay continues, and before a stay could begin at another
 * circle of the place. Soon means less than two minutes after `first`, the first sighting outside. If only one or two
 * sightings were outside, less than two minutes apart, soon means less than ten minutes after `first`.
 */
const isBackSoon = (
  [first, ...rest]: ReadonlyArray<ReferenceSighting>,
  circle: ReferenceCircle,
  beginsElsewhere: (fix: ReferenceSighting) => boolean
): boolean => {
  if (first === undefined || beginsElsewhere(first)) return false
  const soon = rest.filter(({ capturedAt }) => capturedAt < first.capturedAt + TEN_MINUTES)
  const back = soon.findIndex((fix) => seenBeyondEdgeM(circle, fix) < -bandM(fix))
  const elsewhere = soon.findIndex(beginsElsewhere)
  if (back === -1 || (elsewhere !== -1 && back > elsewhere)) return false
  const outside = [first, ...soon.slice(0, back).filter((fix) => seenBeyondEdgeM(circle, fix) > bandM(fix))]
  const isAway = outside.length > 2 || outside.some(({ capturedAt }) => capturedAt >= first.capturedAt + TWO_MINUTES)
  return !isAway || (soon[back]?.capturedAt ?? 0) < first.capturedAt + TWO_MINUTES
}

/** The most accurate sighting of each instant. An unknown accuracy counts as the worst. */
const onePerInstant = (fixes: ReadonlyArray<ReferenceSighting>): ReadonlyArray<ReferenceSighting> => {
  const accuracy = (fix: ReferenceSighting) => known(fix.accuracy) ?? Number.POSITIVE_INFINITY
  const sorted = [...fixes].sort(
    (a, b) =>
      a.capturedAt - b.capturedAt || compare(accuracy(a), accuracy(b)) || compare(a.lat, b.lat) || compare(a.lon, b.lon)
  )
  return sorted.filter((fix, index) => index === 0 || sorted[index - 1]?.capturedAt !== fix.capturedAt)
}

const compare = (a: number, b: number): number => (a < b ? -1 : a > b ? 1 : 0)

const known = (accuracy: number | null): number | null =>
  accuracy !== null && Number.isFinite(accuracy) && accuracy > 0 ? accuracy : null

const bandM = ({ accuracy }: { readonly accuracy: number | null }): number => Math.max(50, known(accuracy) ?? 50)

const beyondEdgeM = (circle: ReferenceCircle, at: Point): number => geodesicM(circle, at) - circle.radiusM

const seenBeyondEdgeM = (circle: ReferenceCircle, fix: ReferenceSighting): number =>
  fix.isLeftBehind === true ? Infinity : beyondEdgeM(circle, fix)

const circleAt = ({ circles }: ReferencePlace, at: number): ReferenceCircle => {
  const valid = circles.filter(({ from }) => from === null || from <= at).at(-1)
  if (valid === undefined) throw new Error("a place is somewhere at any time")
  return valid.circle
}

const toldBy = (
  reports: ReadonlyArray<ReferenceReport>,
  places: ReadonlyArray<ReferencePlace>,
  staysOf: (placeId: string) => ReadonlyArray<ReferenceVisit>
): ReadonlyArray<{ readonly report: ReferenceReport; readonly visit: ReferenceVisit }> => {
  const arrivals = [...new Set(reports.map((report) => report.arrival))].filter((at) => at !== null)
  return arrivals.flatMap((arrival) => {
    const same = reports.filter((report) => report.arrival === arrival)
    const best = [...same].sort(
      (a, b) => (known(a.accuracy) ?? 50) - (known(b.accuracy) ?? 50) || compare(a.lat, b.lat) || compare(a.lon, b.lon)
    )[0]
    const placeId = best === undefined ? undefined : placeOf(best, arrival, places)
    if (best === undefined || placeId === undefined) return []
    const later = arrivals.filter((other) => other > arrival)
    const lone = reports.filter(
      (report) =>
        report.arrival === null &&
        report.departure !== null &&
        report.departure >= arrival &&
        later.every((other) => other > (report.departure ?? 0)) &&
        geodesicM(report, best) <= Math.max(200, (known(report.accuracy) ?? 50) + (known(best.accuracy) ?? 50))
    )
    const ends = [same, lone].map((some) => some.flatMap(({ departure }) => (departure === null ? [] : [departure])))
    const [paired = [], alone = []] = ends
    const departure =
      paired.length > 0
        ? Math.max(...paired)
        : alone.length > 0
          ? Math.max(...alone)
          : later.length > 0
            ? Math.min(...later)
            : null
    const isTold = paired.length + alone.length > 0
    // The phone reported no departure for this visit, but the phone's fixes may show when the phone left.
    const shown = isTold ? undefined : staysOf(placeId).find((stay) => overlap(stay, { arrival, departure }))?.departure
    const ended = shown == null || (departure !== null && departure < shown) ? departure : shown
    return [{ report: best, visit: { placeId, arrival, departure: ended } }]
  })
}

const placeOf = (
  report: ReferenceReport,
  arrival: number,
  places: ReadonlyArray<ReferencePlace>
): string | undefined => {
  const around = places
    .filter(
      (place) => (place.since ?? arrival) <= arrival && (place.archivedAt === null || arrival <= place.archivedAt)
    )
    .map((place) => ({ id: place.id, circle: circleAt(place, arrival) }))
    .filter(({ circle }) => beyondEdgeM(circle, report) < -bandM(report))
  around.sort(
    (a, b) =>
      Math.round((geodesicM(a.circle, report) - geodesicM(b.circle, report)) * 1e3) ||
      a.circle.radiusM - b.circle.radiusM ||
      compare(Number(a.id > b.id), Number(b.id > a.id))
  )
  return around[0]?.id
}
