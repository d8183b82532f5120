import { Context, Effect, Layer } from "effect"
import type { AccessLogEntry } from "../../access-log/AccessLogEntry.js"
import type { Credentials } from "../../accounts/AccountStore.js"
import type { Session } from "../../accounts/Session.js"
import type { CountedTry, SignInTry } from "../../accounts/SignInThrottle.js"
import type { Registered } from "../../apps/AppStore.js"
import type { AuthorizationCode } from "../../connection/AuthorizationCode.js"
import type { Connection } from "../../connection/Connection.js"
import type { ConsentRequest } from "../../connection/ConsentRequest.js"
import type { AccessToken, RefreshToken } from "../../connection/TokenFamily.js"
import type { Attempt, Delivery } from "../../deliveries/Delivery.js"
import type { Device } from "../../devices/Device.js"
import type { StrikeWarning } from "../../endpoints/StrikeWarning.js"
import type { WebhookEndpoint } from "../../endpoints/WebhookEndpoint.js"
import type { OutboxEvent } from "../../events/Event.js"
import type { StoredFix } from "../../fixes/Fix.js"
import type { Quarantined } from "../../fixes/FixStore.js"
import type { Subscription } from "../../legacy/Receiver.js"
import type { Listener, Waiting } from "../../listeners/Listener.js"
import type { Kept as KeptAnswer } from "../../idempotency/Idempotency.js"
import type { Window } from "../../limits/Rate.js"
import type { Subject } from "../../limits/Subject.js"
import type { ZoneQuestions } from "../../limits/ZoneQuestions.js"
import type { Import } from "../../imports/Import.js"
import type { Keep } from "../../history/History.js"
import type { Kept, MailMessage } from "../../mail/Mail.js"
import type { Count as NamedMailCount } from "../../mail/NamedMail.js"
import type { Place } from "../../places/Place.js"
import type { Shape } from "../../places/Shape.js"
import type { Purpose } from "../../purposes/Purpose.js"
import type { VolumeFlag } from "../../purposes/VolumeFlag.js"
import type { ReviewDecision } from "../../reviews/ReviewDecision.js"
import type { Rule } from "../../rules/Rule.js"
import type { RecentEvaluations } from "../../rules/RecentEvaluations.js"
import type { RuleState } from "../../rules/RuleEvaluation.js"
import type {
  AppId,
  ConnectionId,
  ConsentRequestId,
  DeliveryId,
  DeviceId,
  EndpointId,
  EventId,
  ImportId,
  ListenerId,
  PlaceId,
  RuleId,
  Sub,
  SubscriptionId,
  UserId
} from "../../shared/Ids.js"
import type { Timestamp } from "../../shared/Timestamp.js"
import type { Hash, Sealed } from "../../shared/Vault.js"
import type { SensitiveNotice } from "../../tiers/SensitiveNotice.js"
import type { Stay } from "../../visits/Stay.js"
import type { VisitReport } from "../../visits/VisitReport.js"

/** `isLeftBehind`: it decides nothing (`Carried`). */
export type KeptFix = StoredFix & { readonly isLeftBehind?: true }

interface Backfill {
  readonly userId: UserId
  readonly deviceId: DeviceId
  readonly placeId: PlaceId
  readonly dueFrom: Timestamp
}

export interface KeptImport {
  readonly import: Import
  /** Not complete yet, so not listed. */
  readonly uploading: boolean
  readonly lease: string | null
  readonly leasedUntil: Timestamp | null
  readonly attempts: number
}

/**
 * The tables that the in-memory stores share. A store changes them inside one synchronous step (`Effect.sync`), which is
 * what makes its methods atomic.
 */
