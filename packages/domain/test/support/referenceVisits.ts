import { geodesicM, type Point } from "./geodesic.js"

/**
 * Visits once more, slowly: written from Spec §4.5 and decision L10 alone, over whole lists of what a phone ever sent, without a
 * state machine, a watermark or a line of the product.
 */

export interface ReferenceCircle extends Point {
  readonly radiusM: number
}

export interface ReferencePlace {
  readonly id: string
  /** In the order of time; the first since ever. */
  readonly circles: ReadonlyArray<{ readonly from: number | null; readonly circle: ReferenceCircle }>
  readonly archivedAt: number | null
  /** Visits that began earlier are not told; null: all are. */
  readonly since: number | null
}

export interface ReferenceSighting extends Point {
  readonly capturedAt: number
  readonly accuracy: number | null
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

/** Newest first, then by place. `places` are those that the app knows. */
export const referenceVisits = (
  places: ReadonlyArray<ReferencePlace>,
  phones: ReadonlyArray<ReferencePhone>,
  now: number
): ReadonlyArray<ReferenceVisit> => {
  const all = phones.flatMap((phone) =>
    phone.reports.length > 0
      ? toldBy(phone.reports, places)
      : places.flatMap((place) =>
          staysAt(place, phone.fixes).filter(
            ({ arrival, departure }) =>
              (place.since === null || arrival >= place.since) && (departure ?? now) - arrival >= FIVE_MINUTES
          )
        )
  )
  const longest = new Map<string, ReferenceVisit>()
  for (const visit of all) {
    const key = `${visit.arrival} ${visit.placeId}`
    const known = longest.get(key)
    if (known === undefined || end(visit) > end(known)) longest.set(key, visit)
  }
  return [...longest.values()].sort((a, b) => b.arrival - a.arrival || (a.placeId < b.placeId ? -1 : 1))
}

const end = ({ departure }: ReferenceVisit): number => departure ?? Number.POSITIVE_INFINITY

const staysAt = (place: ReferencePlace, fixes: ReadonlyArray<ReferenceSighting>): ReadonlyArray<ReferenceVisit> => {
  const seen = onePerInstant(fixes)
  const begins = (fix: ReferenceSighting): boolean =>
    (place.archivedAt === null || fix.capturedAt <= place.archivedAt) &&
    beyondEdgeM(circleAt(place, fix.capturedAt), fix) < -bandM(fix)
  const stays: Array<ReferenceVisit> = []
  for (let from = 0; from < seen.length;) {
    const first = seen.findIndex((fix, index) => index >= from && begins(fix))
    const arrival = seen[first]?.capturedAt
    if (arrival === undefined) break
    const circle = circleAt(place, arrival)
    const left = seen.findIndex((fix, index) => index > first && beyondEdgeM(circle, fix) > bandM(fix))
    stays.push({ placeId: place.id, arrival, departure: seen[left]?.capturedAt ?? null })
    if (left === -1) break
    from = left
  }
  return stays
}

/** The most accurate of each instant; unknown is the least accurate. */
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

const circleAt = ({ circles }: ReferencePlace, at: number): ReferenceCircle => {
  const valid = circles.filter(({ from }) => from === null || from <= at).at(-1)
  if (valid === undefined) throw new Error("a place is somewhere at any time")
  return valid.circle
}

const toldBy = (
  reports: ReadonlyArray<ReferenceReport>,
  places: ReadonlyArray<ReferencePlace>
): ReadonlyArray<ReferenceVisit> => {
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
    const [told = [], alone = []] = ends
    const departure =
      told.length > 0
        ? Math.max(...told)
        : alone.length > 0
          ? Math.max(...alone)
          : later.length > 0
            ? Math.min(...later)
            : null
    return [{ placeId, arrival, departure }]
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
    .filter(({ circle }) => beyondEdgeM(circle, report) <= 0)
    .filter(({ circle }) => (known(report.accuracy) ?? 50) <= Math.max(100, circle.radiusM))
  around.sort(
    (a, b) =>
      a.circle.radiusM - b.circle.radiusM ||
      geodesicM(a.circle, report) - geodesicM(b.circle, report) ||
      compare(Number(a.id > b.id), Number(b.id > a.id))
  )
  return around[0]?.id
}
