/**
 * Idempotency keys. A client that repeats a POST with the same key gets the first answer again, and the work is not
 * done twice. While the first request runs, other requests with the key are refused. After success, the encrypted
 * answer is stored for 24 hours. The HTTP adapter runs the work of a POST with a key in `answerOnce`; a sweep deletes
 * old answers.
 *
 * @module
 */

export { answerOnce, type KeyedRequest, type Work } from "./answerOnce.js"
export * as Idempotency from "./Idempotency.js"
export { IdempotencyStore, type ReservationOutcome, type Worked } from "./IdempotencyStore.js"
