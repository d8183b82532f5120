import { SqlClient } from "@effect/sql/SqlClient"
import * as Sql from "@place-access/adapters-pg"
import * as Testing from "@place-access/domain/testing"
import { Effect, Layer } from "effect"
import { describe } from "vitest"
import { isDistributed } from "../../src/schema/isDistributed.js"
import { anyOrderContract } from "./anyOrderContract.js"
import { catalogueContract } from "./catalogueContract.js"
import { emptiedFor, type Ground, runCases, type Stores } from "./contracts.js"
import { deletionCatalogue } from "./deletionCatalogue.js"
import { keyCanaryContract } from "./keyCanaryContract.js"
import { noAttemptsLeft } from "./noAttemptsLeft.js"
import { oneTransactionContract } from "./oneTransactionContract.js"
import { busyPartitions, expiredPartitions, partitionsContract, partitionsUnderLoad } from "./partitionsContract.js"
import { reencryptionContract } from "./reencryptionContract.js"
import { unreadableEvent } from "./unreadableEvent.js"
import { workSignalContract } from "./workSignalContract.js"

const everyStore = Testing.FixSubjects.layer.pipe(
  Layer.provideMerge(
    Layer.mergeAll(
      Sql.SqlAccessLogStore.layer,
      Sql.SqlAccountDeletionStore.layer,
      Sql.SqlAccountStore.layer,
      Sql.SqlAuditLog.layer,
      Sql.SqlAppStore.layer,
      Sql.SqlConnectionStore.layer,
      Sql.SqlConsentStore.layer,
      Sql.SqlCredentialStore.layer,
      Sql.SqlFactorStore.layer,
      Sql.SqlDeliveryStore.layer,
      Sql.SqlDeviceStore.layer,
      Sql.SqlEndpointStore.layer,
      Sql.SqlEventStore.layer,
      Sql.SqlExportSource.layer,
      Sql.SqlExportStore.layer,
      Sql.SqlFiguresStore.layer,
      Sql.SqlFixHistory.layer,
      Sql.SqlFixStore.layer,
      Sql.SqlHistoryStore.layer,
      Sql.SqlIdempotencyStore.layer,
      Sql.SqlImportStore.layer,
      Sql.SqlLeaseStore.layer,
      Sql.SqlLegacyStore.layer,
      Sql.SqlLimitStore.layer,
      Sql.SqlListenerStore.layer,
      Sql.SqlMailOutbox.layer,
      Sql.SqlPlaceStore.layer,
      Sql.SqlPurposeStore.layer,
      Sql.SqlRetentionStore.layer,
      Sql.SqlReviewStore.layer,
      Sql.SqlRuleStore.layer,
      Sql.SqlServiceStore.layer,
      Sql.SqlStaffStore.layer,
      Sql.SqlStayStore.layer,
      Sql.SqlTeamStore.layer,
      Sql.SqlTestPersonStore.layer,
      Sql.SqlTierStore.layer,
      Sql.SqlTokenStore.layer,
      Sql.SqlVisitStore.layer,
      Sql.SqlVolumeFlagStore.layer,
      // Some cases run programs that wake workers by `WorkSignal`. Only the row "WorkSignal" tests the signal, with
      // `SqlWorkSignal`; for the cases of all other rows a signal in memory is enough.
      Testing.MemoryWorkSignal.layer
    )
  )
)

const isOnOneServer = Effect.map(Effect.flatMap(SqlClient, isDistributed), (is) => !is)

type Ports = Layer.Layer.Success<typeof everyStore>
type Cases = Testing.Contract<Ports | Ground>

/** Cases that share one migrated database, which has no data from the cases of another `Row`. */
export interface Row {
  readonly name: string
  readonly embedded: Cases
  readonly server: Cases
  readonly stores: Stores<Ports>
  /**
   * Whether the cases need a separate database, because they change the schema or expect the schema as migrations made
   * it.
   */
  readonly alone: boolean
}

/**
 * Makes a row. `both` has the cases that run on the embedded database and on a server. `only` has cases for one of the
 * two kinds, and also `stores` or `alone` when the row needs other values than the defaults.
 */
const row = (
  name: string,
  both: Cases,
  only: {
    readonly embedded?: Cases
    readonly server?: Cases
    readonly stores?: Stores<Ports>
    readonly alone?: boolean
  } = {}
): Row => ({
  name,
  embedded: [...both, ...(only.embedded ?? [])],
  server: [...both, ...(only.server ?? [])],
  stores: only.stores ?? everyStore,
  alone: only.alone ?? false
})

