export { type Answered, answerOnce, type KeyedRequest, type Work } from "./answerOnce.js"
export * as Idempotency from "./Idempotency.js"
export { IdempotencyStore, type Outcome, type Worked } from "./IdempotencyStore.js"
