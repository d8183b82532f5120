import type { Circle, Request } from "../../../Operations.js"
import type { Run } from "../../../Oracle.js"
import { type AnsweredCall, answeredTo, recordOf } from "../Answers.js"
import { metresToCentre } from "./distance.js"
import { ground, type Place, sharing } from "../Ground.js"
import { happened, isDone, isoOf, textOf, timeOf } from "../trace/Happened.js"
import { isLeftBehind } from "./LeftBehind.js"
import { erased } from "./Erasures.js"
import { isKnown, mayBeStored, phonesOf, type SeenReading } from "./Phones.js"
import { SECOND } from "../../../Specification.js"

/**
 * Judges `GET /v1/lookup/place`. The oracle computes the place at a time from the readings that the phones may have
 * sent.
 */

type Call = AnsweredCall<Extract<Request, { readonly endpoint: "GET /v1/lookup/place" }>>

/**
 * If a distance is closer than this, in metres, to the value at which the result changes, such as the radius of a
 * circle, the oracle considers both results possible.
 */
const TOLERANCE_M = 0.5

export const wrongLookups = (run: Run) =>
  answeredTo(run, "GET /v1/lookup/place").flatMap((call) => {
    const detail = call.status === 200 ? wrong(run, call) : undefined
    return detail === undefined ? [] : [{ at: call.did.end, detail }]
  })

const wrong = (run: Run, call: Call): string | undefined => {
  const { body, did, pair } = call
  const [asOf, placeId] = [timeOf(body["asOf"]), textOf(recordOf(body["place"])?.["id"])]
  if (body["matched"] !== (placeId !== undefined)) return "matched does not say whether there is a place"
  const gap = wrongGap(run, call)
  if (gap !== undefined) return gap
  if (asOf === undefined) return placeId === undefined ? undefined : "there is no fix, and yet a place"
  const there = phonesOf(run, pair.userId)
    .at(asOf)
    .filter((fix) => mayBeStored(run, pair.userId, fix, did) && isLeftBehind(run, pair.userId, fix) !== "yes")
  const [point] = there
  const isOne = there.every(({ lat, lon }) => lat === point?.lat && lon === point?.lon)
  const jumped = happened(run).faults.some(({ fault }) => fault === "clock.jump")
  return point === undefined || !isOne || jumped ? undefined : wrongPlace(run, call, point, placeId)
}

/**
 * What is wrong with a look-up; undefined when nothing is wrong. The look-up must use the fix that is nearest to the
 * requested time, and state how far this fix is from the requested time.
 */
export const wrongGap = (
  run: Run,
  { body, did, pair, request }: AnsweredCall<Extract<Request, { readonly at: number; readonly toleranceS: number }>>
): string | undefined => {
  const asOf = timeOf(body["asOf"])
  const away = (at: number) => Math.abs(at - request.at)
  const isNear = ({ capturedAt }: SeenReading) => away(capturedAt) <= request.toleranceS * SECOND
  const { later, seen } = phonesOf(run, pair.userId)
  const left = (fix: SeenReading) => isLeftBehind(run, pair.userId, fix)
  const all = [...seen, ...later].filter((fix) => isNear(fix) && left(fix) !== "yes")
  const isGone = erased(run, pair.userId, request.at, did.begin, did.end)
  // For a time that the user deleted, a look-up finds no reading, not even a reading from outside the deleted stretch.
  const sure = all.filter((fix) => isGone === "no" && isKnown(run, pair.userId, fix, did) && left(fix) === "no")
  if (isGone === "yes" && asOf !== undefined)
    return `the moment was deleted, and the answer has the fix of ${isoOf(asOf)}`
  if (asOf === undefined) {
    if (body["deltaSeconds"] !== null) return "there is no fix, and yet a gap"
    return sure.length === 0 ? undefined : `the fix of ${isoOf(sure[0]?.capturedAt)} was not found`
  }
  const there = all.filter((fix) => fix.capturedAt === asOf && mayBeStored(run, pair.userId, fix, did))
  if (there.length === 0) return `there is no fix of ${isoOf(asOf)} near enough`
  if (body["deltaSeconds"] !== Math.floor(away(asOf) / SECOND)) return `the gap to ${isoOf(asOf)} is wrong`
  const nearer = sure.find(
    ({ capturedAt }) => away(capturedAt) < away(asOf) || (away(capturedAt) === away(asOf) && capturedAt < asOf)
  )
  return nearer === undefined
    ? undefined
    : `the fix of ${isoOf(nearer.capturedAt)} is nearer than that of ${isoOf(asOf)}`
}

