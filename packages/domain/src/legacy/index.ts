/**
 * Legacy webhooks: subscriptions and rules with an address of their own, from before apps had endpoints (Spec §6.4.8,
 * §6.4.9). A `Receiver` is the address of a subscription or of a rule with one. Apps call `createSubscription` and
 * `removeSubscription`; operators call `importRules`. `dispatch` makes the deliveries, in a worker's memory.
 *
 * @module
 */

export { createSubscription, removeSubscription } from "./changeSubscriptions.js"
export { importRules, type RulesImported, RulesNotImported } from "./importRules.js"
export { LegacyStore } from "./LegacyStore.js"
export * as Receiver from "./Receiver.js"
export * as RuleImport from "./RuleImport.js"
