import {
  Argon2PasswordHasher,
  type Database,
  NodeEntropy,
  SqlAccessLogStore,
  SqlAccountDeletionStore,
  SqlAccountStore,
  SqlAppStore,
  SqlConnectionStore,
  SqlDeliveryStore,
  SqlDeviceStore,
  SqlEndpointStore,
  SqlEventStore,
  SqlFixHistory,
  SqlFixStore,
  SqlHistoryStore,
  SqlIdempotencyStore,
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
  SqlStayStore,
  SqlTierStore,
  SqlVisitStore,
  SqlVolumeFlagStore,
  SqlWorkSignal
} from "@place-access/adapters-pg"
import type { Vault } from "@place-access/domain/shared"
import { Layer } from "effect"

/** The ports that are rows of a database and nothing else. */
export const rows = Layer.mergeAll(
  SqlAccessLogStore.layer,
  SqlAccountDeletionStore.layer,
  SqlAccountStore.layer,
  SqlAppStore.layer,
  SqlConnectionStore.layer,
  SqlDeliveryStore.layer,
  SqlDeviceStore.layer,
  SqlEndpointStore.layer,
  SqlEventStore.layer,
  SqlFixHistory.layer,
  SqlFixStore.layer,
  SqlHistoryStore.layer,
  SqlIdempotencyStore.layer,
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
  SqlStayStore.layer,
  SqlTierStore.layer,
  SqlVisitStore.layer,
  SqlVolumeFlagStore.layer
)

/** Every port of the domain that a database keeps, with the entropy and the password hasher that come with them. */
export const layer = Layer.mergeAll(rows, SqlWorkSignal.layer, Argon2PasswordHasher.layer).pipe(
  Layer.provideMerge(NodeEntropy.layer)
)

export type Stores = Layer.Layer.Success<typeof layer>

/** What is left to give: a database that is up to date, and keys. */
export type Needs = Database | Vault.Vault
