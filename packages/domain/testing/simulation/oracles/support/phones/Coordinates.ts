import type { Endpoint, Request } from "../../../Operations.js"
import type { Run } from "../../../Oracle.js"
import { type AnsweredCall, answeredTo, listOf, recordOf } from "../Answers.js"
import { isoOf, textOf, timeOf } from "../trace/Happened.js"
import { mayBeOfFile } from "./Files.js"
import { isLeftBehind } from "./LeftBehind.js"
import { wrongGap } from "./Lookups.js"
import { isKnown, mayBeStored, phonesOf, type SeenReading } from "./Phones.js"
import { worthOf } from "./Whereabouts.js"

/** Compares the coordinates in answers with the readings that phones sent. */

type Call<E extends Endpoint> = AnsweredCall<Extract<Request, { readonly endpoint: E }>>

const each =
  <E extends Endpoint>(endpoint: E, wrong: (run: Run, call: Call<E>) => string | undefined) =>
  (run: Run) =>
    answeredTo(run, endpoint).flatMap((call) => {
      const detail = call.status === 200 ? wrong(run, call) : undefined
      return detail === undefined ? [] : [{ at: call.did.end, detail }]
    })

const tiny = (degrees: unknown): number => Math.round(Number(degrees) * 1e7) + 0

/** The readings that may be the fix in an answer, because time, coordinates and accuracy are equal. */
const readingsOf = (
  all: ReadonlyArray<SeenReading>,
  shown: Readonly<Record<string, unknown>>
): ReadonlyArray<SeenReading> =>
  all.filter(
    ({ accuracyM, capturedAt, lat, lon }) =>
      capturedAt === timeOf(shown["captured_at"]) &&
      tiny(lat) === tiny(shown["lat"]) &&
      tiny(lon) === tiny(shown["lon"]) &&
      worthOf({ accuracyM }) === worthOf({ accuracyM: (shown["accuracy_m"] ?? null) as number | null })
  )

const mayBeThere = (run: Run, { did, pair }: AnsweredCall<Request>): ReadonlyArray<SeenReading> => {
  const { later, seen } = phonesOf(run, pair.userId)
  return [...seen, ...later].filter((fix) => mayBeStored(run, pair.userId, fix, did))
}

/**
 * The readings that are certainly stored. Of readings that differ only in accuracy the service keeps one, so none of
 * these readings is certain.
 */
const surelyThere = (
  run: Run,
  all: ReadonlyArray<SeenReading>,
  { did, pair }: AnsweredCall<Request>
): ReadonlyArray<SeenReading> => {
  const known = all.filter((fix) => isKnown(run, pair.userId, fix, did))
  const keys = new Map<string, number>()
  for (const { key } of all) keys.set(key, (keys.get(key) ?? 0) + 1)
  return known.filter(({ key }) => keys.get(key) === 1)
}

export const wrongLatest = each("GET /v1/locations/latest", (run, call) => {
  const left = (fix: SeenReading) => isLeftBehind(run, call.pair.userId, fix)
  const all = mayBeThere(run, call).filter((fix) => left(fix) !== "yes")
  const sure = surelyThere(run, all, call).filter((fix) => left(fix) === "no")
  const shown = recordOf(call.body["fix"])
  if (shown === undefined)
    return sure.length === 0 ? undefined : `the fix of ${isoOf(sure[0]?.capturedAt)} was not told`
  const at = timeOf(shown["captured_at"]) ?? -Infinity
  const { did, pair } = call
  if (readingsOf(all, shown).length === 0 && !mayBeOfFile(run, pair.userId, at, did.end))
    return `no phone sent what was told of ${isoOf(at)}`
  const newer = sure.find(({ capturedAt }) => capturedAt > at)
  if (newer !== undefined) return `the fix of ${isoOf(newer.capturedAt)} is newer than that of ${isoOf(at)}`
  const better = sure.find(
    (fix) =>
      fix.capturedAt === at && worthOf(fix) < worthOf({ accuracyM: (shown["accuracy_m"] ?? null) as number | null })
  )
  return better === undefined ? undefined : `of ${isoOf(at)} there is a more accurate fix`
})

