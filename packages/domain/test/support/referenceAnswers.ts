import { geodesicM, type Point } from "./geodesic.js"

/**
 * A second implementation of Spec §4.5, simple and slow, written from the text and decision L9. It works on whole
 * lists, with Karney's distances and without code of the product.
 */

export interface KnownFix extends Point {
  readonly capturedAt: number
  /** The accuracy in metres. Null, 0 or a negative number means that it is unknown. */
  readonly accuracy: number | null
}

export interface KnownPlace {
  readonly id: string
  /** The circles that the place had, ordered by `since`. The first circle applies from the beginning. */
  readonly circles: ReadonlyArray<Point & { readonly radiusM: number; readonly since: number }>
  readonly archivedAt: number | null
}

const known = ({ accuracy }: KnownFix): number | null => (accuracy !== null && accuracy > 0 ? accuracy : null)

/** Sorts fixes, newest first. Of fixes with the same time, the more accurate one comes first. */
const newestFirst = (fixes: ReadonlyArray<KnownFix>): ReadonlyArray<KnownFix> =>
  [...fixes].sort(
    (a, b) =>
      b.capturedAt - a.capturedAt ||
      (known(a) ?? Number.MAX_VALUE) - (known(b) ?? Number.MAX_VALUE) ||
      a.lat - b.lat ||
      a.lon - b.lon
  )

const circleNow = ({ circles }: KnownPlace) => circles[circles.length - 1]!
const circleThen = ({ circles }: KnownPlace, at: number) => circles.filter(({ since }) => since <= at).at(-1)!

const side = (circle: Point & { readonly radiusM: number }, fix: KnownFix): "in" | "out" | "between" => {
  const metres = geodesicM(circle, fix)
  const band = Math.max(50, known(fix) ?? 0)
  return Math.abs(metres - circle.radiusM) <= band ? "between" : metres < circle.radiusM ? "in" : "out"
}

const first = (
  places: ReadonlyArray<{ readonly id: string; readonly circle: Point & { readonly radiusM: number } }>,
  fix: KnownFix
): string | null =>
  [...places].sort(
    (a, b) =>
      a.circle.radiusM - b.circle.radiusM ||
      geodesicM(a.circle, fix) - geodesicM(b.circle, fix) ||
      (a.id < b.id ? -1 : 1)
  )[0]?.id ?? null

export const referenceCurrent = (
  places: ReadonlyArray<KnownPlace>,
  fixes: ReadonlyArray<KnownFix>,
  now: number,
  maxAgeS: number
) => {
  const visible = places.filter(({ archivedAt }) => archivedAt === null)
  const decisive = newestFirst(fixes).filter((fix) => {
    const sides = visible.map((place) => side(circleNow(place), fix))
    return now - fix.capturedAt <= maxAgeS * 1_000 && (sides.includes("in") || sides.every((one) => one === "out"))
  })
  const fix = decisive[0]
  if (fix === undefined) return { state: "unknown", place: null, asOf: null }
  const around = visible.filter((place) => side(circleNow(place), fix) === "in")
  const place = first(
    around.map((one) => ({ id: one.id, circle: circleNow(one) })),
    fix
  )
  return { state: place === null ? "elsewhere" : "at_place", place, asOf: fix.capturedAt }
}

export const referencePresence = (
  circle: Point & { readonly radiusM: number },
  fixes: ReadonlyArray<KnownFix>,
  now: number,
  maxAgeS: number
) => {
  const decisive = newestFirst(fixes).filter(
    (fix) => now - fix.capturedAt <= maxAgeS * 1_000 && side(circle, fix) !== "between"
  )
  const fix = decisive[0]
  return fix === undefined
    ? { state: "unknown", asOf: null }
    : { state: side(circle, fix) === "in" ? "yes" : "no", asOf: fix.capturedAt }
}

export const referenceLookup = (
  places: ReadonlyArray<KnownPlace>,
  fixes: ReadonlyArray<KnownFix>,
  at: number,
  toleranceS: number
) => {
  const away = (fix: KnownFix) => Math.abs(fix.capturedAt - at)
  const near = newestFirst(fixes).filter((fix) => away(fix) <= toleranceS * 1_000)
  const least = Math.min(...near.map(away))
  const nearest = near.filter((fix) => away(fix) === least)
  const earliest = Math.min(...nearest.map(({ capturedAt }) => capturedAt))
  const fix = nearest.find(({ capturedAt }) => capturedAt === earliest)
  if (fix === undefined) return { place: null, asOf: null, deltaSeconds: null }
  const around = places
    .filter(({ archivedAt }) => archivedAt === null || fix.capturedAt <= archivedAt)
    .map((place) => ({ id: place.id, circle: circleThen(place, fix.capturedAt) }))
    .filter(({ circle }) => geodesicM(circle, fix) <= circle.radiusM)
  return { place: first(around, fix), asOf: fix.capturedAt, deltaSeconds: Math.floor(least / 1_000) }
}
