import { travel, type Point } from "./geodesic.js"
import { type Random, random } from "./random.js"
import type { ReferenceCircle, ReferenceReport, ReferenceSighting } from "./referenceVisits.js"
import { CIRCLE, DAY, HOUR, MINUTE, NOON, SECOND } from "./rules.js"

/**
 * Generates random scenarios, called lives. A life has two phones of a person and a few places. The generator prefers
 * boundary values of what makes a visit: the band around a circle, five minutes, equal times, the time of a move.
 * Uploads come in pieces, in any order, and some of them twice.
 */

export type Happening =
  | {
      readonly _tag: "Upload"
      readonly phone: number
      readonly fixes: ReadonlyArray<ReferenceSighting>
      readonly reports: ReadonlyArray<ReferenceReport>
    }
  | {
      readonly _tag: "Created"
      readonly circle: ReferenceCircle
      readonly earlier: boolean
      readonly isShared: boolean
    }
  | { readonly _tag: "Moved"; readonly place: number; readonly circle: ReferenceCircle }
  | { readonly _tag: "Archived"; readonly place: number }
  /** A worker derives the stays that are due, in at most `stepsMax` steps. */
  | { readonly _tag: "Derived"; readonly phone: number; readonly stepsMax: number; readonly fixesAStep: number }
  | { readonly _tag: "Asked" }

export interface VisitLife {
  /** The events of the scenario with their times, in ascending order. */
  readonly happenings: ReadonlyArray<readonly [at: number, Happening]>
}

/**
 * The distances end in half metres, because rounding must not decide whether a fix is inside a band. The points at
 * these distances lie in different directions from the centre. In one direction, the distance between two points could
 * be exactly the sum of the widths of their bands.
 */
const DISTANCES_M = [0.5, 50.5, 99.5, 100.5, 149.5, 150.5, 199.5, 200.5, 250.5, 1_000.5, 2_190.5, 2_210.5, 9_000.5]
const [NEAREST, ...FURTHER] = DISTANCES_M.map((metres, index) => travel(CIRCLE, 37 + 7.3 * index, metres))
const SPOTS = [NEAREST ?? CIRCLE, ...FURTHER] as const
const PLAIN: readonly [Point, Point] = [travel(CIRCLE, 200, 0.5), travel(CIRCLE, 200, 700.5)]
const ACCURACIES = [null, 0, -1, 10, 49, 50, 51, 99, 100, 101, 149, 150, 151, 2_000] as const
const GAPS = [
  0,
  1,
  30 * SECOND,
  2 * MINUTE - 1,
  2 * MINUTE,
  5 * MINUTE - 1,
  5 * MINUTE,
  5 * MINUTE + 1,
  10 * MINUTE - 1,
  10 * MINUTE,
  2 * HOUR,
  4 * HOUR - 1,
  4 * HOUR,
  DAY
] as const

const CIRCLES: readonly [ReferenceCircle, ...ReadonlyArray<ReferenceCircle>] = [
  CIRCLE,
  { ...travel(CIRCLE, 90, 120), radiusM: 150 },
  { ...CIRCLE, radiusM: 300 },
  { ...travel(CIRCLE, 200, 700), radiusM: 150 }
]

/**
 * Generates the scenario of `seed`. The same `seed` and `uploads` always give the same scenario. `uploads` is the seed
 * of the order in which the readings arrive.
 */
export const visitLifeOf = (seed: number, uploads: number): VisitLife => {
  const dice = random(seed)
  const seen = [journey(dice), journey(dice)]
  const places = changes(dice)
  const order = random(uploads)
  const arrivals = seen.flatMap((journey, phone) => piecesOf(order, journey, phone))
  return { happenings: [...places, ...arrivals].sort(([a], [b]) => a - b) }
}

interface Journey {
  readonly fixes: ReadonlyArray<ReferenceSighting>
  readonly reports: ReadonlyArray<ReferenceReport>
}

