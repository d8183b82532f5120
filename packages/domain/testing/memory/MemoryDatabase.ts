import { Context, Effect, Layer, Struct } from "effect"
import type { LoggedCall, AppHour } from "../../src/figures/AppFigures.js"
import type { AttemptCount } from "../../src/figures/EndpointFigures.js"
import type { AccessLogEntry } from "../../src/access-log/AccessLogEntry.js"
import type { AccountCredentials } from "../../src/accounts/AccountStore.js"
import type { NoticeKind } from "../../src/accounts/NoticeKind.js"
import type { Session } from "../../src/accounts/Session.js"
import type { StoredAuditEvent } from "../../src/audit/AuditEvent.js"
import type { CountedTry, SignInTry } from "../../src/accounts/SignInThrottle.js"
import type { AccountLink } from "../../src/credentials/AccountLink.js"
import type { SignUpRequest } from "../../src/credentials/SignUpRequest.js"
import type { LogoPng } from "../../src/apps/AppLogo.js"
import type { Factors } from "../../src/factors/Factors.js"
import type { Registered } from "../../src/apps/AppStore.js"
import type { AuthorizationCode } from "../../src/tokens/AuthorizationCode.js"
import type { Connection } from "../../src/connection/Connection.js"
import type { ConsentEntry } from "../../src/connection/ConsentEntry.js"
import type { ConsentRequest } from "../../src/consent/ConsentRequest.js"
import type { AccessToken, RefreshToken } from "../../src/tokens/TokenFamily.js"
import type { Attempt, Delivery } from "../../src/deliveries/Delivery.js"
import type { Device } from "../../src/devices/Device.js"
import type { StrikeWarning } from "../../src/endpoints/StrikeWarning.js"
import type { WebhookEndpoint } from "../../src/endpoints/WebhookEndpoint.js"
import type { OutboxEvent } from "../../src/events/Event.js"
import type { Export } from "../../src/exports/Export.js"
import type { StoredFix } from "../../src/fixes/Fix.js"
import type { Quarantined } from "../../src/fixes/FixStore.js"
import type { Subscription } from "../../src/legacy/Receiver.js"
import type { Listener, ListenerDelivery } from "../../src/listeners/Listener.js"
import type { KeptAnswer } from "../../src/idempotency/Idempotency.js"
import type { Lease } from "../../src/leases/Lease.js"
import type { RateWindow } from "../../src/limits/Rate.js"
import type { LimitSubject } from "../../src/limits/Subject.js"
import type { ZoneQuestions } from "../../src/limits/ZoneQuestions.js"
import type { Import } from "../../src/imports/Import.js"
import type { Erasure } from "../../src/retention-choice/Erasure.js"
import type { Keep } from "../../src/retention-choice/History.js"
import type { KeptMail, MailMessage } from "../../src/mail/Mail.js"
import type { NamedMailCount } from "../../src/mail/NamedMail.js"
import type { Place } from "../../src/places/Place.js"
import type { Shape } from "../../src/places/Shape.js"
import type { Purpose } from "../../src/purposes/Purpose.js"
import type { VolumeFlag } from "../../src/purposes/VolumeFlag.js"
import type { Suspension } from "../../src/accounts/Account.js"
import type { AnyReviewDecision } from "../../src/staff/ReviewStore.js"
import type { Rule } from "../../src/rules/Rule.js"
import type { RecentEvaluations } from "../../src/rules/RecentEvaluations.js"
import type { RuleMemory } from "../../src/rules/RuleEvaluation.js"
import type {
  AppId,
  ConnectionId,
  ConsentRequestId,
  DeliveryId,
  DeviceId,
  EndpointId,
  EventId,
  ExportId,
  ImportId,
  InvitationId,
  ListenerId,
  MemberId,
  PlaceId,
  RuleId,
  Sub,
  SubscriptionId,
  UserId,
  WorkerId
} from "../../src/shared/Ids.js"
import type { Timestamp } from "../../src/shared/Timestamp.js"
import type { Hash, Sealed } from "../../src/shared/Vault.js"
import type { SensitiveNotice } from "../../src/tiers/SensitiveNotice.js"
import type { Invitation, Member } from "../../src/teams/Team.js"
import type { Stay } from "../../src/visits/Stay.js"
import type { VisitReport } from "../../src/fixes/VisitReport.js"

