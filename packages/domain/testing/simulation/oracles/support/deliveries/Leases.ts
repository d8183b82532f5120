import type { Run } from "../../../Oracle.js"
import { recordOf, listOf } from "../Answers.js"
import { happened, textOf, timeOf } from "../trace/Happened.js"

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
