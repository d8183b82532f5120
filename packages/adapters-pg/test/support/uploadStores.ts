import {
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
  SqlPlaceStore,
  SqlRuleStore
} from "@place-access/adapters-pg"
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