/**
 * A device, and a new place at which the device's stays are derived only up to the time `dueFrom`. At the older places,
 * the stays of the device may be derived up to a later time.
 */
interface Backfill {
  readonly userId: UserId
  readonly deviceId: DeviceId
  readonly placeId: PlaceId
  readonly dueFrom: Timestamp
}

export interface KeptExport {
  readonly export: Export
  readonly lease: string | null
  readonly dueAt: Timestamp | null
  readonly attempts: number
}

export interface KeptImport {
  readonly import: Import
  /**
   * True while the upload of the file is incomplete. Until the upload is complete, no answer of the store shows the
   * import.
   */
  readonly uploading: boolean
  readonly lease: string | null
  readonly dueAt: Timestamp | null
  readonly attempts: number
}

/** A field of the tables `fixes` and `visitReports`, for a fix or visit that is also in imported files. */
export interface Brought {
  /**
   * The devices of imported files that also have this fix or visit, although it is stored under another device. A fix
   * also counts for the stays of these devices. When the import that brought the row is undone, the import of one of
   * these devices takes the row over. The list is a part of the row, so that both are deleted together.
   */
  readonly alsoFrom?: ReadonlyArray<DeviceId> | undefined
}

/** The fix as stores return it, without `alsoFrom`. */
export const toFix = (row: StoredFix & Brought): StoredFix =>
  row.alsoFrom === undefined ? row : Struct.omit(row, "alsoFrom")

/**
 * The tables that the in-memory stores share. Each method of a store changes the tables in one synchronous step, so no
 * other fiber sees a half-done change.
 */
