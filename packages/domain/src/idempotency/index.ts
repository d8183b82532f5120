/**
 * Idempotency keys: a client that repeats a POST with the same key gets the first answer again, and nothing is done
 * twice. A key is reserved while its request runs, and keeps the sealed answer for 24 hours after success. Handlers
 * wrap their work in `answerOnce`; a sweep removes old keys.
 *
 * @module
 */

export { type OnceAnswered, answerOnce, type KeyedRequest, type Work } from "./answerOnce.js"
export * as Idempotency from "./Idempotency.js"
export { IdempotencyStore, type ReservationOutcome, type Worked } from "./IdempotencyStore.js"
