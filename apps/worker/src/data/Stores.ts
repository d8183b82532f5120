import {
  Argon2PasswordHasher,
  type Database,
  NodeEntropy,
  SqlAccessLogStore,
  SqlAccountDeletionStore,
  SqlAccountStore,
  SqlAppStore,
  SqlAuditLog,
  SqlConnectionStore,
  SqlConsentStore,
  SqlCredentialStore,
  SqlFactorStore,
  SqlTokenStore,
  SqlDeliveryStore,
  SqlDeviceStore,
  SqlEndpointStore,
  SqlEventStore,
  SqlExportSource,
  SqlExportStore,
  SqlFiguresStore,
  SqlFixHistory,
  SqlFixStore,
  SqlHistoryStore,
  SqlIdempotencyStore,
  SqlLeaseStore,
  SqlLegacyStore,
  SqlLimitStore,
  SqlImportStore,
  SqlListenerStore,
  SqlMailOutbox,
  SqlPlaceStore,
  SqlPurposeStore,
  SqlRetentionStore,
  SqlReviewStore,
  SqlRuleStore,
  SqlServiceStore,
  SqlStaffStore,
  SqlStayStore,
  SqlTierStore,
  SqlVisitStore,
  SqlTeamStore,
  SqlTestPersonStore,
  SqlVolumeFlagStore,
  SqlWorkSignal
} from "@place-access/adapters-pg"
import type { WorkSignal } from "@place-access/domain/events"
import type { Entropy, Vault } from "@place-access/domain/shared"
import { Layer } from "effect"

/** The stores that need nothing but the database. */
export const rows = Layer.mergeAll(
  SqlAccessLogStore.layer,
  SqlAccountDeletionStore.layer,
  SqlAccountStore.layer,
  SqlAppStore.layer,
  SqlAuditLog.layer,
  SqlConnectionStore.layer,
  SqlConsentStore.layer,
  SqlCredentialStore.layer,
  SqlFactorStore.layer,
  SqlTokenStore.layer,
  SqlDeliveryStore.layer,
  SqlDeviceStore.layer,
  SqlEndpointStore.layer,
  SqlEventStore.layer,
  SqlExportSource.layer,
  SqlExportStore.layer,
  SqlFiguresStore.layer,
  SqlFixHistory.layer,
  SqlFixStore.layer,
  SqlHistoryStore.layer,
  SqlIdempotencyStore.layer,
  SqlLeaseStore.layer,
  SqlLegacyStore.layer,
  SqlLimitStore.layer,
  SqlImportStore.layer,
  SqlListenerStore.layer,
  SqlMailOutbox.layer,
  SqlPlaceStore.layer,
  SqlPurposeStore.layer,
  SqlRetentionStore.layer,
  SqlReviewStore.layer,
  SqlRuleStore.layer,
  SqlServiceStore.layer,
  SqlStaffStore.layer,
  SqlStayStore.layer,
  SqlTierStore.layer,
  SqlVisitStore.layer,
  SqlTeamStore.layer,
  SqlTestPersonStore.layer,
  SqlVolumeFlagStore.layer
)

/** Every store of the domain and the password hasher, with the given `signal` and `entropy` (the random source). */
export const over = <R>(signal: Layer.Layer<WorkSignal, never, R>, entropy: Layer.Layer<Entropy.Entropy>) =>
  Layer.mergeAll(rows, signal, Argon2PasswordHasher.layer).pipe(Layer.provideMerge(entropy))

/** Every store of the domain and the password hasher, with the database's signal and the system's random bytes. */
export const layer = over(SqlWorkSignal.layer, NodeEntropy.layer)

export type Stores = Layer.Layer.Success<typeof layer>

/** What a layer of the stores may need: a database with the current schema, and a vault with the keys. */
export type StorePorts = Database | Vault.Vault
