// The port of uploads: what an evaluation reads, and what it commits. Decisions fixes-5 and fixes-6.
import { Context, type Option } from "effect"
import type { Companion } from "../devices/Carried.js"
import type { Movement } from "../devices/Movement.js"
import type { OutboxEvent } from "../events/Event.js"
import type { LiveRule, RuleProgress } from "../rules/LiveRule.js"
import type * as Erasure from "../retention-choice/Erasure.js"
import type { DeviceId, StoreEffect, Timestamp, UserId } from "../shared/index.js"
import type { VisitReport } from "./VisitReport.js"
import type { QuarantineReason } from "../devices/QuarantineReason.js"
import type { Fix, Reading, StoredFix } from "./Fix.js"
import type { FutureReading } from "./FutureReading.js"

/** What one evaluation of an upload reads, in one query. */
export interface UploadView {
  /** A counter that grows with every committed upload of the user. `commit` succeeds only while it is unchanged. */
  readonly version: number
  /** Keys (`Fix.key`) of the given fixes that this device uploaded before. */
  readonly known: ReadonlySet<string>
  /**
   * The rules that may fire at `now`, by id: not deleted, of live connections with the scope, on places shared and not
   * archived, with a window that closed at most `RuleEvaluation.LATE_UPLOAD` ago.
   */
  readonly rules: ReadonlyArray<LiveRule>
  /** History is kept after this time (`History.cutoff` at `now`); null: all history is kept. */
  readonly cutoff: Timestamp.Timestamp | null
  /** The stretches that the user deleted. */
  readonly erasures: ReadonlyArray<Erasure.Stretch>
  /** When a reading of this device was last quarantined as from the future; null: never. */
  readonly lastFutureAt: Timestamp.Timestamp | null
  /** The user's devices, in no order. Removed devices and imported files are left out. */
  readonly devices: ReadonlyArray<Companion>
}

/** A quarantined reading or visit report, as it was sent. */
export interface Quarantined {
  /** Unique for the device, so that a repeated reading adds no second row. */
  readonly key: string
  readonly reading: Reading | VisitReport
  readonly reason: QuarantineReason
}

/** How many readings and visit reports of an upload were quarantined for one reason. */
export interface QuarantineCount {
  readonly reason: QuarantineReason
  readonly count: number
}

/** Everything that an upload changes, committed together. */
export interface UploadCommit {
  readonly userId: UserId
  readonly deviceId: DeviceId
  readonly receivedAt: Timestamp.Timestamp
  /** The `UploadView.version` of the view on which `states` were computed. */
  readonly version: number
  /** New fixes only. */
  readonly fixes: ReadonlyArray<Fix>
  /** The fixes of `fixes` that were captured while the device was left behind (`Carried`). No rule evaluates them. */
  readonly leftBehind: ReadonlySet<Fix>
  /** The device's movement after the upload; null: unchanged. */
  readonly movement: Movement | null
  readonly quarantined: ReadonlyArray<Quarantined>
  /** Counts to add to the device's counters (`Device.putAside`). Each reason appears once. */
  readonly putAside: ReadonlyArray<QuarantineCount>
  /** Keys of formerly quarantined readings that this upload accepts: they are in `fixes`. */
  readonly taken: ReadonlyArray<string>
  readonly visits: ReadonlyArray<VisitReport>
  /** The new states of the evaluated rules. */
  readonly states: ReadonlyArray<RuleProgress>
  readonly events: ReadonlyArray<OutboxEvent>
}

/**
 * The changes when crossings are settled: a crossing fires when no fix contradicted it within the settle time of its
 * rule (decision rules-13).
 */
export interface SettledCommit {
  readonly userId: UserId
  readonly now: Timestamp.Timestamp
  /** The `UploadView.version` of the view on which `states` were computed. */
  readonly version: number
  readonly states: ReadonlyArray<RuleProgress>
  readonly events: ReadonlyArray<OutboxEvent>
}

/** Uploaded fixes, and the rule states that follow from them. */
export class FixStore extends Context.Tag("@place-access/domain/fixes/FixStore")<
  FixStore,
  {
    /** Reads what an evaluation needs. `deviceId` is null outside of an upload; then `lastFutureAt` is null too. */
    readonly view: (
      userId: UserId,
      deviceId: DeviceId | null,
      fixes: ReadonlyArray<Fix>,
      now: Timestamp.Timestamp
    ) => StoreEffect<UploadView>
    /**
     * Commits an upload unless another upload of the user was committed since `version` was read: an optimistic commit,
     * which takes no lock while the caller evaluates. After false, nothing was written, and the caller reads and
     * evaluates again.
     *
     * The commit also marks the device as seen, and as useful when it has fixes or visits (`Device.lastKeptAt`).
     * Quarantined readings and visits that are stored already stay unchanged. An upload without anything new need not
     * be committed.
     */
    readonly commit: (upload: UploadCommit) => StoreEffect<boolean>
    /**
     * Users in these buckets with a crossing that is due at or before `now` (`Unsettled.until`), ordered by each user's
     * earliest due time, then by user id.
     */
    readonly settling: (
      buckets: ReadonlyArray<number>,
      now: Timestamp.Timestamp,
      limit: number
    ) => StoreEffect<ReadonlyArray<UserId>>
    /**
     * Commits the states and events of crossings that fire at `now`, like `commit`. The user's other due crossings are
     * discarded: their rules may not fire now. When these rules may fire again, the next decisive fix seeds their
     * states.
     */
    readonly commitSettled: (settled: SettledCommit) => StoreEffect<boolean>
    /**
     * At most `limit` readings of the device quarantined as from the future after `since`, earliest capture first. Left
     * out: a reading that is contradicted by a fix which arrived later and was captured between the reading's arrival
     * and its capture time.
     */
    readonly waiting: (
      userId: UserId,
      deviceId: DeviceId,
      since: Timestamp.Timestamp,
      limit: number
    ) => StoreEffect<ReadonlyArray<FutureReading>>
    /**
     * The user's newest fixes: by capture time, device id, latitude and longitude, all descending. Quarantined readings
     * are left out.
     */
    readonly latest: (userId: UserId, limit: number) => StoreEffect<ReadonlyArray<StoredFix>>
    /** When any phone of the user last sent something; none when no phone ever did. */
    readonly lastReceivedAt: (userId: UserId) => StoreEffect<Option.Option<Timestamp.Timestamp>>
  }
>() {}
