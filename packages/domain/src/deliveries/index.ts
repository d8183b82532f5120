export * as Delivery from "./Delivery.js"
export {
  type Claim,
  type Claimed as ClaimedDeliveries,
  type ClaimRequest,
  DeliveryStore,
  type Filter as DeliveryFilter
} from "./DeliveryStore.js"
export * as LegacyDelivery from "./LegacyDelivery.js"
export * as Replay from "./Replay.js"
export * as RetrySchedule from "./RetrySchedule.js"
export * as Signature from "./Signature.js"
export { WebhookSender } from "./WebhookSender.js"
export { WorkSignal } from "./WorkSignal.js"
export { deliverDue, type Round as DeliveryRound } from "./deliverDue.js"
export { fanOut, type FannedOut } from "./fanOut.js"
export { getDelivery } from "./getDelivery.js"
export { listDeliveries, type LogQuery } from "./listDeliveries.js"
export { recover, redeliver, retryNow } from "./redeliver.js"
export { runWorker, type WorkerOptions } from "./runWorker.js"