/** Every contract of an SQL store. Each row runs on the embedded database, on a PostgreSQL server and on Citus. */
export const contractTable: ReadonlyArray<Row> = [
  row("schema", catalogueContract, { alone: true }),
  row("partitions", partitionsContract, { server: partitionsUnderLoad, alone: true }),
  row("expired partitions", expiredPartitions, { server: busyPartitions, alone: true }),
  row("KeyCanary", keyCanaryContract),
  row("Reencryption", reencryptionContract, { alone: true }),
  row("WorkSignal", workSignalContract, { stores: Layer.merge(everyStore, Sql.SqlWorkSignal.layer) }),
  row("SqlAccessLogStore", Testing.accessLogStoreContract),
  row("SqlAccountStore", Testing.accountStoreContract),
  row("SqlAuditLog", Testing.auditLogContract),
  row("SqlCredentialStore", Testing.credentialStoreContract),
  row("SqlFactorStore", Testing.factorStoreContract),
  row("SqlAppStore", Testing.appStoreContract),
  row("SqlConnectionStore", Testing.connectionStoreContract),
  row("SqlConsentStore", Testing.consentStoreContract),
  row("SqlTokenStore", Testing.tokenStoreContract),
  row("SqlConnectionStore: revoked apps", Testing.revokedAppsContract),
  row("SqlAccountDeletionStore", Testing.accountDeletionStoreContract),
  row("SqlAccountDeletionStore: every table", deletionCatalogue),
  row("SqlDeliveryStore", Testing.deliveryStoreContract),
  row("SqlEventStore", [...Testing.eventStoreContract, ...Testing.readingAhead(isOnOneServer), unreadableEvent]),
  row("SqlDeviceStore", Testing.deviceStoreContract),
  row("SqlEndpointStore", Testing.endpointStoreContract),
  row("SqlEndpointStore: strike warnings", Testing.strikeWarningsContract),
  row("SqlExportStore", Testing.exportStoreContract),
  row("SqlFiguresStore", Testing.figuresStoreContract),
  row("SqlFixHistory", Testing.fixHistoryContract),
  row("SqlFixStore", Testing.fixStoreContract),
  row("SqlFixStore: rules", Testing.fixStoreRulesContract),
  row("SqlHistoryStore", Testing.historyStoreContract),
  row("SqlHistoryStore: deleted stretches", Testing.erasureContract),
  row("SqlIdempotencyStore", [...Testing.idempotencyStoreContract, ...oneTransactionContract]),
  row("SqlImportStore", Testing.importStoreContract),
  row("SqlLeaseStore", Testing.leaseStoreContract),
  row("SqlLegacyStore", Testing.legacyStoreContract),
  row("SqlLimitStore", Testing.limitStoreContract),
  row("SqlListenerStore", Testing.listenerStoreContract),
  row("SqlMailOutbox", Testing.mailOutboxContract),
  row("SqlPlaceStore", Testing.placeStoreContract),
  row("SqlPurposeStore", Testing.purposeStoreContract),
  row("SqlVolumeFlagStore", Testing.volumeFlagStoreContract),
  row("SqlRetentionStore", Testing.retentionStoreContract),
  row("SqlRetentionStore: logs", [...Testing.logRetentionContract, noAttemptsLeft]),
  row("SqlReviewStore", Testing.reviewStoreContract),
  row("SqlReviewStore: leaks", Testing.leaksContract),
  row("SqlRuleStore", Testing.ruleStoreContract),
  row("SqlServiceStore", Testing.serviceStoreContract),
  row("SqlStaffStore", Testing.staffStoreContract),
  row("SqlTeamStore", Testing.teamStoreContract),
  row("SqlTestPersonStore", Testing.testPersonStoreContract),
  row("SqlTierStore", Testing.tierStoreContract),
  row(
    "SqlStayStore, SqlVisitStore, SqlConnectionStore.archivePlace",
    [...Testing.stayStoreContract, ...Testing.visitStoreContract, ...Testing.archivePlaceContract],
    { embedded: anyOrderContract }
  )
]

/**
 * Runs the cases of each row as tests. Opening a database takes longer than the cases of most rows. So all rows share
 * one database, which is emptied before each row; a row with `alone` gets a database of its own.
 */
export const runRows = (rows: ReadonlyArray<Row & { readonly cases: Cases }>, database: Layer.Layer<Sql.Database>) => {
  const emptied = emptiedFor(database)
  for (const { alone, cases, name, stores } of rows) {
    describe(name, () => runCases(cases, alone ? database : emptied, stores))
  }
}
