import type { Run } from "../../../Oracle.js"
import { recordOf, listOf } from "../Answers.js"
import { happened, textOf, timeOf } from "../trace/Happened.js"
import { into } from "../trace/into.js"
import type { Row } from "./Firings.js"
import { hurriesOf } from "./Strikes.js"

/** Which worker had a lease of which delivery, and when, as the calls of `DeliveryStore` show it. */

interface HeldLease {
  readonly lease: string
  readonly until: number
}

/** The number of claims, by any worker, of a delivery whose earlier lease had expired. */
export const leasesTakenOver = (run: Run): number => look(run).takenOver

/**
 * Reports each claim of a delivery that was still under another lease, and each end of an attempt that a worker wrote
 * after another worker had claimed the delivery.
 */
export const claimsHeldTwice = (run: Run) => look(run).wrong

const look = (run: Run) => {
  const held = new Map<string, HeldLease>()
  const wrong: Array<{ readonly at: number; readonly detail: string }> = []
  let takenOver = 0
  for (const { args, i, method, outcome, port, value } of happened(run).calls) {
    if (port !== "DeliveryStore" || outcome === "failed") continue
    if (method === "claim") {
      const request = recordOf(args) ?? {}
      const [now, until] = [timeOf(request["now"]) ?? -Infinity, timeOf(request["leaseUntil"]) ?? -Infinity]
      const lease = textOf(request["lease"]) ?? ""
      for (const row of listOf(value)) {
        const id = textOf(row["deliveryId"]) ?? ""
        const before = held.get(id)
        held.set(id, { lease, until })
        if (before === undefined || before.lease === lease) continue
        if (now >= before.until) takenOver++
        else wrong.push({ at: i, detail: `delivery ${id} was claimed while another lease ran` })
      }
    } else if (method === "finish" && value === true) {
      const claim = recordOf(recordOf(args)?.["claim"]) ?? {}
      const [id, lease] = [textOf(claim["id"]) ?? "", textOf(claim["lease"])]
      const before = held.get(id)
      if (before?.lease === lease) held.delete(id)
      else if (before !== undefined)
        wrong.push({ at: i, detail: `delivery ${id} was written by a worker that was overtaken` })
    }
  }
  return { takenOver, wrong }
}

/**
 * How many leases of one attempt may run out before the delivery has to wait: when the first or the second lease runs
 * out, the attempt is due again at once (decision W2).
 */
const AT_ONCE = 2

interface Claim {
  readonly i: number
  readonly now: number
  readonly attempt: number
  /** How many earlier leases of the same attempt have run out. */
  readonly lapses: number
}

/**
 * Reports each row that an early lease of its attempt made wait: a delivery is due when a worker claims it, and the
 * first two leases must leave this due time. Deliveries that were brought forward are skipped.
 */
export const waitsAfterLapse = (run: Run, versions: ReadonlyMap<string, ReadonlyArray<Row>>) => {
  const steps = new Map<string, Array<Claim | { readonly i: number }>>()
  let shownUntil = Infinity
  for (const { args, i, method, outcome, port, value } of happened(run).calls) {
    if (port !== "DeliveryStore" || outcome === "failed") continue
    if (method === "claim" && outcome !== "ok") {
      // The trace does not show which deliveries this call claimed, so from here on it lacks leases.
      shownUntil = i
      break
    }
    const now = timeOf(recordOf(args)?.["now"]) ?? Infinity
    for (const { attempt, deliveryId } of method === "claim" ? listOf(value) : []) {
      const before = steps.get(textOf(deliveryId) ?? "")?.at(-1)
      const isAgain = before !== undefined && "lapses" in before && before.attempt === attempt
      into(steps, textOf(deliveryId) ?? "", {
        i,
        now,
        attempt: Number(attempt),
        lapses: isAgain ? before.lapses + 1 : 0
      })
    }
    const finished = recordOf(recordOf(args)?.["claim"])?.["id"]
    if (method === "finish" && value !== false) into(steps, textOf(finished) ?? "", { i })
  }
  return [...versions.values()].flat().flatMap(({ attempt, deliveryId, dueAt, read }) => {
    const last = steps.get(deliveryId)?.findLast(({ i }) => i < read.end)
    if (last === undefined || !("lapses" in last) || last.i > read.begin || read.end > shownUntil) return []
    const mayWait = last.attempt !== attempt || last.lapses >= AT_ONCE || hurriesOf(run, deliveryId).length > 0
    return dueAt === null || mayWait || dueAt <= last.now
      ? []
      : [{ at: read.end, detail: `delivery ${deliveryId} has to wait after ${last.lapses + 1} leases of its attempt` }]
  })
}