export interface Tables {
  readonly accounts: Map<UserId, AccountCredentials>
  readonly sessions: Map<Hash, Session>
  /** The links that were mailed, or given to an operator, and that nobody has used yet. */
  readonly accountLinks: Map<Hash, AccountLink>
  /** The number of times that the e-mail address of each account has changed. No entry means 0. */
  readonly addressVersions: Map<UserId, number>
  readonly pendingAccounts: Map<Hash, SignUpRequest>
  readonly factors: Map<UserId, Factors>
  /** The time until which each passkey challenge can be answered. */
  readonly passkeyChallenges: Map<Hash, Timestamp>
  /**
   * The key is the id of the attempt. `forgotten`: the failed attempt does not count against the limits of its account
   * any more, only perhaps against the limit of its network address. An attempt is forgotten when the account later
   * gets a new password, or when somebody later signs in to the account: from the same known browser, or, if the
   * attempt came from an unknown browser, from any unknown browser.
   */
  readonly signInTries: Map<string, SignInTry & CountedTry & { readonly forgotten: boolean }>
  readonly apps: Map<AppId, Registered>
  /** The key is `${app id} ${digest}`. */
  readonly appLogos: Map<string, LogoPng>
  readonly appMembers: Map<MemberId, Member & { readonly appId: AppId }>
  readonly appInvitations: Map<InvitationId, Invitation & { readonly appId: AppId }>
  readonly purposes: Array<Purpose>
  readonly reviewDecisions: Array<AnyReviewDecision>
  readonly volumeFlags: Array<VolumeFlag>
  readonly consentRequests: Map<ConsentRequestId, ConsentRequest>
  /** The key is `${userId} ${appId}`. */
  readonly subs: Map<string, Sub>
  readonly connections: Map<ConnectionId, Connection>
  /** What the user agreed to in each connection over time, oldest first. */
  readonly consentHistory: Map<ConnectionId, ReadonlyArray<ConsentEntry>>
  readonly flagged: Map<ConnectionId, Timestamp>
  /** The time at which the tier sweep next checks the connection. Null: the sweep does not check it. */
  readonly tierLooks: Map<ConnectionId, Timestamp | null>
  readonly tierNotices: Map<ConnectionId, ReadonlyArray<SensitiveNotice>>
  readonly codes: Map<Hash, AuthorizationCode>
  readonly accessTokens: Map<Hash, AccessToken>
  /** The refresh tokens, in the order in which they were issued. */
  readonly refreshTokens: Map<Hash, RefreshToken>
  /** The key is `${userId} ${dedupeKey}`. */
  readonly mail: Map<string, MailMessage>
  /** Whether and when each message was sent. The key is the message's key in `mail`. */
  readonly mailStates: Map<string, Omit<KeptMail, "message"> & { readonly dueAt: Timestamp }>
  readonly namedMail: Map<UserId, NamedMailCount>
  readonly places: Map<PlaceId, Place>
  /** The circles that a place has had, in the order of their versions. */
  readonly placeShapes: Map<PlaceId, ReadonlyArray<Shape>>
  readonly devices: Map<DeviceId, Device>
  readonly streamVersions: Map<UserId, number>
  /**
   * For each device, the time from which on its stays must be derived. If a device has no entry, no stays are due,
   * except perhaps stays at new places (`stayBackfills`).
   */
  readonly staysDueFrom: Map<DeviceId, Timestamp>
  /** The key contains the ids of device and place, and the arrival. */
  readonly stays: Map<string, Stay & { readonly userId: UserId; readonly deviceId: DeviceId }>
  /**
   * The places at which the stays of a device are derived only up to an earlier time than at the device's other places.
   * The key is `${userId} ${deviceId} ${placeId}`.
   */
  readonly stayBackfills: Map<string, Backfill>
  /**
   * The key of `fixes`, `quarantined` and `visitReports` is `${userId} ${deviceId} ${key}`, where `key` is the key of
   * the fix, reading or visit.
   */
  readonly fixes: Map<string, StoredFix & Brought>
  readonly quarantined: Map<
    string,
    Quarantined & { readonly userId: UserId; readonly deviceId: DeviceId; readonly receivedAt: Timestamp }
  >
  readonly visitReports: Map<string, VisitReport & Brought & { readonly userId: UserId; readonly deviceId: DeviceId }>
  /** The devices that ever reported a visit. The value is the device's user. */
  readonly visitTellers: Map<DeviceId, UserId>
  readonly exports: Map<ExportId, KeptExport>
  /** The key is `${export id} ${position}`. */
  readonly exportPieces: Map<string, Uint8Array>
  readonly imports: Map<ImportId, KeptImport>
  /** The key is `${import id} ${position}`. */
  readonly importPieces: Map<string, Uint8Array>
  /**
   * The devices under which the fixes and visits of imports are stored. The value is the time of the newest fix or
   * visit that the import's file has so far, even if this fix or visit is stored under another device. Null: the file
   * has brought no new fix or visit yet.
   */
  readonly importDevices: Map<DeviceId, Timestamp | null>
  /**
   * An import of an archive makes a device for the import itself, and may make further devices for the old account's
   * devices (`ImportedDevice`). The key is one of the further devices, and the value is the device of its import.
   */
  readonly importParts: Map<DeviceId, DeviceId>
  readonly historyChoices: Map<UserId, Keep>
  /** The stretches of history that each person deleted, ordered by time. */
  readonly erasures: Map<UserId, ReadonlyArray<Erasure>>
  /** The suspensions of accounts and apps, but only suspensions that have ended. */
  readonly pastSuspensions: Map<UserId | AppId, ReadonlyArray<Suspension>>
  readonly noticeChoices: Map<UserId, ReadonlyArray<NoticeKind>>
  /** Deleted accounts whose rows in other tables the service still has to remove. */
  readonly accountDeletions: Map<
    UserId,
    { readonly requestedAt: Timestamp; readonly lookAt: Timestamp; readonly appIds: ReadonlyArray<AppId> }
  >
  readonly rules: Map<RuleId, Rule & { readonly deletedAt: Timestamp | null }>
  /** The signing secrets of imported rules that have their own webhook address. */
  readonly ownSecrets: Map<RuleId, Sealed>
  readonly subscriptions: Map<SubscriptionId, Subscription>
  readonly ruleStates: Map<RuleId, RuleMemory>
  /** The time at which an app or a connection last regained a scope that rules need. The key is `${id} ${scope}`. */
  readonly rulesSince: Map<string, Timestamp>
  readonly recentEvaluations: Map<RuleId, RecentEvaluations>
  readonly events: Map<
    EventId,
    OutboxEvent & {
      readonly fanOutDueAt: Timestamp
      readonly fannedOutAt: Timestamp | null
      /**
       * The time at which the event was stored. Absent if the fan-out was never postponed, because `fanOutDueAt` is
       * then the time at which the event was stored.
       */
      readonly storedAt?: Timestamp
    }
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
      /** The number of leases of the present attempt that expired in a row without a result. Absent means 0. */
      readonly lapses?: number
      readonly isReplayed?: boolean
    }
  >
  /**
   * `dropped`: the number of events that the store dropped because too many events waited for the listener. The number
   * is reduced when the listener has been informed of the loss.
   */
  readonly listeners: Map<ListenerId, Listener & { readonly dropped: number }>
  /** The key is `${listener id} ${event id}`. */
  readonly listenerEvents: Map<string, ListenerDelivery>
  readonly attempts: Array<Attempt & { readonly deliveryId: DeliveryId }>
  readonly accessLog: Array<AccessLogEntry>
  /** The key is `${appId} ${hour}`. */
  readonly appHours: Map<string, AppHour>
  /** The key contains the app, the endpoint, the hour, the outcome and the upper bound of the duration. */
  readonly endpointHours: Map<string, AttemptCount>
  /** The key is `${appId} ${at} ${requestId}`. */
  readonly appCalls: Map<string, LoggedCall>
  /** The key is the event's id. */
  readonly auditEvents: Map<string, StoredAuditEvent>
  /** The key is `${userId} ${appId}`. */
  readonly zoneQuestions: Map<string, ZoneQuestions>
  readonly rateWindows: Map<LimitSubject, RateWindow>
  /** The key is `${userId} ${subject} ${keyHash}`. */
  readonly idempotentAnswers: Map<string, KeptAnswer>
  /** The time until which each worker counts as alive. */
  readonly workers: Map<WorkerId, Timestamp>
  /** The key contains `home` (the same for all leases of a service), and the kind and the name of the lease. */
  readonly leases: Map<string, { readonly home: string; readonly lease: Lease }>
}

