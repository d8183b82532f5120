import type { Oracle, Run } from "../Oracle.js"
import { marginM, metresToCentre } from "./support/phones/distance.js"
import { ground } from "./support/Ground.js"
import { happened, isoOf, mayBeDone } from "./support/trace/Happened.js"
import { isLeftBehind } from "./support/phones/LeftBehind.js"
import { erasuresOf } from "./support/phones/Erasures.js"
import { phonesOf } from "./support/phones/Phones.js"
import { pagesOf, type WalkReport, visitsOf } from "./support/phones/Walks.js"

/** The oracle of the times and places of the visits that an app sees (Spec §4.5, decision L10). */

interface Moments {
  readonly arrivals: ReadonlySet<number>
  readonly departures: ReadonlySet<number>
}

/** The arrivals and departures that the phones of a user reported for visits. */
const reported = (run: Run, userId: string): Moments => {
  const visits = happened(run)
    .of("upload")
    .filter((operation) => operation.args.userId === userId && mayBeDone(operation))
    .flatMap(({ args }) => args.visits)
  const moments = (all: ReadonlyArray<number | null>) => new Set(all.filter((at) => at !== null))
  return {
    arrivals: moments(visits.map(({ arrival }) => arrival)),
    departures: moments(visits.map(({ departure }) => departure))
  }
}

const wrong = (run: Run, { arrival, departure, page, placeId, raw }: WalkReport): string | undefined => {
  if (arrival === undefined || placeId === undefined) return undefined
  const { userId } = page.pair
  const phones = phonesOf(run, userId)
  const { arrivals, departures } = reported(run, userId)
  const place = ground(run).places.get(placeId)
  const at = (moment: number) => [...phones.at(moment), ...phones.later.filter((fix) => fix.capturedAt === moment)]
  const carried = at(arrival).filter((fix) => isLeftBehind(run, userId, fix) !== "yes")
  const isInside = carried.some((fix) =>
    place?.circles.writes.some(({ value }) => metresToCentre(value, fix) - value.radiusM < marginM(fix))
  )
  if (place !== undefined && !isInside && !arrivals.has(arrival))
    return `no phone was at ${placeId} at ${isoOf(arrival)}, when a visit begins`
  if ((raw["departure"] ?? null) === null) return undefined
  if (departure === undefined || departure < arrival) return `a visit of ${isoOf(arrival)} ends before it begins`
  // If a phone reported a visit without a departure, the visit ends when the phone's next visit begins.
  const isSeen = at(departure).length > 0 || departures.has(departure) || arrivals.has(departure)
  if (erasuresOf(run, userId).some(({ args, begin }) => begin < page.did.end && args.from === departure))
    return undefined
  return isSeen ? undefined : `no phone told anything of ${isoOf(departure)}, when a visit ends`
}

const v8: Oracle = {
  name: "V8",
  rule: "A visit begins with a fix at its place, or as a phone reported it, and ends with a fix or as reported (Spec §4.5, decision L10)",
  check: (run) =>
    pagesOf(run).flatMap((page) =>
      visitsOf(page).flatMap((visit) => {
        const detail = wrong(run, visit)
        return detail === undefined ? [] : [{ at: page.did.end, detail }]
      })
    )
}

export const visitValues: ReadonlyArray<Oracle> = [v8]
