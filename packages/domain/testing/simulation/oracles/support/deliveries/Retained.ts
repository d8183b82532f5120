import type { Run } from "../../../Oracle.js"
import { DELIVERED_KEPT, HOUR, UNDELIVERED_KEPT } from "../../../Specification.js"
import { happened, isoOf } from "../trace/Happened.js"
import { index } from "../trace/Ops.js"
import type { Row } from "./Firings.js"

/** For how long the delivery log keeps the rows of deliveries that have ended (Spec §2.9). */

/**
 * How long after its last moment the log may still have a row while nothing fails. The service deletes expired rows
 * once an hour.
 */
const DELETED_WITHIN = 2 * HOUR

/** The last moment at which the log must have the row; undefined when the row does not show the end of its delivery. */
const keptUntil = ({ endedAt, state }: Row): number | undefined =>
  endedAt === null ? undefined : endedAt + (state === "delivered" ? DELIVERED_KEPT : UNDELIVERED_KEPT)

/**
 * Reports each row that left the log too early or too late. `versions` has the versions of each row, in the order of
 * the trace.
 */
export const wronglyKept = (run: Run, versions: ReadonlyMap<string, ReadonlyArray<Row>>) => {
  const { isCalmSince, latest, skewMs } = index(run)
  const reads = happened(run)
    .of("readDeliveries")
    .flatMap((read) => {
      if (read.outcome?._tag !== "ok") return []
      return [{ read, has: new Set(read.outcome.value.deliveries.map(({ deliveryId }) => deliveryId)) }]
    })
  return [...versions].flatMap(([deliveryId, rows]) => {
    const ended = rows.find(({ endedAt }) => endedAt !== null)
    const until = ended === undefined ? undefined : keptUntil(ended)
    if (ended === undefined || until === undefined) return []
    return reads.flatMap(({ has, read }) => {
      if (read.args.appId !== ended.appId || read.begin < ended.read.end) return []
      if (!has.has(deliveryId)) {
        const isEarly = latest(read.end) + skewMs < until
        return isEarly ? [{ at: read.end, detail: `delivery ${deliveryId} left the log before ${isoOf(until)}` }] : []
      }
      const isLate = read.beganAt > until + DELETED_WITHIN && isCalmSince(until, read.end)
      return isLate
        ? [{ at: read.end, detail: `delivery ${deliveryId} should have left the log at ${isoOf(until)}` }]
        : []
    })
  })
}
