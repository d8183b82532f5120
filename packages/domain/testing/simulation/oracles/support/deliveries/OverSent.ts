import type { DeliveryRow } from "../../../Operations.js"
import type { Run } from "../../../Oracle.js"
import { ATTEMPTS, DAY, DELIVERED_KEPT } from "../../../Specification.js"
import type { Knowledge } from "../Knowledge.js"
import type { OpOf } from "../trace/Ops.js"
import type { Rows } from "./Deliveries.js"
import { postsOf } from "./Firings.js"

/** Finds each event that was sent more times than the delivery log shows attempts of its deliveries. */

export const redeliveries = (known: Knowledge, appId: string): ReadonlyArray<OpOf<"redeliver">> =>
  [...known.trace.ops.values()].filter((op) => op.name === "redeliver").filter((op) => op.args.appId === appId)

/**
 * Whether the run went on until all work was done (`Run.quiesced`), and no fault disturbed a program or the database.
 * After such a fault, an attempt may be repeated, or the log may lack an attempt.
 */
export const isUndisturbed = (known: Knowledge, run: Run): boolean => {
  const end = run.entries.at(-1)
  return run.quiesced && end !== undefined && known.trace.isCalm(0, end.i)
}

/**
 * Returns a text that reports the violation if an event was sent more often than the rows of its deliveries show
 * attempts; undefined otherwise. `sending` has all deliveries of one event to one endpoint. The caller must have
 * checked that the run `isUndisturbed`.
 */
export const overSent = (
  known: Knowledge,
  run: Run,
  log: Rows,
  sending: ReadonlyArray<DeliveryRow>
): string | undefined => {
  const [first] = sending
  if (first === undefined) return undefined
  const sent = postsOf(run, first.eventId, first.endpointId).length
  const attempts = sending.reduce((sum, { attempts }) => sum + attempts.length, 0)
  return sent > attempts + unreadAttempts(known, log, sending)
    ? `${first.eventId} was sent ${sent} times in ${attempts} attempts`
    : undefined
}

/** The ids of the deliveries in the last read of the log. */
export const lastShown = ({ last }: Rows): ReadonlySet<string> =>
  new Set(last.outcome._tag === "ok" ? last.outcome.value.deliveries.map(({ deliveryId }) => deliveryId) : [])

/**
 * The rows of `sending` may lack attempts if nobody read the log while the log had these attempts. Returns the largest
 * number of attempts of one event at one endpoint that may be missing. The log keeps a row for at least a week after
 * the delivery's end.
 */
const unreadAttempts = (known: Knowledge, log: Rows, sending: ReadonlyArray<DeliveryRow>): number => {
  if (log.last.outcome._tag !== "ok") return 0
  const isOld = (t: number) => known.trace.latest(log.last.to) - t > DELIVERED_KEPT - DAY
  const there = lastShown(log)
  let unread = 0
  for (const { attempts, createdAt, deliveryId, endedAt } of sending) {
    // The last read of this row showed a delivery that had not ended, so the delivery may have made further attempts.
    if (endedAt === null && !there.has(deliveryId) && isOld(createdAt)) unread += ATTEMPTS - attempts.length
  }
  const [first] = sending
  if (first !== undefined && sending.every(({ isReplay }) => isReplay) && isOld(first.occurredAt)) unread += ATTEMPTS
  const ids = new Set(sending.map(({ deliveryId }) => deliveryId))
  const own = new Set<string>()
  for (const op of redeliveries(known, log.appId)) {
    if (op.outcome._tag !== "ok") continue
    const id = op.outcome.value.deliveryId
    own.add(id)
    const isOfIt = ids.has(op.args.deliveryId) || !log.rows.has(op.args.deliveryId)
    if (isOfIt && !log.rows.has(id) && isOld(op.tMin)) unread += ATTEMPTS
  }
  let recovered = 0
  let isAnyOld = false
  for (const op of known.trace.ops.values()) {
    if (op.name !== "recover" || op.args.appId !== log.appId || op.outcome._tag !== "ok") continue
    recovered += op.outcome.value.queued
    isAnyOld ||= isOld(op.tMin)
  }
  const others = [...log.rows.values()].filter(({ deliveryId, isReplay }) => isReplay && !own.has(deliveryId))
  return unread + (isAnyOld ? Math.max(0, recovered - others.length) * ATTEMPTS : 0)
}
