import type { NewDelivery } from "../../../src/deliveries/Delivery.js"
import type { ClaimedDelivery, InsertedAttempt } from "../../../src/deliveries/DeliveryStore.js"
import type { StoreName } from "./Ports.js"
import { storesNothing } from "./reads.js"

interface Detail {
  readonly args?: (args: ReadonlyArray<unknown>) => unknown
  readonly value?: (value: unknown) => unknown
  /**
   * Present when the trace records every call of the method. When this field is absent, the trace leaves out a
   * successful call of a worker's loop that stores nothing (`isRead`) or that finds no work (`isIdle`).
   */
  readonly isAlwaysRecorded?: true
}

/**
 * The arguments and values of calls that oracles read. For every other method, the trace has only the name and the
 * outcome.
 */
const DETAILS: Readonly<Partial<Record<`${StoreName}.${string}`, Detail>>> = {
  "AccessLogStore.record": { args: ([entry]) => entry, isAlwaysRecorded: true },
  "AccessLogStore.recordRepeat": { args: ([entry]) => entry, isAlwaysRecorded: true },
  "AccessLogStore.recordUnless": {
    args: ([entry, unless]) => ({ ...(entry as object), unless }),
    isAlwaysRecorded: true
  },
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
    value: (inserted) => (inserted as InsertedAttempt).isStored
  },
  "DeliveryStore.finish": { args: ([claim, finish]) => ({ claim, finish }), value: (isWritten) => isWritten }
}

export const of = (port: StoreName, method: string): Detail => DETAILS[`${port}.${method}`] ?? {}

/**
 * Whether a call changes nothing that other fibers wait for, because the call only reads or concerns a worker's leases.
 * A worker calls the lease store every two seconds, and these calls must not shorten the sleeps of idle polling loops,
 * which the virtual clock makes longer.
 */
export const isRead = (port: StoreName, method: string): boolean => port === "LeaseStore" || storesNothing(port, method)

/**
 * Whether the value shows that a call found no work and so changed nothing. A worker makes thousands of these calls, so
 * the trace leaves them out.
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