const journey = (dice: Random): Journey => {
  let at = NOON
  const fixes = Array.from({ length: dice.below(24) }, (): ReferenceSighting => {
    at += dice.pick(GAPS)
    const isPlain = dice.oneIn(2)
    return {
      capturedAt: at,
      ...(isPlain ? dice.pick(PLAIN) : dice.pick(SPOTS)),
      accuracy: isPlain ? 10 : dice.pick(ACCURACIES)
    }
  })
  at = NOON
  const reports = Array.from({ length: dice.oneIn(2) ? 0 : 1 + dice.below(8) }, (): ReferenceReport => {
    at += dice.pick(GAPS)
    const departure = at + dice.pick(GAPS)
    const kind = dice.below(4)
    return {
      arrival: kind === 0 ? null : at,
      departure: kind === 1 ? null : departure,
      ...(dice.oneIn(2) ? dice.pick(PLAIN) : dice.pick(SPOTS)),
      accuracy: dice.pick(ACCURACIES)
    }
  })
  return { fixes: distinct(fixes), reports }
}

/**
 * If several readings differ only in accuracy, keeps the last of them. The service stores only one of these readings,
 * and the split of the readings into uploads decides which one (decision L4). So without this function, the expected
 * visits would also depend on the uploads.
 */
const distinct = (fixes: ReadonlyArray<ReferenceSighting>): ReadonlyArray<ReferenceSighting> => [
  ...new Map(fixes.map((fix) => [`${fix.capturedAt} ${fix.lat} ${fix.lon}`, fix])).values()
]

const changes = (dice: Random): ReadonlyArray<readonly [number, Happening]> => {
  const places = 1 + dice.below(3)
  const moments = [NOON - DAY, NOON, NOON + MINUTE, NOON + 5 * MINUTE, NOON + 2 * HOUR, NOON + DAY] as const
  const all: Array<readonly [number, Happening]> = []
  for (let place = 0; place < places; place++) {
    all.push([
      place === 0 ? NOON - 2 * DAY : NOON - 2 * DAY + place,
      { _tag: "Created", circle: dice.pick(CIRCLES), earlier: dice.oneIn(2), isShared: !dice.oneIn(4) }
    ])
  }
  if (dice.oneIn(2)) {
    all.push([
      dice.pick(moments),
      { _tag: "Created", circle: dice.pick(CIRCLES), earlier: !dice.oneIn(4), isShared: true }
    ])
  }
  for (let count = dice.below(4); count > 0; count--) {
    const place = dice.below(places)
    all.push([dice.pick(moments), { _tag: "Moved", place, circle: dice.pick(CIRCLES) }])
  }
  if (dice.oneIn(3)) all.push([dice.pick(moments), { _tag: "Archived", place: dice.below(places) }])
  return all.sort(([a], [b]) => a - b)
}

/**
 * Splits a journey into uploads. Each upload arrives at the time of its newest sighting, some time later, or 5 minutes
 * earlier, as when the phone's clock is ahead. Some uploads are sent again.
 */
const piecesOf = (dice: Random, { fixes, reports }: Journey, phone: number) => {
  const shuffled = shuffle(dice, [
    ...fixes.map((fix) => ({ at: fix.capturedAt, fix, report: undefined })),
    ...reports.map((report) => ({ at: Math.max(report.arrival ?? 0, report.departure ?? 0), fix: undefined, report }))
  ])
  const inOrder = dice.oneIn(3) ? [...shuffled].sort((a, b) => a.at - b.at) : shuffled
  const pieces: Array<readonly [number, Happening]> = []
  for (let index = 0; index < inOrder.length;) {
    const piece = inOrder.slice(index, index + 1 + dice.below(6))
    index += piece.length
    const upload: Happening = {
      _tag: "Upload",
      phone,
      fixes: piece.flatMap(({ fix }) => (fix === undefined ? [] : [fix])),
      reports: piece.flatMap(({ report }) => (report === undefined ? [] : [report]))
    }
    const at = Math.max(...piece.map((one) => one.at)) + dice.pick([0, SECOND, HOUR, 3 * DAY, -5 * MINUTE])
    pieces.push([at, upload])
    if (dice.oneIn(2)) pieces.push([at, lookOf(dice, phone)])
    if (dice.oneIn(5)) pieces.push([at + HOUR, upload], [at + HOUR, lookOf(dice, phone)])
  }
  return pieces
}

const lookOf = (dice: Random, phone: number): Happening =>
  dice.oneIn(3)
    ? { _tag: "Asked" }
    : { _tag: "Derived", phone, stepsMax: dice.pick([1, 2, 100]), fixesAStep: 1 + dice.below(4) }

export const shuffle = <A>(dice: Random, items: ReadonlyArray<A>): ReadonlyArray<A> =>
  items
    .map((item) => [dice.next(), item] as const)
    .sort(([a], [b]) => a - b)
    .map(([, item]) => item)