export interface Tables {
  readonly accounts: Map<UserId, Credentials>
  readonly sessions: Map<Hash, Session>
  /** By id. `forgotten`: a success of the account came after it. */
  readonly signInTries: Map<string, SignInTry & CountedTry & { readonly forgotten: boolean }>
  readonly apps: Map<AppId, Registered>
  readonly purposes: Array<Purpose>
  readonly reviewDecisions: Array<ReviewDecision>
  readonly volumeFlags: Array<VolumeFlag>
  readonly consentRequests: Map<ConsentRequestId, ConsentRequest>
  /** By `${userId} ${appId}`. */
  readonly subs: Map<string, Sub>
  readonly connections: Map<ConnectionId, Connection>
  readonly flagged: Map<ConnectionId, Timestamp>
  /** When the sweep of the tiers looks at a connection. */
  readonly tierLooks: Map<ConnectionId, { readonly at: Timestamp | null; readonly leasedUntil: Timestamp | null }>
  readonly tierNotices: Map<ConnectionId, ReadonlyArray<SensitiveNotice>>
  readonly codes: Map<Hash, AuthorizationCode>
  readonly accessTokens: Map<Hash, AccessToken>
  /** In order of issue. */
  readonly refreshTokens: Map<Hash, RefreshToken>
  /** By `${userId} ${dedupeKey}`. */
  readonly mail: Map<string, MailMessage>
  /** By the same key: what became of it. */
  readonly mailStates: Map<string, Omit<Kept, "message"> & { readonly dueAt: Timestamp }>
  readonly namedMail: Map<UserId, NamedMailCount>
  readonly places: Map<PlaceId, Place>
  /** In the order of their versions. */
  readonly placeShapes: Map<PlaceId, ReadonlyArray<Shape>>
  readonly devices: Map<DeviceId, Device>
  readonly streamVersions: Map<UserId, number>
  /** From when on stays are to be derived, or derived again; left out: nothing is due. */
  readonly staysDueFrom: Map<DeviceId, Timestamp>
  /** By device, place and arrival. */
  readonly stays: Map<string, Stay & { readonly userId: UserId; readonly deviceId: DeviceId }>
  /** By `${userId} ${deviceId} ${placeId}`: places whose stays do not reach as far as the device's yet. */
  readonly stayBackfills: Map<string, Backfill>
  /** These three by `${userId} ${deviceId} ${key}`, the key of what is stored. */
  readonly fixes: Map<string, KeptFix>
  readonly quarantined: Map<
    string,
    Quarantined & { readonly userId: UserId; readonly deviceId: DeviceId; readonly receivedAt: Timestamp }
  >
  readonly visitReports: Map<string, VisitReport & { readonly userId: UserId; readonly deviceId: DeviceId }>
  readonly imports: Map<ImportId, KeptImport>
  /** By `${import id} ${position}`. */
  readonly importPieces: Map<string, Uint8Array>
  /** Devices that are no phones, with the newest entry that they brought. */
  readonly importDevices: Map<DeviceId, Timestamp | null>
  readonly historyChoices: Map<UserId, Keep>
  /** Accounts that are gone. */
  readonly accountDeletions: Map<
    UserId,
    { readonly requestedAt: Timestamp; readonly lookAt: Timestamp; readonly appIds: ReadonlyArray<AppId> }
  >
  readonly rules: Map<RuleId, Rule & { readonly deletedAt: Timestamp | null }>
  /** Of rules with an address of their own. */
  readonly ownSecrets: Map<RuleId, Sealed>
  readonly subscriptions: Map<SubscriptionId, Subscription>
  readonly ruleStates: Map<RuleId, RuleState>
  /** When a scope for rules last came back to an app or a connection, by `${id} ${scope}`. */
  readonly rulesSince: Map<string, Timestamp>
  readonly recentEvaluations: Map<RuleId, RecentEvaluations>
  readonly events: Map<
    EventId,
    OutboxEvent & { readonly fanOutDueAt: Timestamp; readonly fannedOutAt: Timestamp | null }
  >
  readonly endpoints: Map<EndpointId, WebhookEndpoint>
  readonly strikeWarnings: Map<DeliveryId, StrikeWarning>
  readonly deliveries: Map<
    DeliveryId,
    {
      readonly delivery: Delivery
      readonly endpointEpoch: number
      readonly lease: string | null
      readonly leasedUntil: Timestamp | null
      /** How many leases in a row ran out on the attempt; none when absent. */
      readonly lapses?: number
      readonly isReplayed?: boolean
    }
  >
  /** With how many were dropped and not told of. */
  readonly listeners: Map<ListenerId, Listener & { readonly dropped: number }>
  /** By `${listener id} ${event id}`. */
  readonly listenerEvents: Map<string, Waiting>
  readonly attempts: Array<Attempt & { readonly deliveryId: DeliveryId }>
  readonly accessLog: Array<AccessLogEntry>
  /** By `${userId} ${appId}`. */
  readonly zoneQuestions: Map<string, ZoneQuestions>
  readonly rateWindows: Map<Subject, Window>
  /** By `${userId} ${subject} ${keyHash}`. */
  readonly idempotentAnswers: Map<string, KeptAnswer>
}

/** The tables that the in-memory stores share. */
export class MemoryDatabase extends Context.Tag("@place-access/domain/testing/MemoryDatabase")<
  MemoryDatabase,
  Tables
>() {
  /** Empty tables, new ones wherever the layer is built. */
  static readonly layer: Layer.Layer<MemoryDatabase> = Layer.effect(
    MemoryDatabase,
    Effect.sync(() => ({
      accounts: new Map(),
      sessions: new Map(),
      signInTries: new Map(),
      apps: new Map(),
      purposes: [],
      reviewDecisions: [],
      volumeFlags: [],
      consentRequests: new Map(),
      subs: new Map(),
      connections: new Map(),
      flagged: new Map(),
      tierLooks: new Map(),
      tierNotices: new Map(),
      codes: new Map(),
      accessTokens: new Map(),
      refreshTokens: new Map(),
      mail: new Map(),
      mailStates: new Map(),
      namedMail: new Map(),
      places: new Map(),
      placeShapes: new Map(),
      devices: new Map(),
      streamVersions: new Map(),
      staysDueFrom: new Map(),
      stays: new Map(),
      stayBackfills: new Map(),
      fixes: new Map(),
      quarantined: new Map(),
      visitReports: new Map(),
      imports: new Map(),
      importPieces: new Map(),
      importDevices: new Map(),
      historyChoices: new Map(),
      accountDeletions: new Map(),
      rules: new Map(),
      ownSecrets: new Map(),
      subscriptions: new Map(),
      ruleStates: new Map(),
      rulesSince: new Map(),
      recentEvaluations: new Map(),
      events: new Map(),
      endpoints: new Map(),
      strikeWarnings: new Map(),
      deliveries: new Map(),
      listeners: new Map(),
      listenerEvents: new Map(),
      attempts: [],
      accessLog: [],
      zoneQuestions: new Map(),
      rateWindows: new Map(),
      idempotentAnswers: new Map()
    }))
  )
}
