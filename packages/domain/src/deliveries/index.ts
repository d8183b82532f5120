/**
 * Deliveries: each is one event for one webhook endpoint. A delivery is `trying` until an attempt succeeds
 * (`delivered`), its event becomes older than the rule allows (`too_old`), or it ends for another reason (`failed`).
 * `Delivery` has the transitions. Workers claim due deliveries under a lease, make one attempt each (`deliver`) and
 * store the result. Developers read the log, replay deliveries (`redeliver`, `recover`), make the next attempt due at
 * once (`retryNow`) and send tests (`sendTest`).
 *
 * @module
 */

export * as AttemptExchange from "./AttemptExchange.js"
export * as Delivery from "./Delivery.js"
export {
  type ClaimedDelivery,
  type ClaimedDeliveries,
  type ClaimRequest,
  DeliveryStore,
  type DeliveryFilter,
  type InsertedAttempt
} from "./DeliveryStore.js"
export * as Replay from "./Replay.js"
export * as RetrySchedule from "./RetrySchedule.js"
export * as Signature from "./Signature.js"
export { getDelivery, listDeliveries, type LogQuery } from "./readDeliveries.js"
export { recover, redeliver, retryNow } from "./redeliver.js"
export * as Authorisation from "./Authorisation.js"
export { type EventKey, EventStore, type PendingEvents, READ_AHEAD_MAX, type ReadAhead } from "./EventStore.js"
export { sendTest, type TestResult } from "./sendTest.js"
export { warnOfStrikes } from "./warnOfStrikes.js"
