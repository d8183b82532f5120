import type { PhoneVisit } from "../../../Operations.js"
import type { Run } from "../../../Oracle.js"
import { sidesOf } from "./distance.js"
import { ground, type Pair, type Place, sharing } from "../Ground.js"
import { type CompletedCall, happened, isDone, isoOf, mayBeDone } from "../trace/Happened.js"
import { EARLIEST, FUTURE } from "../../../Specification.js"
import { erased } from "./Erasures.js"
import { type Walk, walksOf } from "./Walks.js"

/**
 * Finds visits that a phone reported and that `GET /v1/visits` left out, although the app read all pages. The check
 * skips the pages if an operation could change the user's data while the app read them. The check judges a visit only
 * if the trace proves at which place the visit was, and that the user shared this place with the app.
 */
export const missing = (run: Run) =>
  walksOf(run).flatMap((walk) => {
    const [first, last] = [walk.pages[0], walk.pages.at(-1)]
    if (!walk.isWhole || first === undefined || last === undefined) return []
    const { userId } = first.pair
    const [begin, end] = [first.did.begin, last.did.end]
    const changes = happened(run).all.some(
      (operation) => "userId" in operation.args && operation.args.userId === userId && isOpen(operation, begin, end)
    )
    if (changes) return []
    const shown = new Set(walk.visits.map(({ arrival, placeId }) => `${arrival} ${placeId}`))
    return expected(run, walk, begin, end).flatMap(({ arrival, placeId }) =>
      shown.has(`${arrival} ${placeId}`)
        ? []
        : [{ at: end, detail: `the visit of ${isoOf(arrival)} at ${placeId} is not told` }]
    )
  })

/**
 * Whether the operation may have taken effect between `begin` and `end`. This includes an earlier upload with an
 * unknown outcome.
 */
const isOpen = (operation: CompletedCall, begin: number, end: number): boolean =>
  operation.begin < end &&
  (operation.end > begin || (operation.name === "upload" && mayBeDone(operation) && !isDone(operation)))

const expected = (run: Run, { pages }: Walk, begin: number, end: number) => {
  const page = pages[0]
  if (page === undefined) return []
  const { pair, request } = page
  const mine = [...ground(run).places.values()].filter(({ userId }) => userId === pair.userId)
  return reportsOf(run, pair.userId, begin).flatMap(({ arrival, visit }) => {
    const isRequested =
      (request.from === null || arrival >= request.from) && (request.to === null || arrival < request.to)
    const around = mine.filter((place) => lies(visit, place) !== "no")
    const [place] = around
    if (erased(run, pair.userId, arrival, begin, end) !== "no") return []
    if (!isRequested || place === undefined || around.length > 1) return []
    const { placeId } = place
    // Visits from before the archiving of their place stay visible (Spec §4.5.5).
    const isLate = place.archivings.some((one) => one.begin < end && arrival >= Math.min(one.beganAt, one.endedAt))
    if (lies(visit, place) !== "yes" || isLate) return []
    if (sharing(pair, placeId, begin, end) !== "yes") return []
    const isIncluded = pair.shares.possible(begin, end).every((shared) => shared.get(placeId) === true)
    return isIncluded || arrival >= sharedSince(pair, placeId, end) ? [{ arrival, placeId }] : []
  })
}

/**
 * The time since which the place was certainly shared without a break. The time begins at the last consent, or at the
 * list of shared places that added the place again. A list that keeps the place does not change this time.
 */
const sharedSince = ({ consents, shares }: Pair, placeId: string, end: number): number => {
  const writes = shares.writes.filter((write) => write.begin < end)
  const consentTimes = new Set(consents.map(({ begin }) => begin))
  const last = writes.findLastIndex(({ begin, value }) => consentTimes.has(begin) || !value.has(placeId))
  const first = writes.slice(Math.max(0, last)).find(({ isCertain, value }) => isCertain && value.has(placeId))
  return first === undefined ? Infinity : Math.max(first.beganAt, first.endedAt)
}

/**
 * Whether the visit is at the place: `yes` when it is certainly inside all circles that the place ever had, `no` when
 * it is inside none. A visit nearer to the boundary than max(50 m, its accuracy) is neither inside nor outside, like a
 * fix (decision visits-2). Simulated phones report no accuracy of visits.
 */
const lies = (visit: PhoneVisit, { circles }: Place): "yes" | "maybe" | "no" => {
  const sides = circles.writes.map(({ value }) => sidesOf(value, { ...visit, capturedAt: 0, accuracyM: null }))
  if (sides.every(({ boundary, inside }) => inside && !boundary)) return "yes"
  return sides.every(({ inside }) => !inside) ? "no" : "maybe"
}

/**
 * The visits that phones certainly reported before the entry `begin`. The list leaves out visits of phones that the
 * user removed at any time in the run, visits that the service may have quarantined, and visits whose reports have
 * different positions.
 */
const reportsOf = (run: Run, userId: string, begin: number) => {
  const found = new Map<string, { readonly arrival: number; readonly visit: PhoneVisit; isOne: boolean }>()
  const removed = new Set(
    happened(run)
      .of("removeDevice")
      .map(({ args }) => args.deviceId)
  )
  for (const operation of happened(run).of("upload")) {
    if (
      operation.args.userId !== userId ||
      operation.end >= begin ||
      !isDone(operation) ||
      removed.has(operation.args.deviceId)
    )
      continue
    for (const visit of operation.args.visits) {
      const { arrival, departure } = visit
      if (
        arrival === null ||
        isPutAside(arrival, operation) ||
        (departure !== null && isPutAside(departure, operation))
      )
        continue
      if (departure !== null && departure < arrival) continue
      const key = `${operation.args.deviceId} ${arrival}`
      const before = found.get(key)
      if (before === undefined) found.set(key, { arrival, visit, isOne: true })
      else if (before.visit.lat !== visit.lat || before.visit.lon !== visit.lon) before.isOne = false
    }
  }
  return [...found.values()].filter(({ isOne }) => isOne)
}

/** Whether the service may have quarantined a visit because its arrival or departure has this time (decision L3). */
const isPutAside = (at: number, { beganAt, endedAt }: CompletedCall): boolean =>
  at > Math.min(beganAt, endedAt) + FUTURE || at < EARLIEST
