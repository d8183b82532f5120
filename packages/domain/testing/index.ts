/**
 * What tests need: tests of a program that embeds the domain, of an adapter, or of an app that calls the service.
 * Nothing here is for production, and nothing here reads the host's clock or randomness. `docs/embedding.md` shows all
 * of it.
 *
 * - `Simulation` runs days of phones, receivers, crashes and faults in seconds; one seed gives one run. `VirtualTime`
 *   is its clock alone.
 * - A contract is a list of named cases that every adapter of a port must pass. Any test runner can run them.
 * - The in-memory layers implement every port, and the same contracts prove them.
 * - Samples are the users, apps and requests that contracts and tests start from. They may change at any time.
 *
 * @module
 */

// ---- the simulation, and time
export * as Simulation from "./simulation/index.js"
export * as VirtualTime from "./VirtualTime.js"
export { deliverDue } from "./deliverDue.js"

// ---- what a contract is
export * as Check from "./Check.js"
export type { Contract, ContractCase } from "./Contract.js"

// ---- the contracts
export { accessLogStoreContract } from "./contract/accessLogStoreContract.js"
export { accountDeletionStoreContract } from "./contract/accounts/accountDeletionStoreContract.js"
export { credentialStoreContract } from "./contract/accounts/credentialStoreContract.js"
export { accountStoreContract } from "./contract/accounts/accountStoreContract.js"
export { appStoreContract } from "./contract/apps/appStoreContract.js"
export { archivePlaceContract } from "./contract/rules/archivePlaceContract.js"
export { connectionStoreContract } from "./contract/connection/connectionStoreContract.js"
export { consentStoreContract } from "./contract/connection/consentStoreContract.js"
export { deliveryStoreContract } from "./contract/deliveries/deliveryStoreContract.js"
export { deviceStoreContract } from "./contract/fixes/deviceStoreContract.js"
export { endpointStoreContract } from "./contract/deliveries/endpointStoreContract.js"
export { eventStoreContract } from "./contract/deliveries/eventStoreContract.js"
export { fixHistoryContract } from "./contract/fixes/fixHistoryContract.js"
export * as FixSubjects from "./contract/fixes/FixSubjects.js"
export { fixStoreContract, fixStoreRulesContract } from "./contract/fixes/fixStoreContract.js"
export { historyStoreContract } from "./contract/sweeps/historyStoreContract.js"
export { idempotencyStoreContract } from "./contract/idempotencyStoreContract.js"
export { importStoreContract } from "./contract/fixes/importStoreContract.js"
export { leaseStoreContract } from "./contract/leaseStoreContract.js"
export { legacyStoreContract } from "./contract/deliveries/legacyStoreContract.js"
export { limitStoreContract } from "./contract/limits/limitStoreContract.js"
export { listenerStoreContract } from "./contract/deliveries/listenerStoreContract.js"
export { logRetentionContract } from "./contract/sweeps/logRetentionContract.js"
export { mailOutboxContract } from "./contract/mailOutboxContract.js"
export { placeStoreContract } from "./contract/rules/placeStoreContract.js"
export { purposeStoreContract } from "./contract/apps/purposeStoreContract.js"
export { retentionStoreContract } from "./contract/sweeps/retentionStoreContract.js"
export { leaksContract } from "./contract/apps/leaksContract.js"
export { reviewStoreContract } from "./contract/apps/reviewStoreContract.js"
export { revokedAppsContract } from "./contract/apps/revokedAppsContract.js"
export { ruleStoreContract } from "./contract/rules/ruleStoreContract.js"
export { stayStoreContract } from "./contract/visits/stayStoreContract.js"
export { strikeWarningsContract } from "./contract/deliveries/strikeWarningsContract.js"
export { tokenStoreContract } from "./contract/connection/tokenStoreContract.js"
export { tierStoreContract } from "./contract/connection/tierStoreContract.js"
export { vaultContract } from "./contract/vaultContract.js"
export { visitStoreContract } from "./contract/visits/visitStoreContract.js"
export { volumeFlagStoreContract } from "./contract/apps/volumeFlagStoreContract.js"

