import type { NewDelivery } from "../../../src/deliveries/Delivery.js"
import type { ClaimedDelivery } from "../../../src/deliveries/DeliveryStore.js"
import type { StoreName } from "./Ports.js"
import { storesNothing } from "./reads.js"

interface Detail {
  readonly args?: (args: ReadonlyArray<unknown>) => unknown
  readonly value?: (value: unknown) => unknown
  /** Whether the trace records the call even when a loop made it and it returned nothing. */
  readonly isTold?: true
}

/** The parts of a call that the oracles read. For every other method the trace has only the name. */
const DETAILS: Readonly<Partial<Record<`${StoreName}.${string}`, Detail>>> = {
  "AccessLogStore.record": { args: ([entry]) => entry, isTold: true },
  "AccessLogStore.recordRepeat": { args: ([entry]) => entry, isTold: true },
  "AccessLogStore.recordUnless": { args: ([entry, unless]) => ({ ...(entry as object), unless }) },
  "DeliveryStore.claim": {
    args: ([request]) => request,
    value: (claimed) =>
      (claimed as { readonly claims: ReadonlyArray<ClaimedDelivery> }).claims.map(({ delivery, url }) => ({
        deliveryId: delivery.id,
        endpointId: delivery.endpointId,
        eventId: delivery.envelope.eventId,
        attempt: delivery.attempt,
        url
      }))
  },
  "DeliveryStore.insertAttempted": {
    args: ([row, finish]) => ({
      deliveryId: (row as NewDelivery).id,
      endpointId: (row as NewDelivery).endpointId,
      eventId: (row as NewDelivery).envelope.eventId,
      finish
    }),
    value: (isStored) => isStored
  },
  "DeliveryStore.finish": { args: ([claim, finish]) => ({ claim, finish }), value: (isWritten) => isWritten }
}

export const of = (port: StoreName, method: string): Detail => DETAILS[`${port}.${method}`] ?? {}

/**
 * Whether a call changes nothing that other fibres wait for: it only reads, or it is about the worker's leases. A
 * worker looks at its leases every two seconds, which must wake no loop that sleeps.
 */
export const isRead = (port: StoreName, method: string): boolean => port === "LeaseStore" || storesNothing(port, method)

/**
 * Whether a call found nothing and so changed nothing. A worker makes thousands of these calls; the trace leaves them
 * out.
 */
export const isIdle = (value: unknown): boolean => {
  if (value === undefined || value === null || value === false || value === 0) return true
  if (Array.isArray(value)) return value.length === 0
  if (typeof value !== "object") return false
  if ("_tag" in value && value._tag === "None") return true
  if ("size" in value) return value.size === 0
  if ("items" in value) return isIdle(value.items)
  if ("claims" in value) return isIdle(value.claims)
  if ("overdue" in value) return isIdle(value.overdue)
  if ("removed" in value) return isIdle(value.removed)
  return false
}
