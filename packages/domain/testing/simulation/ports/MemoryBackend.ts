import { Effect, Layer } from "effect"
import * as MemoryAccessLogStore from "../../memory/MemoryAccessLogStore.js"
import * as MemoryAccountDeletionStore from "../../memory/accounts/MemoryAccountDeletionStore.js"
import * as MemoryAccountStore from "../../memory/accounts/MemoryAccountStore.js"
import * as MemoryCredentialStore from "../../memory/accounts/MemoryCredentialStore.js"
import * as MemoryAppStore from "../../memory/apps/MemoryAppStore.js"
import * as MemoryConnectionStore from "../../memory/connection/MemoryConnectionStore.js"
import * as MemoryConsentStore from "../../memory/connection/MemoryConsentStore.js"
import * as MemoryTokenStore from "../../memory/connection/MemoryTokenStore.js"
import { MemoryDatabase, type Tables } from "../../memory/MemoryDatabase.js"
import * as MemoryDeliveryStore from "../../memory/deliveries/MemoryDeliveryStore.js"
import * as MemoryDeviceStore from "../../memory/fixes/MemoryDeviceStore.js"
import * as MemoryEndpointStore from "../../memory/deliveries/MemoryEndpointStore.js"
import * as MemoryEventStore from "../../memory/deliveries/MemoryEventStore.js"
import * as MemoryExportStore from "../../memory/exports/MemoryExportStore.js"
import * as MemoryFactorStore from "../../memory/accounts/MemoryFactorStore.js"
import * as MemoryFiguresStore from "../../memory/MemoryFiguresStore.js"
import * as MemoryFixHistory from "../../memory/fixes/MemoryFixHistory.js"
import * as MemoryFixStore from "../../memory/fixes/MemoryFixStore.js"
import * as MemoryHistoryStore from "../../memory/fixes/MemoryHistoryStore.js"
import * as MemoryIdempotencyStore from "../../memory/MemoryIdempotencyStore.js"
import * as MemoryImportStore from "../../memory/fixes/MemoryImportStore.js"
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
import * as MemoryServiceStore from "../../memory/accounts/MemoryServiceStore.js"
import * as MemoryStaffStore from "../../memory/accounts/MemoryStaffStore.js"
import * as MemoryTeamStore from "../../memory/apps/MemoryTeamStore.js"
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
  MemoryExportStore.layer,
  MemoryExportStore.layerSource,
  MemoryFactorStore.layer,
  MemoryFiguresStore.layer,
  MemoryFixHistory.layer,
  MemoryFixStore.layer,
  MemoryHistoryStore.layer,
  MemoryIdempotencyStore.layer,
  MemoryImportStore.layer,
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
  MemoryServiceStore.layer,
  MemoryStaffStore.layer,
  MemoryStayStore.layer,
  MemoryTeamStore.layer,
  MemoryTierStore.layer,
  MemoryVisitStore.layer,
  MemoryTestPersonStore.layer,
  MemoryVolumeFlagStore.layer
)

/**
 * Keeps the rows in the memory of this process. This backend is the fastest. Its stores answer without promises, so its
 * runs are synchronous.
 */
export const memory: Backend = {
  name: "memory",
  isHosted: false,
  stores: stores.pipe(Layer.provide(MemoryDatabase.layer))
}

/**
 * Copies the rows. A shallow copy of each table is enough, because a store never changes a row, but replaces it by
 * another row.
 */
const copyOf = (tables: Tables): Tables =>
  Object.fromEntries(
    Object.entries(tables).map(([name, rows]) => [name, rows instanceof Map ? new Map(rows) : [...rows]])
  ) as unknown as Tables

/** Replaces the rows inside each table. The table objects stay, because the stores have references to them. */
const refill = (tables: Tables, from: Tables): void => {
  for (const [name, rows] of Object.entries(tables) as ReadonlyArray<[keyof Tables, unknown]>) {
    const kept: unknown = from[name]
    if (rows instanceof Map && kept instanceof Map) {
      rows.clear()
      for (const [key, row] of kept) rows.set(key, row)
    } else if (Array.isArray(rows) && Array.isArray(kept)) rows.splice(0, rows.length, ...kept)
  }
}

/** A backend for one run. A scenario can back up the rows of the backend and restore the backup. */
export interface MemoryWithBackups {
  readonly backend: Backend
  /** Copies all rows. */
  readonly backUp: () => void
  /** Restores the rows of the last backup. Everything that was written since then is lost. */
  readonly restore: () => void
}

/** An empty backend in the memory of this process, whose rows can be backed up. */
export const withBackups = (): MemoryWithBackups => {
  let tables: Tables | undefined
  let backup: Tables | undefined
  const database = Layer.effect(
    MemoryDatabase,
    Effect.map(Effect.provide(MemoryDatabase, MemoryDatabase.layer), (made) => (tables = made))
  )
  return {
    backend: { name: "memory", isHosted: false, stores: stores.pipe(Layer.provide(database)) },
    backUp: () => {
      if (tables !== undefined) backup = copyOf(tables)
    },
    restore: () => {
      if (tables === undefined || backup === undefined) throw new TypeError("There is no backup of this run")
      refill(tables, copyOf(backup))
    }
  }
}
