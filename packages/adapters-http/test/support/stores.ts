import {
  MemoryAccessLogStore,
  MemoryAccountDeletionStore,
  MemoryAccountStore,
  MemoryAppStore,
  MemoryConnectionStore,
  MemoryDatabase,
  MemoryDeliveryStore,
  MemoryDeviceStore,
  MemoryEndpointStore,
  MemoryEntropy,
  MemoryEventStore,
  MemoryFixHistory,
  MemoryFixStore,
  MemoryHistoryStore,
  MemoryIdempotencyStore,
  MemoryLegacyStore,
  MemoryLimitStore,
  MemoryImportStore,
  MemoryListenerStore,
  MemoryMailOutbox,
  MemoryPasswordHasher,
  MemoryPlaceStore,
  MemoryPurposeStore,
  MemoryReviewStore,
  MemoryRuleStore,
  MemoryStayStore,
  MemoryVault,
  MemoryVisitStore,
  MemoryVolumeFlagStore,
  MemoryWebhookSender,
  MemoryWorkSignal
} from "@place-access/domain/testing"
import { Layer } from "effect"

/** Every port that the HTTP side needs, in memory. A noun that needs another adds its memory layer here. */
export const Stores = Layer.mergeAll(
  MemoryAccessLogStore.layer,
  MemoryAccountDeletionStore.layer,
  MemoryAccountStore.layer,
  MemoryAppStore.layer,
  MemoryConnectionStore.layer,
  MemoryDeliveryStore.layer,
  MemoryDeviceStore.layer,
  MemoryEndpointStore.layer,
  MemoryEventStore.layer,
  MemoryFixHistory.layer,
  MemoryFixStore.layer,
  MemoryHistoryStore.layer,
  MemoryIdempotencyStore.layer,
  MemoryLegacyStore.layer,
  MemoryLimitStore.layer,
  MemoryImportStore.layer,
  MemoryListenerStore.layer,
  MemoryMailOutbox.layer,
  MemoryPasswordHasher.layer,
  MemoryPlaceStore.layer,
  MemoryPurposeStore.layer,
  MemoryReviewStore.layer,
  MemoryRuleStore.layer,
  MemoryStayStore.layer,
  MemoryVisitStore.layer,
  MemoryVolumeFlagStore.layer,
  MemoryWebhookSender.layer,
  MemoryWorkSignal.layer
).pipe(
  Layer.provideMerge(MemoryDatabase.layer),
  Layer.provideMerge(Layer.mergeAll(MemoryEntropy.layer, MemoryVault.layer))
)

/** What programs run over in tests. */
export type Ports = Layer.Layer.Success<typeof Stores>
