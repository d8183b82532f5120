/**
 * The worker that sends webhooks. `fanOut` turns each event of the outbox into one delivery for each subscribed
 * endpoint. `runWorker` is the loop that fans out, claims due deliveries and makes attempts. Any number of processes
 * can run this loop on one database. Deliveries to legacy receivers exist only in the memory of the worker that fanned
 * out their event (`LegacyDelivery`). The loop runs in the worker process, and in a server that has no `DATABASE_URL`
 * and therefore an embedded database.
 *
 * @module
 */

export * as LegacyDelivery from "./LegacyDelivery.js"
export { fanOut, type FanOutResult } from "./fanOut.js"
export { runWorker, type WorkerOptions } from "./runWorker.js"
export type { WorkerLoop } from "./workerLoops.js"
