/**
 * Limits on how often a caller may call. A `Rate` protects the service: a limited number of calls in a window for each
 * subject. A `Budget` protects the person: it allows so few questions about zones that an app cannot find somebody by
 * asking about many circles. The guards of access tokens and device tokens call `takeCall` after they have checked the
 * token and before any other work. Other routes, such as the sign-up, call it themselves. The zone check calls
 * `askZone`.
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
