import type { Run } from "../../../Oracle.js"
import { type Endpoint, endpointsOf, type Reading } from "./Endpoints.js"
import { type Row, rows } from "./Firings.js"
import { type CompletedCall, happened, mayBeDone } from "../trace/Happened.js"
import { DAY, DELIVERED_KEPT, STRIKES } from "../../../Specification.js"

/** How the ends of deliveries change the count of strikes of their endpoint (Spec §6.4.7, decision W4). */

/**
 * The end of a delivery that changes, or may change, the count of strikes. If a developer brought the last attempt of a
 * delivery forward by hand, the end of this delivery does not change the count (Spec §3.4).
 */
interface End {
  readonly at: number
  readonly what: "strike" | "clear"
  readonly isSure: boolean
}

/** The ends of the endpoint's deliveries up to the time `until`, oldest first. */
const endsOf = (run: Run, endpointId: string, until: number): ReadonlyArray<End> =>
  rows(run)
    .filter((row) => row.endpointId === endpointId && !row.isTest && !row.isReplay)
    .flatMap((row): ReadonlyArray<End> => {
      const { endedAt, failReason, state } = row
      const what = state === "delivered" ? "clear" : failReason === "exhausted" ? "strike" : undefined
      if (endedAt === null || what === undefined || endedAt > until) return []
      return [{ at: endedAt, what, isSure: !mayBeHurried(run, row) }]
    })
    .sort((a, b) => a.at - b.at)

const mayBeHurried = (run: Run, { deliveryId }: Row): boolean => hurriesOf(run, deliveryId).length > 0

const indexes = new WeakMap<object, ReadonlyMap<string, ReadonlyArray<CompletedCall<"retryNow">>>>()

export const hurriesOf = (run: Run, deliveryId: string): ReadonlyArray<CompletedCall<"retryNow">> => {
  const found = indexes.get(run)
  if (found !== undefined) return found.get(deliveryId) ?? []
  const made = new Map<string, Array<CompletedCall<"retryNow">>>()
  for (const operation of happened(run).of("retryNow")) {
    if (mayBeDone(operation))
      made.set(operation.args.deliveryId, [...(made.get(operation.args.deliveryId) ?? []), operation])
  }
  indexes.set(run, made)
  return made.get(deliveryId) ?? []
}

/**
 * The lowest and the highest number of strikes that the endpoint may have had at the read `reading`; undefined when the
 * trace does not show enough.
 */
const strikesAt = (run: Run, endpoint: Endpoint, reading: Reading): readonly [number, number] | undefined => {
  const { endpointId, enablings } = endpoint
  const { by } = reading
  const isLost = !isInLog(run, endpoint, by) || enablings.some((operation) => operation.begin < by.end)
  if (isLost || by.beganAt !== by.endedAt) return undefined
  if (happened(run).faults.some(({ fault }) => fault === "clock.jump")) return undefined
  const ends = endsOf(run, endpointId, by.endedAt)
  // If two deliveries ended at the same instant, the trace does not show their order. If a delivery ended at the
  // instant of the read, the trace does not show whether the read came first. In both cases the count of strikes is
  // unknown.
  if (ends.some(({ at }, index) => at === by.endedAt || at === ends[index - 1]?.at)) return undefined
  let [least, most] = [0, 0]
  for (const { isSure, what } of ends) {
    if (what === "strike") {
      most++
      if (isSure) least++
    } else {
      least = 0
      if (isSure) most = 0
    }
  }
  return [least, most]
}

/**
 * Whether somebody read the delivery log after `by`, at a time when the log certainly had all rows of the endpoint. The
 * log keeps delivered rows for only a week.
 */
const isInLog = (run: Run, { appId, created }: Endpoint, by: Reading["by"]): boolean =>
  happened(run)
    .of("readDeliveries")
    .some(
      (operation) =>
        operation.args.appId === appId &&
        operation.outcome?._tag === "ok" &&
        operation.begin > by.begin &&
        operation.endedAt - created.beganAt <= DELIVERED_KEPT - DAY
    )

/**
 * Reports each endpoint whose state contradicts the rule that twenty exhausted deliveries in a row disable an endpoint.
 */
export const wrongDisablings = (run: Run) =>
  [...endpointsOf(run).values()].flatMap((endpoint) =>
    endpoint.readings.flatMap((reading) => {
      const at = reading.by.end
      const { disabledAt, enabled, strikes } = reading
      if (enabled !== (disabledAt === null)) return [{ at, detail: "enabled and disabledAt contradict each other" }]
      const range = enabled ? strikesAt(run, endpoint, reading) : undefined
      const [least, most] = range ?? [0, Infinity]
      if (least >= STRIKES) return [{ at, detail: `${endpoint.endpointId} is enabled after ${least} in a row` }]
      if (strikes < least || strikes > most)
        return [{ at, detail: `${endpoint.endpointId} has ${strikes} strikes, and not ${least} to ${most}` }]
      return disabledAt === null ? [] : tooEarly(run, endpoint, disabledAt, reading)
    })
  )

const tooEarly = (run: Run, endpoint: Endpoint, disabledAt: number, { by }: Reading) => {
  if (!isInLog(run, endpoint, by) || happened(run).faults.some(({ fault }) => fault === "clock.jump")) return []
  const ends = endsOf(run, endpoint.endpointId, disabledAt)
  const cleared = ends.findLastIndex(({ at, isSure, what }) => what === "clear" && isSure && at < disabledAt)
  const since = ends
    .slice(cleared + 1)
    .filter(({ at, what }) => what === "strike" && at >= (ends[cleared]?.at ?? -Infinity))
  return since.length >= STRIKES
    ? []
    : [{ at: by.end, detail: `${endpoint.endpointId} was disabled after ${since.length} in a row` }]
}
