/**
 * For tests: of whoever embeds the domain, writes an adapter, or calls the service. Nothing here is for production, and nothing
 * here reads the host's clock or randomness. `docs/embedding.md` shows all of it at work.
 *
 * - `Simulation` runs days of phones, receivers, crashes and faults in seconds, one seed one run; `VirtualTime` is its clock alone.
 * - A contract is what every adapter of a port must keep, as data: named cases to be run by any test runner.
 * - The in-memory layers of every port: fast, complete, and proved by the same contracts.
 * - Samples are what contracts and tests are made of. They follow the tests' needs and promise nothing.
 *
 * @module
 */

// ---- the simulation, and time
export * as Simulation from "./simulation/index.js"
export * as VirtualTime from "./VirtualTime.js"

// ---- what a contract is
export * as Check from "./Check.js"
export type { Contract, ContractCase } from "./Contract.js"

// ---- the contracts
export { accessLogStoreContract } from "./contract/accessLogStoreContract.js"
export { accountDeletionStoreContract } from "./contract/accountDeletionStoreContract.js"
export { accountStoreContract } from "./contract/accountStoreContract.js"
export { appStoreContract } from "./contract/appStoreContract.js"
export { archivePlaceContract } from "./contract/archivePlaceContract.js"
export { connectionStoreContract } from "./contract/connectionStoreContract.js"
export { connectionTokensContract } from "./contract/connectionTokensContract.js"
export { deliveryStoreContract } from "./contract/deliveryStoreContract.js"
export { deviceStoreContract } from "./contract/deviceStoreContract.js"
export { endpointStoreContract } from "./contract/endpointStoreContract.js"
export { eventStoreContract } from "./contract/eventStoreContract.js"
export { fixHistoryContract } from "./contract/fixHistoryContract.js"
export * as FixSubjects from "./contract/FixSubjects.js"
export { fixStoreContract, fixStoreRulesContract } from "./contract/fixStoreContract.js"
export { historyStoreContract } from "./contract/historyStoreContract.js"
export { idempotencyStoreContract } from "./contract/idempotencyStoreContract.js"
export { importStoreContract } from "./contract/importStoreContract.js"
export { legacyStoreContract } from "./contract/legacyStoreContract.js"
export { limitStoreContract } from "./contract/limitStoreContract.js"
export { listenerStoreContract } from "./contract/listenerStoreContract.js"
export { logRetentionContract } from "./contract/logRetentionContract.js"
export { mailOutboxContract } from "./contract/mailOutboxContract.js"
export { placeStoreContract } from "./contract/placeStoreContract.js"
export { purposeStoreContract } from "./contract/purposeStoreContract.js"
export { retentionStoreContract } from "./contract/retentionStoreContract.js"
export { leaksContract } from "./contract/leaksContract.js"
export { reviewStoreContract } from "./contract/reviewStoreContract.js"
export { revokedAppsContract } from "./contract/revokedAppsContract.js"
export { ruleStoreContract } from "./contract/ruleStoreContract.js"
export { stayStoreContract } from "./contract/stayStoreContract.js"
export { strikeWarningsContract } from "./contract/strikeWarningsContract.js"
export { tierStoreContract } from "./contract/tierStoreContract.js"
export { vaultContract } from "./contract/vaultContract.js"
export { visitStoreContract } from "./contract/visitStoreContract.js"
export { volumeFlagStoreContract } from "./contract/volumeFlagStoreContract.js"

// ---- ports in memory
export * as MemoryAccessLogStore from "./memory/MemoryAccessLogStore.js"
export * as MemoryAccountDeletionStore from "./memory/MemoryAccountDeletionStore.js"
export * as MemoryAccountStore from "./memory/MemoryAccountStore.js"
export * as MemoryAppStore from "./memory/MemoryAppStore.js"
export * as MemoryConnectionStore from "./memory/MemoryConnectionStore.js"
export { MemoryDatabase, type Tables } from "./memory/MemoryDatabase.js"
export * as MemoryDeliveryStore from "./memory/MemoryDeliveryStore.js"
export * as MemoryDeviceStore from "./memory/MemoryDeviceStore.js"
export * as MemoryEndpointStore from "./memory/MemoryEndpointStore.js"
export * as MemoryEntropy from "./memory/MemoryEntropy.js"
export * as MemoryEventStore from "./memory/MemoryEventStore.js"
export * as MemoryFixHistory from "./memory/MemoryFixHistory.js"
export * as MemoryFixStore from "./memory/MemoryFixStore.js"
export * as MemoryHistoryStore from "./memory/MemoryHistoryStore.js"
export * as MemoryIdempotencyStore from "./memory/MemoryIdempotencyStore.js"
export * as MemoryImportReader from "./memory/MemoryImportReader.js"
export * as MemoryImportStore from "./memory/MemoryImportStore.js"
export * as MemoryLegacyStore from "./memory/MemoryLegacyStore.js"
export * as MemoryLimitStore from "./memory/MemoryLimitStore.js"
export * as MemoryListenerStore from "./memory/MemoryListenerStore.js"
export * as MemoryMailer from "./memory/MemoryMailer.js"
export * as MemoryMailOutbox from "./memory/MemoryMailOutbox.js"
export * as MemoryPasswordHasher from "./memory/MemoryPasswordHasher.js"
export * as MemoryPlaceStore from "./memory/MemoryPlaceStore.js"
export * as MemoryPurposeStore from "./memory/MemoryPurposeStore.js"
export * as MemoryRetentionStore from "./memory/MemoryRetentionStore.js"
export * as MemoryReviewStore from "./memory/MemoryReviewStore.js"
export * as MemoryRuleStore from "./memory/MemoryRuleStore.js"
export * as MemoryStayStore from "./memory/MemoryStayStore.js"
export * as MemoryTierStore from "./memory/MemoryTierStore.js"
export * as MemoryVault from "./memory/MemoryVault.js"
export * as MemoryVisitStore from "./memory/MemoryVisitStore.js"
export * as MemoryVolumeFlagStore from "./memory/MemoryVolumeFlagStore.js"
export * as MemoryWebhookSender from "./memory/MemoryWebhookSender.js"
export * as MemoryWorkSignal from "./memory/MemoryWorkSignal.js"

// ---- samples
export * as ConsentFlow from "./consentFlow.js"
export * as Fixtures from "./fixtures.js"
export * as RuleSamples from "./contract/ruleSamples.js"
export * as VisitSamples from "./contract/visitSamples.js"
export * as WebhookFixtures from "./contract/webhookFixtures.js"
