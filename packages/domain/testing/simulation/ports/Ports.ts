import type { Context, Layer } from "effect"
import { AccessLogStore } from "../../../src/access-log/AccessLogStore.js"
import { AccountStore } from "../../../src/accounts/AccountStore.js"
import type { AuditLog } from "../../../src/audit/AuditLog.js"
import type { PasswordHasher } from "../../../src/accounts/PasswordHasher.js"
import { AppStore } from "../../../src/apps/AppStore.js"
import { ConnectionStore } from "../../../src/connection/ConnectionStore.js"
import { ConsentStore } from "../../../src/consent/ConsentStore.js"
import { CredentialStore } from "../../../src/credentials/CredentialStore.js"
import { TokenStore } from "../../../src/tokens/TokenStore.js"
import { AccountDeletionStore } from "../../../src/deletions/AccountDeletionStore.js"
import { DeliveryStore } from "../../../src/deliveries/DeliveryStore.js"
import type { WebhookSender } from "../../../src/endpoints/WebhookSender.js"
import type { WorkSignal } from "../../../src/events/WorkSignal.js"
import { DeviceStore } from "../../../src/devices/DeviceStore.js"
import { EndpointStore } from "../../../src/endpoints/EndpointStore.js"
import { EventStore } from "../../../src/deliveries/EventStore.js"
import { ExportSource, ExportStore } from "../../../src/exports/ExportStore.js"
import { FactorStore } from "../../../src/factors/FactorStore.js"
import { FiguresStore } from "../../../src/figures/FiguresStore.js"
import { FixHistory } from "../../../src/fixes/FixHistory.js"
import { FixStore } from "../../../src/fixes/FixStore.js"
import { HistoryStore } from "../../../src/retention-choice/HistoryStore.js"
import { RetentionStore } from "../../../src/sweeps/RetentionStore.js"
import { IdempotencyStore } from "../../../src/idempotency/IdempotencyStore.js"
import { ImportStore } from "../../../src/imports/ImportStore.js"
import { LeaseStore } from "../../../src/leases/LeaseStore.js"
import { LegacyStore } from "../../../src/legacy/LegacyStore.js"
import { LimitStore } from "../../../src/limits/LimitStore.js"
import { ListenerStore } from "../../../src/listeners/ListenerStore.js"
import type { Mailer } from "../../../src/mail/Mailer.js"
import { MailOutbox } from "../../../src/mail/MailOutbox.js"
import { PlaceStore } from "../../../src/places/PlaceStore.js"
import { PurposeStore } from "../../../src/purposes/PurposeStore.js"
import { VolumeFlagStore } from "../../../src/purposes/VolumeFlagStore.js"
import { ReviewStore } from "../../../src/staff/ReviewStore.js"
import { ServiceStore } from "../../../src/staff/ServiceStore.js"
import { StaffStore } from "../../../src/staff/StaffStore.js"
import { TeamStore } from "../../../src/teams/TeamStore.js"
import { RuleStore } from "../../../src/rules/RuleStore.js"
import type { Entropy } from "../../../src/shared/Entropy.js"
import type { Vault } from "../../../src/shared/Vault.js"
import { TierStore } from "../../../src/sweeps/TierStore.js"
import { TestPersonStore } from "../../../src/test-people/TestPersonStore.js"
import { StayStore } from "../../../src/visits/StayStore.js"
import { VisitStore } from "../../../src/visits/VisitStore.js"

/**
 * The ports that a database implements. A backend supplies these ports, and the simulation wraps each of them to record
 * calls and inject faults.
 */
export const STORES = {
  AccessLogStore,
  AccountDeletionStore,
  AccountStore,
  AppStore,
  ConnectionStore,
  ConsentStore,
  CredentialStore,
  DeliveryStore,
  DeviceStore,
  EndpointStore,
  EventStore,
  ExportSource,
  ExportStore,
  FactorStore,
  FiguresStore,
  FixHistory,
  FixStore,
  HistoryStore,
  IdempotencyStore,
  ImportStore,
  LeaseStore,
  LegacyStore,
  LimitStore,
  ListenerStore,
  MailOutbox,
  PlaceStore,
  PurposeStore,
  RetentionStore,
  ReviewStore,
  RuleStore,
  ServiceStore,
  StaffStore,
  StayStore,
  TeamStore,
  TestPersonStore,
  TierStore,
  TokenStore,
  VisitStore,
  VolumeFlagStore
} as const

export type StoreName = keyof typeof STORES
export type Stores = Context.Tag.Identifier<(typeof STORES)[StoreName]>

/** The ports that the simulation itself implements, whatever the backend is. */
export type Simulated = AuditLog | Entropy | Vault | PasswordHasher | WebhookSender | Mailer | WorkSignal

export type Ports = Stores | Simulated

/** An implementation of the stores. */
export interface Backend {
  readonly name: string
  /** True when the stores answer by promises. Runs with a backend of this kind are asynchronous. */
  readonly isHosted: boolean
  /**
   * A database for one run, empty and with all migrations. The simulation opens the database before the run and closes
   * it after the run.
   */
  readonly stores: Layer.Layer<Stores, unknown, Entropy | Vault>
}
