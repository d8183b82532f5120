import type { Claim, Claimed } from "../../../deliveries/DeliveryStore.js"
import type { StoreName } from "./Ports.js"

interface Detail {
  readonly args?: (args: ReadonlyArray<unknown>) => unknown
  readonly value?: (value: unknown) => unknown
  /** What answers nothing and is no idle call all the same: it stands in the trace also when a loop made it. */
  readonly isTold?: true
}

/** What oracles read of a call beside its name; of the others a trace says only that they were made. */
const DETAILS: Readonly<Partial<Record<`${StoreName}.${string}`, Detail>>> = {
  "AccessLogStore.record": { args: ([entry]) => entry, isTold: true },
  "AccessLogStore.recordUnless": { args: ([entry, unless]) => ({ ...(entry as object), unless }) },
  "DeliveryStore.claim": {
    args: ([request]) => request,
    value: (claimed) =>
      (claimed as { readonly claims: ReadonlyArray<Claim> }).claims.map(({ delivery, url }) => ({
        deliveryId: delivery.id,
        endpointId: delivery.endpointId,
        eventId: delivery.envelope.eventId,
        attempt: delivery.attempt,
        url
      }))
  },
  "DeliveryStore.finish": { args: ([claim, finish]) => ({ claim, finish }), value: (isWritten) => isWritten }
}

export const of = (port: StoreName, method: string): Detail => DETAILS[`${port}.${method}`] ?? {}

/** What is due at once is claimed in whatever order the store likes: of two stores, the same. */
const ORDERED: Readonly<Partial<Record<`${StoreName}.${string}`, (value: unknown) => unknown>>> = {
  "DeliveryStore.claim": (claimed) => {
    const { claims, ...rest } = claimed as Claimed
    const due = ({ delivery }: Claim): number => delivery.dueAt ?? 0
    return { ...rest, claims: claims.toSorted((a, b) => due(a) - due(b) || (a.delivery.id < b.delivery.id ? -1 : 1)) }
  }
}

/** Puts what a call answers into an order that is the same over every backend; undefined where it is anyhow. */
export const orderOf = (port: StoreName, method: string): ((value: unknown) => unknown) | undefined =>
  ORDERED[`${port}.${method}`]

const READS =
  /^(?:find|list|nextDueAt|authorisation|receivers|view|openAt|fixes|live|expired|behind|due$|describe|waiting|choice|shapes|told|stays)/

/** Whether a call of a worker's loop only looked something up. */
export const isRead = (method: string): boolean => READS.test(method)

/** Whether a call found nothing and so did nothing: a worker makes thousands of them. */
export const isIdle = (value: unknown): boolean => {
  if (value === undefined || value === null || value === false || value === 0) return true
  if (Array.isArray(value)) return value.length === 0
  if (typeof value !== "object") return false
  if ("_tag" in value && value._tag === "None") return true
  if ("size" in value) return value.size === 0
  if ("items" in value) return isIdle(value.items)
  if ("claims" in value) return isIdle(value.claims)
  if ("overdue" in value) return isIdle(value.overdue)
  return false
}
