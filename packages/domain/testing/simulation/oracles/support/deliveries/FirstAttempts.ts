import type { Run } from "../../../Oracle.js"
import { listOf, recordOf } from "../Answers.js"
import { happened, type Post, textOf } from "../trace/Happened.js"

/** The first attempts that workers made before they stored the delivery, as the calls of `DeliveryStore` show them. */

interface Stored {
  readonly i: number
  readonly eventId: string
  readonly endpointId: string
  readonly result: string
}

const storedFirst = (run: Run): ReadonlyArray<Stored> =>
  happened(run).calls.flatMap(({ args, i, method, port, value }) => {
    if (port !== "DeliveryStore" || method !== "insertAttempted" || value !== true) return []
    const row = recordOf(args) ?? {}
    const result = textOf(recordOf(row["finish"])?.["_tag"]) ?? "?"
    return [{ i, eventId: textOf(row["eventId"]) ?? "?", endpointId: textOf(row["endpointId"]) ?? "?", result }]
  })

/** Whether some delivery was stored together with this result of its first attempt. */
export const isStoredFirst = (run: Run, result: string): boolean =>
  storedFirst(run).some((stored) => stored.result === result)

const isSame = (one: Post, other: Post): boolean =>
  one.body["event_id"] === other.body["event_id"] && one.body["endpoint_id"] === other.body["endpoint_id"]

/** Whether a worker died between a first attempt and the storing of its delivery, so that the event was sent again. */
export const isSentAgain = (run: Run): boolean => {
  const { faults, posts } = happened(run)
  const firstClaims = claims(run)
  const stored = storedFirst(run)
  return posts.some((post) => {
    const eventId = textOf(post.body["event_id"]) ?? "?"
    if (post.body["type"] === "ping" || (firstClaims.get(eventId) ?? Infinity) < post.i) return false
    const second = posts.find((other) => other.i > post.i && isSame(other, post))
    const died = faults.find(({ fault, i }) => fault === "crash" && i > post.i)
    if (second === undefined || died === undefined || died.i > second.i) return false
    return !stored.some((one) => one.eventId === eventId && one.i > post.i && one.i < died.i)
  })
}

/** For each event, the number (`i`) of the call by which a delivery of the event was first claimed. */
const claims = (run: Run): ReadonlyMap<string, number> => {
  const found = new Map<string, number>()
  for (const { i, method, port, value } of happened(run).calls) {
    if (port !== "DeliveryStore" || method !== "claim") continue
    for (const claimed of listOf(value)) {
      const eventId = textOf(claimed["eventId"]) ?? "?"
      if (!found.has(eventId)) found.set(eventId, i)
    }
  }
  return found
}
