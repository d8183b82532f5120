/**
 * Legacy webhooks, from before apps had endpoints (Spec §6.4.8, §6.4.9). A legacy receiver (`LegacyReceiver`) is the
 * address and secret of a subscription, or of an imported rule. Apps call `createSubscription` and
 * `removeSubscription`; users call `listSubscriptions` and `removeSubscription`; operators call `importRules`. The room
 * `dispatch` keeps deliveries to legacy receivers only in the memory of a worker, so waiting deliveries are lost when
 * the worker stops.
 *
 * @module
 */

export { createSubscription, listSubscriptions, removeSubscription } from "./changeSubscriptions.js"
export { importRules, type RulesImported, RulesNotImported } from "./importRules.js"
export { LegacyStore } from "./LegacyStore.js"
export * as Receiver from "./Receiver.js"
export * as RuleImport from "./RuleImport.js"