export const wrongRange = each("GET /v1/locations/timerange", (run, call) => {
  const { from, limit, to } = call.request
  const all = mayBeThere(run, call).filter(({ capturedAt }) => capturedAt >= from && capturedAt < to)
  const shown = listOf(call.body["fixes"])
  const times = shown.map((fix) => timeOf(fix["captured_at"]) ?? Number.NaN)
  const isLast = (call.body["nextCursor"] ?? null) === null
  if (shown.length > limit || (!isLast && shown.length < limit)) return `a page of ${limit} has ${shown.length} fixes`
  if (times.some((at, n) => at < (times[n - 1] ?? -Infinity))) return "its fixes are not in the order of their capture"
  const counts = new Map<SeenReading, number>()
  for (const fix of shown) {
    const readings = readingsOf(all, fix)
    const [free] = readings.filter((reading) => !counts.has(reading))
    if (readings.length === 0) return `no phone sent what was told of ${isoOf(timeOf(fix["captured_at"]))}`
    if (free === undefined) return `the fix of ${isoOf(timeOf(fix["captured_at"]))} is told twice`
    counts.set(free, 1)
  }
  const end = isLast ? Infinity : (times.at(-1) ?? -Infinity)
  const missing = surelyThere(run, all, call).find((fix) => fix.capturedAt < end && !counts.has(fix))
  // Two phones may have sent the same reading. Then the fix in the answer may be matched with the reading of either
  // phone. So a fix is missing only if the answer shows the fix less often than phones sent it.
  const isShown =
    missing !== undefined && shown.filter((fix) => readingsOf([missing], fix).length > 0).length >= sameAs(all, missing)
  return missing === undefined || isShown ? undefined : `the fix of ${isoOf(missing.capturedAt)} is missing`
})

const sameAs = (all: ReadonlyArray<SeenReading>, fix: SeenReading): number =>
  all.filter((other) => other.capturedAt === fix.capturedAt && other.lat === fix.lat && other.lon === fix.lon).length

/** Returns the function that gives the date of a time in the time zone. The locale en-CA writes 2026-03-29. */
const datesIn = (timeZone: string): ((at: number) => string) => {
  const format = new Intl.DateTimeFormat("en-CA", { timeZone, year: "numeric", month: "2-digit", day: "2-digit" })
  return (at) => format.format(at)
}

/** Judges the answers with the number of fixes on each day. */
export const wrongDays = each("GET /v1/locations/days", (run, call) => {
  const { from, to, tz = "UTC" } = call.request
  const dayOf = datesIn(tz)
  const all = mayBeThere(run, call).filter(({ capturedAt }) => capturedAt >= from && capturedAt < to)
  const [most, least] = [countByDay(all, dayOf), countByDay(surelyThere(run, all, call), dayOf)]
  const counts = new Map(listOf(call.body["days"]).map((day) => [textOf(day["date"]) ?? "", Number(day["fixes"])]))
  for (const day of new Set([...counts.keys(), ...least.keys()])) {
    const count = counts.get(day) ?? 0
    if (count < (least.get(day) ?? 0) || count > (most.get(day) ?? 0))
      return `${count} fixes on ${day}, of which there are ${least.get(day) ?? 0} to ${most.get(day) ?? 0}`
  }
  return undefined
})

const countByDay = (fixes: ReadonlyArray<SeenReading>, dayOf: (at: number) => string): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const { capturedAt } of fixes) counts.set(dayOf(capturedAt), (counts.get(dayOf(capturedAt)) ?? 0) + 1)
  return counts
}

export const wrongNearest = each("GET /v1/locations/lookup", (run, call) => {
  const shown = recordOf(call.body["fix"])
  if (call.body["matched"] !== (shown !== undefined)) return "matched does not say whether there is a fix"
  const gap = wrongGap(run, call)
  if (gap !== undefined || shown === undefined) return gap
  if (timeOf(shown["captured_at"]) !== timeOf(call.body["asOf"])) return "it tells the fix of another moment"
  return readingsOf(mayBeThere(run, call), shown).length > 0 ? undefined : "no phone sent what was told"
})
