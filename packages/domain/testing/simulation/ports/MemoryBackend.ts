import { Layer } from "effect"
import * as MemoryAccessLogStore from "../../memory/MemoryAccessLogStore.js"
import * as MemoryAccountDeletionStore from "../../memory/accounts/MemoryAccountDeletionStore.js"
import * as MemoryAccountStore from "../../memory/accounts/MemoryAccountStore.js"
import * as MemoryCredentialStore from "../../memory/accounts/MemoryCredentialStore.js"
import * as MemoryAppStore from "../../memory/apps/MemoryAppStore.js"
import * as MemoryConnectionStore from "../../memory/connection/MemoryConnectionStore.js"
import * as MemoryConsentStore from "../../memory/connection/MemoryConsentStore.js"
import * as MemoryTokenStore from "../../memory/connection/MemoryTokenStore.js"
import { MemoryDatabase } from "../../memory/MemoryDatabase.js"
import * as MemoryDeliveryStore from "../../memory/deliveries/MemoryDeliveryStore.js"
import * as MemoryDeviceStore from "../../memory/fixes/MemoryDeviceStore.js"
import * as MemoryEndpointStore from "../../memory/deliveries/MemoryEndpointStore.js"
import * as MemoryEventStore from "../../memory/deliveries/MemoryEventStore.js"
import * as MemoryFixHistory from "../../memory/fixes/MemoryFixHistory.js"
import * as MemoryFixStore from "../../memory/fixes/MemoryFixStore.js"
import * as MemoryHistoryStore from "../../memory/fixes/MemoryHistoryStore.js"
import * as MemoryLeaseStore from "../../memory/leases/MemoryLeaseStore.js"
import * as MemoryLegacyStore from "../../memory/deliveries/MemoryLegacyStore.js"
import * as MemoryLimitStore from "../../memory/MemoryLimitStore.js"
import * as MemoryListenerStore from "../../memory/deliveries/MemoryListenerStore.js"
import * as MemoryMailOutbox from "../../memory/MemoryMailOutbox.js"
import * as MemoryPlaceStore from "../../memory/rules/MemoryPlaceStore.js"
import * as MemoryPurposeStore from "../../memory/apps/MemoryPurposeStore.js"
import * as MemoryRetentionStore from "../../memory/MemoryRetentionStore.js"
import * as MemoryReviewStore from "../../memory/apps/MemoryReviewStore.js"
import * as MemoryRuleStore from "../../memory/rules/MemoryRuleStore.js"
import * as MemoryStayStore from "../../memory/visits/MemoryStayStore.js"
import * as MemoryTierStore from "../../memory/connection/MemoryTierStore.js"
import * as MemoryVisitStore from "../../memory/visits/MemoryVisitStore.js"
import * as MemoryTestPersonStore from "../../memory/accounts/MemoryTestPersonStore.js"
import * as MemoryVolumeFlagStore from "../../memory/apps/MemoryVolumeFlagStore.js"
import type { Backend } from "./Ports.js"

const stores = Layer.mergeAll(
  MemoryAccessLogStore.layer,
  MemoryAccountDeletionStore.layer,
  MemoryAccountStore.layer,
  MemoryAppStore.layer,
  MemoryConnectionStore.layer,
  MemoryConsentStore.layer,
  MemoryCredentialStore.layer,
  MemoryTokenStore.layer,
  MemoryDeliveryStore.layer,
  MemoryDeviceStore.layer,
  MemoryEndpointStore.layer,
  MemoryEventStore.layer,
  MemoryFixHistory.layer,
  MemoryFixStore.layer,
  MemoryHistoryStore.layer,
  MemoryLeaseStore.layer,
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
  MemoryTestPersonStore.layer,
  MemoryVolumeFlagStore.layer
).pipe(Layer.provide(MemoryDatabase.layer))

/** Rows in the memory of this process: the fastest backend, and the only one without promises. */
export const memory: Backend = { name: "memory", isHosted: false, stores }
