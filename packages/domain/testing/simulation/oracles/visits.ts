import type { Oracle, Run } from "../Oracle.js"
import { answered, answeredTo, listOf, recordOf } from "./support/Answers.js"
import { archived, ground, type Pair, sharing } from "./support/Ground.js"
import { happened, isoOf, mayBeDone, textOf } from "./support/trace/Happened.js"
import { wrongLookups } from "./support/phones/Lookups.js"
import { missing } from "./support/phones/ReportedVisits.js"
import { pagesOf, type WalkReport, visitsOf, walksOf } from "./support/phones/Walks.js"

/** Oracles of answers about the past: visits, and the place at a given time (Spec §4.5). */

const each = (run: Run, wrong: (visit: WalkReport) => string | undefined) =>
  pagesOf(run).flatMap((page) =>
    visitsOf(page).flatMap((visit) => {
      const detail = wrong(visit)
      return detail === undefined ? [] : [{ at: page.did.end, detail }]
    })
  )

const v1: Oracle = {
  name: "V1",
  rule: "Every visit is at a place that is shared with the app now, and never null (Spec §4.5.1)",
  check: (run) =>
    each(run, ({ page: { did, pair }, placeId }) => {
      if (placeId === undefined) return "a visit has no place"
      return sharing(pair, placeId, did.begin, did.end) === "no"
        ? `a visit is at ${placeId}, which is not shared`
        : undefined
    })
}

const v2: Oracle = {
  name: "V2",
  rule: "Stops at places that are not shared change nothing in an answer: pages are full, and a visit has no field that reveals such a stop (Spec §4.5.1, decisions §4)",
  check: (run) => [
    ...pagesOf(run).flatMap(({ body, did, request }) => {
      const count = listOf(body["visits"]).length
      const isShort = body["nextCursor"] !== null && count !== request.limit
      return isShort || count > request.limit
        ? [{ at: did.end, detail: `a page of ${request.limit} has ${count} visits and is not the last` }]
        : []
    }),
    ...each(run, ({ raw }) => {
      const extra = [
        ...Object.keys(raw).filter((key) => !["arrival", "departure", "place"].includes(key)),
        ...Object.keys(recordOf(raw["place"]) ?? {}).filter((key) => !["id", "label", "kind"].includes(key))
      ]
      return extra.length === 0 ? undefined : `a visit tells ${extra.join(", ")}`
    })
  ]
}

const v3: Oracle = {
  name: "V3",
  rule: "Visits from before the place was shared are visible only if the user included them (Spec §4.5.3)",
  check: (run) =>
    each(run, ({ arrival, page: { did, pair }, placeId }) => {
      if (placeId === undefined || arrival === undefined) return undefined
      const now = pair.shares.possible(did.begin, did.end)
      if (now.every((shared) => shared.get(placeId) === undefined)) return undefined
      if (now.some((shared) => shared.get(placeId) === true)) return undefined
      const since = sharedSince(pair, placeId, did)
      return arrival < since
        ? `a visit of ${isoOf(arrival)} is told, of ${placeId}, shared since ${isoOf(since)}`
        : undefined
    })
}

/** The earliest time since which the place may have been shared without a break. */
const sharedSince = (pair: Pair, placeId: string, { begin, end }: { readonly begin: number; readonly end: number }) => {
  const before = pair.shares.writes.filter((write) => write.begin < end)
  const gone = before.filter(({ isCertain, value, ...write }) => isCertain && !value.has(placeId) && write.end < begin)
  const last = Math.max(-1, ...gone.map((write) => write.begin))
  const shared = before.filter((write) => write.value.has(placeId) && write.end > last)
  return Math.min(Infinity, ...shared.map(({ beganAt, endedAt }) => Math.min(beganAt, endedAt)))
}

const v4: Oracle = {
  name: "V4",
  rule: "Reading page after page gives every visible visit once, newest first, and ends only at a null cursor (Spec §4.5.2)",
  check: (run) => [
    ...walksOf(run).flatMap(({ visits }) =>
      visits.flatMap((visit, index) => {
        const before = visits[index - 1]
        const { arrival, page, placeId } = visit
        const { from, to } = page.request
        const at = page.did.end
        if (arrival === undefined) return [{ at, detail: "a visit has no arrival" }]
        if ((from !== null && arrival < from) || (to !== null && arrival >= to))
          return [{ at, detail: `a visit of ${isoOf(arrival)} is outside of what was asked for` }]
        if (before?.arrival === undefined || before.arrival > arrival) return []
        const isNext = before.arrival === arrival && (before.placeId ?? "") < (placeId ?? "")
        return isNext
          ? []
          : [{ at, detail: `a visit of ${isoOf(arrival)} comes after one of ${isoOf(before.arrival)}` }]
      })
    ),
    ...missing(run)
  ]
}

const v5: Oracle = {
  name: "V5",
  rule: "Places are named as they are now; archived ones keep their label (Spec §4.5.5)",
  check: (run) =>
    answered(run).flatMap(({ body, did, status }) =>
      status !== 200
        ? []
        : refsIn(body).flatMap((ref) => {
            const place = ground(run).places.get(textOf(ref["id"]) ?? "")
            const names = place?.labels.possible(did.begin, did.end)
            if (names === undefined || names.some(({ kind, label }) => label === ref["label"] && kind === ref["kind"]))
              return []
            return [{ at: did.end, detail: `${place?.placeId} is called “${textOf(ref["label"])}”` }]
          })
    )
}

const refsIn = (body: Readonly<Record<string, unknown>>) =>
  [body["place"], ...listOf(body["visits"]).map(({ place }) => place), ...listOf(body["places"])]
    .map(recordOf)
    .filter((ref) => ref !== undefined)

const v6: Oracle = {
  name: "V6",
  rule: "A look-up finds the nearest fix, before or after, and the place where it lies (Spec §4.5)",
  check: wrongLookups
}

const v7: Oracle = {
  name: "V7",
  rule: "An unknown, a withdrawn and an archived place have the same 404 (Spec §4.5, §7)",
  check: (run) => {
    const { places } = ground(run)
    const isAllKnown = !happened(run)
      .of("createPlace")
      .some((operation) => mayBeDone(operation) && operation.outcome?._tag !== "ok")
    let first: string | undefined
    return [
      ...answeredTo(run, "GET /v1/answers/places/{place_id}/presence"),
      ...answeredTo(run, "POST /v1/rules/place")
    ].flatMap(({ body, did, error, pair, request: { placeId }, status }) => {
      const { begin, end } = did
      const place = places.get(placeId)
      const isGone = place !== undefined && archived(place, begin, end) === "yes"
      const isHidden = sharing(pair, placeId, begin, end) === "no" && (place !== undefined || isAllKnown)
      if ((isHidden || isGone) && (status < 300 || status === 409))
        return [{ at: end, detail: `${placeId} is not visible, and the answer is ${status}` }]
      if (status !== 404) return []
      const answer = JSON.stringify([error, body])
      first ??= answer
      return answer === first ? [] : [{ at: end, detail: `404 is ${answer} here and ${first} elsewhere` }]
    })
  }
}

export const visits: ReadonlyArray<Oracle> = [v1, v2, v3, v4, v5, v6, v7]