// ---- ports in memory
export * as MemoryAccessLogStore from "./memory/MemoryAccessLogStore.js"
export * as MemoryAccountDeletionStore from "./memory/accounts/MemoryAccountDeletionStore.js"
export * as MemoryAccountStore from "./memory/accounts/MemoryAccountStore.js"
export * as MemoryCredentialStore from "./memory/accounts/MemoryCredentialStore.js"
export * as MemoryAppStore from "./memory/apps/MemoryAppStore.js"
export * as MemoryConnectionStore from "./memory/connection/MemoryConnectionStore.js"
export * as MemoryConsentStore from "./memory/connection/MemoryConsentStore.js"
export { MemoryDatabase, type Tables } from "./memory/MemoryDatabase.js"
export * as MemoryDeliveryStore from "./memory/deliveries/MemoryDeliveryStore.js"
export * as MemoryDeviceStore from "./memory/fixes/MemoryDeviceStore.js"
export * as MemoryEndpointStore from "./memory/deliveries/MemoryEndpointStore.js"
export * as MemoryEntropy from "./memory/vault/MemoryEntropy.js"
export * as MemoryEventStore from "./memory/deliveries/MemoryEventStore.js"
export * as MemoryFixHistory from "./memory/fixes/MemoryFixHistory.js"
export * as MemoryFixStore from "./memory/fixes/MemoryFixStore.js"
export * as MemoryHistoryStore from "./memory/fixes/MemoryHistoryStore.js"
export * as MemoryIdempotencyStore from "./memory/MemoryIdempotencyStore.js"
export * as MemoryImportReader from "./memory/fixes/MemoryImportReader.js"
export * as MemoryImportStore from "./memory/fixes/MemoryImportStore.js"
export { bucketOf } from "./memory/leases/buckets.js"
export * as MemoryLeaseStore from "./memory/leases/MemoryLeaseStore.js"
export * as MemoryLegacyStore from "./memory/deliveries/MemoryLegacyStore.js"
export * as MemoryLimitStore from "./memory/MemoryLimitStore.js"
export * as MemoryListenerStore from "./memory/deliveries/MemoryListenerStore.js"
export * as MemoryMailer from "./memory/MemoryMailer.js"
export * as MemoryMailOutbox from "./memory/MemoryMailOutbox.js"
export * as MemoryPasswordHasher from "./memory/accounts/MemoryPasswordHasher.js"
export * as MemoryPlaceStore from "./memory/rules/MemoryPlaceStore.js"
export * as MemoryPurposeStore from "./memory/apps/MemoryPurposeStore.js"
export * as MemoryRetentionStore from "./memory/MemoryRetentionStore.js"
export * as MemoryReviewStore from "./memory/apps/MemoryReviewStore.js"
export * as MemoryRuleStore from "./memory/rules/MemoryRuleStore.js"
export * as MemoryStayStore from "./memory/visits/MemoryStayStore.js"
export * as MemoryTokenStore from "./memory/connection/MemoryTokenStore.js"
export * as MemoryTierStore from "./memory/connection/MemoryTierStore.js"
export * as MemoryVault from "./memory/vault/MemoryVault.js"
export * as MemoryVisitStore from "./memory/visits/MemoryVisitStore.js"
export * as MemoryVolumeFlagStore from "./memory/apps/MemoryVolumeFlagStore.js"
export * as MemoryWebhookSender from "./memory/deliveries/MemoryWebhookSender.js"
export * as MemoryWorkSignal from "./memory/deliveries/MemoryWorkSignal.js"

// ---- samples
export { claimMail } from "./claimMail.js"
export * as ConsentFlow from "./consentFlow.js"
export * as Fixtures from "./fixtures.js"
export * as RuleSamples from "./contract/rules/ruleSamples.js"
export * as VisitSamples from "./contract/visits/visitSamples.js"
export * as WebhookFixtures from "./contract/deliveries/webhookFixtures.js"
