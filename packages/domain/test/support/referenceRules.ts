import { geodesicM, type Point } from "./geodesic.js"

/**
 * Spec §4.6 once more, slowly: written from the text and decisions L3 to L7 alone, over whole lists, without a state machine and
 * without a line of the product. What it and the product both say is probably right.
 */

/** A fix of a phone. Times in milliseconds, accuracy in metres; null, 0 or less: not known. */
export interface ReferenceFix extends Point {
  readonly capturedAt: number
  /** When the upload that carried it arrived. Consecutive fixes of one receipt time are one upload. */
  readonly receivedAt: number
  readonly accuracy: number | null
}

export interface ReferenceCircle extends Point {
  readonly radiusM: number
}

export interface ReferenceRule {
  readonly type: "enter" | "exit" | "dwell"
  readonly dwellMinutes?: number | null
  /** Inclusive. */
  readonly activeFrom?: number | null
  /** Exclusive. */
  readonly activeUntil?: number | null
}

const SECOND = 1_000
const MINUTE = 60 * SECOND
const DAY = 24 * 60 * MINUTE

/** The capture times at which the rule fires, oldest first, for fixes in the order of their arrival. */
export const referenceFirings = (
  fixes: ReadonlyArray<ReferenceFix>,
  circle: ReferenceCircle,
  rule: ReferenceRule
): ReadonlyArray<number> => {
  const sightings = decisiveSightings(inOrderOfEvaluation(fixes), circle, rule)
  const moments =
    rule.type === "dwell" ? dwells(sightings, (rule.dwellMinutes ?? 0) * MINUTE) : crossings(sightings, rule.type)
  const fired: Array<number> = []
  for (const { at, isFresh } of moments) {
    const last = fired.at(-1)
    const coolsDown = last !== undefined && at < last + 2 * MINUTE
    if (isFresh && !coolsDown) fired.push(at)
  }
  return fired
}

interface Sighting {
  readonly at: number
  readonly isInside: boolean
  /** Rule 4: known soon enough to tell anybody. */
  readonly isFresh: boolean
}

/** Uploads as they came, the fixes of each by capture time; of one time the most accurate first (L4). */
const inOrderOfEvaluation = (fixes: ReadonlyArray<ReferenceFix>): ReadonlyArray<ReferenceFix> => {
  const uploads: Array<Array<ReferenceFix>> = []
  for (const fix of fixes) {
    const upload = uploads.at(-1)
    if (upload !== undefined && upload[0]?.receivedAt === fix.receivedAt) upload.push(fix)
    else uploads.push([fix])
  }
  const worth = (fix: ReferenceFix): number => knownAccuracy(fix) ?? Number.POSITIVE_INFINITY
  const better = (a: ReferenceFix, b: ReferenceFix): boolean =>
    a.capturedAt !== b.capturedAt
      ? a.capturedAt < b.capturedAt
      : worth(a) !== worth(b)
        ? worth(a) < worth(b)
        : a.lat !== b.lat
          ? a.lat < b.lat
          : a.lon < b.lon
  return uploads.flatMap((upload) => [...upload].sort((a, b) => (better(a, b) ? -1 : better(b, a) ? 1 : 0)))
}

const knownAccuracy = ({ accuracy }: ReferenceFix): number | null =>
  accuracy !== null && Number.isFinite(accuracy) && accuracy > 0 ? accuracy : null

/** What the rule can see: inside its window (rule 5), newer than all that it saw, and away from the edge (rule 2). */
const decisiveSightings = (
  fixes: ReadonlyArray<ReferenceFix>,
  circle: ReferenceCircle,
  rule: ReferenceRule
): ReadonlyArray<Sighting> => {
  const seen: Array<Sighting> = []
  const known = new Set<string>()
  for (const fix of fixes) {
    // L4: of the same phone, time and place there is one fix, whatever else a later one says.
    const name = JSON.stringify([fix.capturedAt, fix.lat.toFixed(7), fix.lon.toFixed(7)])
    if (known.has(name)) continue
    known.add(name)
    if (rule.activeFrom != null && fix.capturedAt < rule.activeFrom) continue
    if (rule.activeUntil != null && fix.capturedAt >= rule.activeUntil) continue
    if (rule.activeUntil != null && fix.receivedAt > rule.activeUntil + DAY) continue
    if (seen.some((earlier) => earlier.at >= fix.capturedAt)) continue
    const metres = geodesicM(circle, fix)
    if (Math.abs(metres - circle.radiusM) <= Math.max(50, knownAccuracy(fix) ?? 0)) continue
    seen.push({
      at: fix.capturedAt,
      isInside: metres < circle.radiusM,
      isFresh: fix.receivedAt - fix.capturedAt <= 15 * MINUTE
    })
  }
  return seen
}

/** Rule 1: the first sighting has none before it, so it never crosses. */
const crossings = (sightings: ReadonlyArray<Sighting>, type: "enter" | "exit"): ReadonlyArray<Sighting> =>
  sightings.filter(
    (now, index) => index > 0 && now.isInside === (type === "enter") && sightings[index - 1]?.isInside !== now.isInside
  )

/** One moment for each unbroken stay at most: the first fresh sighting that is long enough after the stay's first (L7). */
const dwells = (sightings: ReadonlyArray<Sighting>, length: number): ReadonlyArray<Sighting> => {
  const stays: Array<Array<Sighting>> = [[]]
  for (const sighting of sightings) {
    if (sighting.isInside) stays.at(-1)?.push(sighting)
    else stays.push([])
  }
  return stays.flatMap((stay) => {
    const start = stay[0]?.at ?? 0
    const moment = stay.find((sighting) => sighting.isFresh && sighting.at - start >= length)
    return moment === undefined ? [] : [moment]
  })
}
