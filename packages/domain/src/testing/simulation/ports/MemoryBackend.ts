import { Layer } from "effect"
import * as MemoryAccessLogStore from "../../memory/MemoryAccessLogStore.js"
import * as MemoryAccountDeletionStore from "../../memory/MemoryAccountDeletionStore.js"
import * as MemoryAccountStore from "../../memory/MemoryAccountStore.js"
import * as MemoryAppStore from "../../memory/MemoryAppStore.js"
import * as MemoryConnectionStore from "../../memory/MemoryConnectionStore.js"
import { MemoryDatabase } from "../../memory/MemoryDatabase.js"
import * as MemoryDeliveryStore from "../../memory/MemoryDeliveryStore.js"
import * as MemoryDeviceStore from "../../memory/MemoryDeviceStore.js"
import * as MemoryEndpointStore from "../../memory/MemoryEndpointStore.js"
import * as MemoryEventStore from "../../memory/MemoryEventStore.js"
import * as MemoryFixHistory from "../../memory/MemoryFixHistory.js"
import * as MemoryFixStore from "../../memory/MemoryFixStore.js"
import * as MemoryHistoryStore from "../../memory/MemoryHistoryStore.js"
import * as MemoryLegacyStore from "../../memory/MemoryLegacyStore.js"
import * as MemoryLimitStore from "../../memory/MemoryLimitStore.js"
import * as MemoryListenerStore from "../../memory/MemoryListenerStore.js"
import * as MemoryMailOutbox from "../../memory/MemoryMailOutbox.js"
import * as MemoryPlaceStore from "../../memory/MemoryPlaceStore.js"
import * as MemoryPurposeStore from "../../memory/MemoryPurposeStore.js"
import * as MemoryRetentionStore from "../../memory/MemoryRetentionStore.js"
import * as MemoryReviewStore from "../../memory/MemoryReviewStore.js"
import * as MemoryRuleStore from "../../memory/MemoryRuleStore.js"
import * as MemoryStayStore from "../../memory/MemoryStayStore.js"
import * as MemoryTierStore from "../../memory/MemoryTierStore.js"
import * as MemoryVisitStore from "../../memory/MemoryVisitStore.js"
import * as MemoryVolumeFlagStore from "../../memory/MemoryVolumeFlagStore.js"
import type { Backend } from "./Ports.js"

const stores = Layer.mergeAll(
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
  MemoryLegacyStore.layer,
  MemoryLimitStore.layer,
  MemoryListenerStore.layer,
  MemoryMailOutbox.layer,
  MemoryPlaceStore.layer,
  MemoryPurposeStore.layer,
  MemoryRetentionStore.layer,
  MemoryReviewStore.layer,
  MemoryRuleStore.layer,
  MemoryStayStore.layer,
  MemoryTierStore.layer,
  MemoryVisitStore.layer,
  MemoryVolumeFlagStore.layer
).pipe(Layer.provide(MemoryDatabase.layer))

/** Rows in this process's memory: the quickest, and without a promise anywhere. */
export const memory: Backend = { name: "memory", isHosted: false, stores }
