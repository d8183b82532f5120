/**
 * Idempotency keys: a client that repeats a POST with the same key gets the first answer again, and nothing is done
 * twice. While the first request runs, other requests with the key are refused. After success, the sealed answer is
 * stored for 24 hours. Handlers wrap their work in `answerOnce`; a sweep removes old keys.
 *
 * @module
 */

export { type OnceAnswered, answerOnce, type KeyedRequest, type Work } from "./answerOnce.js"
export * as Idempotency from "./Idempotency.js"
export { IdempotencyStore, type ReservationOutcome, type Worked } from "./IdempotencyStore.js"
