import type { Context, Layer } from "effect"
import { AccessLogStore } from "../../../access-log/AccessLogStore.js"
import { AccountStore } from "../../../accounts/AccountStore.js"
import type { PasswordHasher } from "../../../accounts/PasswordHasher.js"
import { AppStore } from "../../../apps/AppStore.js"
import { ConnectionStore } from "../../../connection/ConnectionStore.js"
import { AccountDeletionStore } from "../../../deletions/AccountDeletionStore.js"
import { DeliveryStore } from "../../../deliveries/DeliveryStore.js"
import type { WebhookSender } from "../../../deliveries/WebhookSender.js"
import type { WorkSignal } from "../../../deliveries/WorkSignal.js"
import { DeviceStore } from "../../../devices/DeviceStore.js"
import { EndpointStore } from "../../../endpoints/EndpointStore.js"
import { EventStore } from "../../../events/EventStore.js"
import { FixHistory } from "../../../fixes/FixHistory.js"
import { FixStore } from "../../../fixes/FixStore.js"
import { HistoryStore } from "../../../history/HistoryStore.js"
import { RetentionStore } from "../../../housekeeping/RetentionStore.js"
import { LegacyStore } from "../../../legacy/LegacyStore.js"
import { LimitStore } from "../../../limits/LimitStore.js"
import { ListenerStore } from "../../../listeners/ListenerStore.js"
import type { Mailer } from "../../../mail/Mailer.js"
import { MailOutbox } from "../../../mail/MailOutbox.js"
import { PlaceStore } from "../../../places/PlaceStore.js"
import { PurposeStore } from "../../../purposes/PurposeStore.js"
import { VolumeFlagStore } from "../../../purposes/VolumeFlagStore.js"
import { ReviewStore } from "../../../reviews/ReviewStore.js"
import { RuleStore } from "../../../rules/RuleStore.js"
import type { Entropy } from "../../../shared/Entropy.js"
import type { Vault } from "../../../shared/Vault.js"
import { TierStore } from "../../../tiers/TierStore.js"
import { StayStore } from "../../../visits/StayStore.js"
import { VisitStore } from "../../../visits/VisitStore.js"

/** The ports that a database keeps: a backend gives them, and the simulation stands in front of each. */
export const STORES = {
  AccessLogStore,
  AccountDeletionStore,
  AccountStore,
  AppStore,
  ConnectionStore,
  DeliveryStore,
  DeviceStore,
  EndpointStore,
  EventStore,
  FixHistory,
  FixStore,
  HistoryStore,
  LegacyStore,
  LimitStore,
  ListenerStore,
  MailOutbox,
  PlaceStore,
  PurposeStore,
  RetentionStore,
  ReviewStore,
  RuleStore,
  StayStore,
  TierStore,
  VisitStore,
  VolumeFlagStore
} as const

export type StoreName = keyof typeof STORES
export type Stores = Context.Tag.Identifier<(typeof STORES)[StoreName]>

/** These are the simulation's own, whatever the backend. */
export type Simulated = Entropy | Vault | PasswordHasher | WebhookSender | Mailer | WorkSignal

export type Ports = Stores | Simulated

/** Where the rows are. */
export interface Backend {
  readonly name: string
  /** It is asked over promises: runs are asynchronous then. */
  readonly isHosted: boolean
  /** A database of its own for each run, empty and up to date; opened when the run begins and closed when it ends. */
  readonly stores: Layer.Layer<Stores, unknown, Entropy | Vault>
}
