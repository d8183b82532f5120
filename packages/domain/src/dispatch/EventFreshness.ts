// Which events a worker may send directly, before it stores their deliveries as rows.
import type { WaitingEvent } from "../events/Event.js"
import * as Timestamp from "../shared/Timestamp.js"

/**
 * In milliseconds. A worker sends an event that is older than this directly only if the worker leased the event's
 * bucket before the event was stored. Otherwise the event may have crashed the worker that leased the bucket earlier.
 * Then the new worker stores the event's deliveries as rows instead. The store counts the expired leases of a row, so
 * the event cannot crash workers forever (decision deliveries-4).
 */
export const FRESH = 5 * Timestamp.SECOND

/**
 * Whether the event may be sent directly: it was stored within `FRESH` of now, or at least `FRESH` after `heldSince`.
 * An event whose time of storage is more than `FRESH` after now may not be sent directly. `heldSince` is when this
 * worker last took the lease of a bucket; the worker has kept its leases since then. Null: the worker has not read the
 * leases yet. The distance of `FRESH` from `heldSince` is needed because the clock of the server that stored the event
 * may be a few seconds ahead.
 */
export const isFresh = (
  { storedAt }: Pick<WaitingEvent, "storedAt">,
  heldSince: Timestamp.Timestamp | null,
  now: Timestamp.Timestamp
): boolean =>
  storedAt - now <= FRESH && (now - storedAt <= FRESH || (heldSince !== null && storedAt - heldSince >= FRESH))