interface Around {
  readonly place: Place
  readonly isAround: "yes" | "maybe" | "no"
  readonly circles: ReadonlyArray<Circle>
}

const wrongPlace = (
  run: Run,
  { did, pair }: Call,
  fix: SeenReading,
  placeId: string | undefined
): string | undefined => {
  const mine = [...ground(run).places.values()].filter(({ userId }) => userId === pair.userId)
  const around = mine.map((place): Around => {
    const circles = circlesThen(place, fix.capturedAt, did.end)
    const answers = [
      sharing(pair, place.placeId, did.begin, did.end),
      wasThere(place, fix.capturedAt, did.end),
      containing(circles, fix)
    ]
    const isAround = answers.includes("no") ? "no" : answers.includes("maybe") ? "maybe" : "yes"
    return { place, isAround, circles }
  })
  if (placeId === undefined) {
    const found = around.find(({ isAround }) => isAround === "yes")
    return found === undefined ? undefined : `the fix of ${isoOf(fix.capturedAt)} lies in ${found.place.placeId}`
  }
  const answered = around.find(({ place }) => place.placeId === placeId)
  if (answered === undefined) return undefined
  if (answered.isAround === "no") return `the fix of ${isoOf(fix.capturedAt)} lies in no visible ${placeId}`
  const better = around.find(
    (other) =>
      other !== answered &&
      other.isAround === "yes" &&
      everyPair(other.circles, answered.circles, (a, b) => isBetter(a, b, fix))
  )
  return better === undefined
    ? undefined
    : `${better.place.placeId} is the smaller or nearer one of those around the fix`
}

const isBetter = (one: Circle, other: Circle, fix: SeenReading): boolean =>
  one.radiusM !== other.radiusM
    ? one.radiusM < other.radiusM
    : metresToCentre(one, fix) < metresToCentre(other, fix) - TOLERANCE_M

const everyPair = (
  ones: ReadonlyArray<Circle>,
  others: ReadonlyArray<Circle>,
  holds: (a: Circle, b: Circle) => boolean
) => ones.every((one) => others.every((other) => holds(one, other)))

const containing = (circles: ReadonlyArray<Circle>, fix: SeenReading): "yes" | "maybe" | "no" => {
  const beyond = circles.map((circle) => metresToCentre(circle, fix) - circle.radiusM)
  if (beyond.every((metres) => metres < -TOLERANCE_M)) return "yes"
  return beyond.every((metres) => metres > TOLERANCE_M) ? "no" : "maybe"
}

/**
 * The circles that a place may have had at the time `at`. The first circle of a place also applies to all earlier
 * times. Each later circle applies from the change that set the circle.
 */
const circlesThen = ({ circles }: Place, at: number, end: number): ReadonlyArray<Circle> => {
  const before = circles.writes.filter((write, index) => write.begin < end && (index === 0 || write.beganAt <= at))
  const settled = before.findLastIndex((write, index) => index === 0 || (write.isCertain && write.endedAt <= at))
  return before.slice(Math.max(0, settled)).map(({ value }) => value)
}

/**
 * Whether the place matched fixes that were captured at the time `at`. An archived place still matches fixes from
 * before the archiving.
 */
const wasThere = ({ archivings }: Place, at: number, end: number): "yes" | "maybe" | "no" => {
  const before = archivings.filter((operation) => operation.begin < end)
  if (before.every(({ beganAt }) => at < beganAt)) return "yes"
  return before.some((operation) => isDone(operation) && operation.endedAt < at) ? "no" : "maybe"
}
