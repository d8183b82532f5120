/**
 * Legacy webhooks: subscriptions and rules with an address of their own, from before apps had endpoints (Spec §6.4.8,
 * §6.4.9). A `LegacyReceiver` is the address and secret of a subscription, or of an imported rule that has its own
 * address. Apps call `createSubscription` and `removeSubscription`; operators call `importRules`. `dispatch` keeps the
 * deliveries only in the memory of a worker, so the waiting deliveries are lost when the worker stops.
 *
 * @module
 */

export { createSubscription, removeSubscription } from "./changeSubscriptions.js"
export { importRules, type RulesImported, RulesNotImported } from "./importRules.js"
export { LegacyStore } from "./LegacyStore.js"
export * as Receiver from "./Receiver.js"
export * as RuleImport from "./RuleImport.js"
