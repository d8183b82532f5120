import {
  SqlAccessLogStore,
  SqlAccountStore,
  SqlAppStore,
  SqlConnectionStore,
  SqlConsentStore,
  SqlTokenStore,
  SqlDeviceStore,
  SqlEndpointStore,
  SqlEventStore,
  SqlFixStore,
  SqlHistoryStore,
  SqlMailOutbox,
  SqlPlaceStore,
  SqlPurposeStore,
  SqlRuleStore
} from "@place-access/adapters-pg"
import { MemoryWorkSignal } from "@place-access/domain/testing"
import { Layer } from "effect"

/** All stores that an upload needs, from the user's places to the outbox. */
export const UploadStores = Layer.mergeAll(
  SqlAccountStore.layer,
  SqlAppStore.layer,
  SqlConnectionStore.layer,
  SqlConsentStore.layer,
  SqlTokenStore.layer,
  SqlDeviceStore.layer,
  SqlEndpointStore.layer,
  SqlEventStore.layer,
  SqlFixStore.layer,
  SqlHistoryStore.layer,
  SqlPlaceStore.layer,
  SqlRuleStore.layer
)

/** All stores that a consent and the removal of a place need. */
export const ConsentStores = Layer.mergeAll(
  UploadStores,
  SqlAccessLogStore.layer,
  SqlMailOutbox.layer,
  SqlPurposeStore.layer,
  MemoryWorkSignal.layer
)
