import {
  SqlAccountStore,
  SqlAppStore,
  SqlConnectionStore,
  SqlDeviceStore,
  SqlEndpointStore,
  SqlEventStore,
  SqlFixStore,
  SqlHistoryStore,
  SqlPlaceStore,
  SqlRuleStore
} from "@place-access/adapters-pg"
import { Layer } from "effect"

/** Everything between a user's place and the outbox. */
export const UploadStores = Layer.mergeAll(
  SqlAccountStore.layer,
  SqlAppStore.layer,
  SqlConnectionStore.layer,
  SqlDeviceStore.layer,
  SqlEndpointStore.layer,
  SqlEventStore.layer,
  SqlFixStore.layer,
  SqlHistoryStore.layer,
  SqlPlaceStore.layer,
  SqlRuleStore.layer
)