/** The tables that the in-memory stores share. */
export class MemoryDatabase extends Context.Tag("@place-access/domain/testing/MemoryDatabase")<
  MemoryDatabase,
  Tables
>() {
  /** A layer of empty tables. Each build of the layer makes new tables. */
  static readonly layer: Layer.Layer<MemoryDatabase> = Layer.effect(
    MemoryDatabase,
    Effect.sync(() => ({
      accounts: new Map(),
      sessions: new Map(),
      accountLinks: new Map(),
      addressVersions: new Map(),
      pendingAccounts: new Map(),
      factors: new Map(),
      passkeyChallenges: new Map(),
      signInTries: new Map(),
      apps: new Map(),
      appLogos: new Map(),
      appMembers: new Map(),
      appInvitations: new Map(),
      purposes: [],
      reviewDecisions: [],
      volumeFlags: [],
      consentRequests: new Map(),
      subs: new Map(),
      connections: new Map(),
      consentHistory: new Map(),
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
      exports: new Map(),
      exportPieces: new Map(),
      imports: new Map(),
      importPieces: new Map(),
      importDevices: new Map(),
      importParts: new Map(),
      visitTellers: new Map(),
      historyChoices: new Map(),
      erasures: new Map(),
      pastSuspensions: new Map(),
      noticeChoices: new Map(),
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
      appHours: new Map(),
      endpointHours: new Map(),
      appCalls: new Map(),
      auditEvents: new Map(),
      zoneQuestions: new Map(),
      rateWindows: new Map(),
      idempotentAnswers: new Map(),
      workers: new Map(),
      leases: new Map()
    }))
  )
}
