/**
 * Limits on how often a caller may call. A `Rate` protects the service: a limited number of calls in a window for each
 * subject. A `Budget` protects the person: questions about zones are few enough that an app cannot find somebody by
 * asking about many circles. A guard calls `takeCall` after it has checked the token and before any other work; the
 * zone check calls `askZone`.
 *
 * @module
 */

export { askZone, takeCall } from "./spendLimits.js"
export * as Budget from "./Budget.js"
export { LimitStore } from "./LimitStore.js"
export { network } from "./Network.js"
export * as Rate from "./Rate.js"
export * as Subject from "./Subject.js"
export * as ZoneQuestions from "./ZoneQuestions.js"
