import type { Run } from "../../Oracle.js"
import { recordOf, listOf } from "./Answers.js"
import { happened, textOf, timeOf } from "./Happened.js"

/** Which worker held which delivery when, by the calls of the queue. */

interface Held {
  readonly lease: string
  readonly until: number
}

/** A row that is claimed while another lease on it runs and its holder has not written an end, or written by two of them. */
export const claimsHeldTwice = (run: Run) => {
  const held = new Map<string, Held>()
  return happened(run).calls.flatMap(({ args, i, method, outcome, port, value }) => {
    if (port !== "DeliveryStore" || outcome === "failed") return []
    if (method === "claim") {
      const request = recordOf(args) ?? {}
      const [lease, now, until] = [
        textOf(request["lease"]) ?? "",
        timeOf(request["now"]),
        timeOf(request["leaseUntil"])
      ]
      return listOf(value).flatMap((row) => {
        const id = textOf(row["deliveryId"]) ?? ""
        const before = held.get(id)
        held.set(id, { lease, until: until ?? -Infinity })
        const isTaken = before !== undefined && before.lease !== lease && now !== undefined && now < before.until
        return isTaken ? [{ at: i, detail: `delivery ${id} was claimed while another lease ran` }] : []
      })
    }
    if (method !== "finish") return []
    const claim = recordOf(recordOf(args)?.["claim"]) ?? {}
    const [id, lease] = [textOf(claim["id"]) ?? "", textOf(claim["lease"])]
    const before = held.get(id)
    const isWritten = value === true
    if (isWritten && before?.lease === lease) held.delete(id)
    return isWritten && before !== undefined && before.lease !== lease
      ? [{ at: i, detail: `delivery ${id} was written by a worker that was overtaken` }]
      : []
  })
}
