// The port that an upload needs: it reads the data for the evaluation of rules, and commits the result. Decisions
// fixes-5 and fixes-6.
import { type Array as Arr, Context, type Option } from "effect"
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

/** The fixes of one device in the uploads to evaluate, for `FixStore.view`. A fix may occur twice. */
export interface SentFixes {
  readonly deviceId: DeviceId
  readonly fixes: ReadonlyArray<Fix>
}

/** A device of the user, as the evaluation of an upload needs it. */
export interface UploadingDevice extends Companion {
  /** When a reading or report of this device was last quarantined because its time was in the future; null: never. */
  readonly lastFutureAt: Timestamp.Timestamp | null
}

/** The data that an evaluation of rules needs, for uploads or for due crossings (`FixStore.view`). */
export interface UploadView {
  /**
   * A counter that grows whenever other fields of this view may have changed in a way that an evaluation must not miss.
   * `commit` succeeds only while the counter is unchanged. The counter grows with each `FixStore.commit` and
   * `commitSettled` that succeeds, and when one of these changes the user's data: `ImportStore.advance` and `undo`,
   * `HistoryStore.erase`, `RuleStore.remove`, `DeviceStore.remove`, `PlaceStore.create`, and a `PlaceStore.update` or
   * `ConnectionStore.archivePlace` that moves or archives the place.
   */
  readonly version: number
  /**
   * For each device the keys (`Fix.key`) of the fixes that were passed to `view` and that this device has uploaded
   * before. A device without such fixes may be missing.
   */
  readonly known: ReadonlyMap<DeviceId, ReadonlySet<string>>
  /**
   * The rules that may fire at `now`, ordered by id. Such a rule is not deleted. Its connection is live, has the scope
   * that the rule needs (`LiveRule.neededScope`) and is not paused. Its place, if it has one, is shared and not
   * archived. The rule's window has no end, ends later than `now`, or closed at most `RuleEvaluation.LATE_UPLOAD` ago.
   */
  readonly rules: ReadonlyArray<LiveRule>
  /** The user keeps only history after this time (`History.cutoff` at `now`); null: all history. */
  readonly cutoff: Timestamp.Timestamp | null
  /** The stretches of history that the user deleted. */
  readonly erasures: ReadonlyArray<Erasure.Stretch>
  /**
   * The user's devices, in no order, without removed devices and imported files. When the uploading device is not in
   * this list, the upload is refused, because the owner has removed the device.
   */
  readonly devices: ReadonlyArray<UploadingDevice>
}

/** A quarantined reading or visit report, as it was sent. */
export interface Quarantined {
  /**
   * Unique among the quarantined entries of a device, so that a reading or report that is sent again adds no second
   * row.
   */
  readonly key: string
  readonly reading: Reading | VisitReport
  readonly reason: QuarantineReason
}

/** How many readings and visit reports of an upload were quarantined for one reason. */
export interface QuarantineCount {
  readonly reason: QuarantineReason
  readonly count: number
}

/** Everything that one upload adds and changes, except the states of rules. */
export interface StoredUpload {
  readonly deviceId: DeviceId
  readonly receivedAt: Timestamp.Timestamp
  /** Only fixes that this device has not stored yet. */
  readonly fixes: ReadonlyArray<Fix>
  /** The fixes of `fixes` that were captured while the device was left behind (`Carried`). No rule evaluates them. */
  readonly leftBehind: ReadonlySet<Fix>
  /** The device's movement after the upload; null: unchanged. */
  readonly movement: Movement | null
  readonly quarantined: ReadonlyArray<Quarantined>
  /** Counts to add to the device's counters (`Device.putAside`), at most one for each reason. */
  readonly putAside: ReadonlyArray<QuarantineCount>
  /**
   * The keys of quarantined readings that this upload accepts. The commit takes these readings out of the quarantine;
   * they are among `fixes`, except readings from a time whose history is not kept.
   */
  readonly taken: ReadonlyArray<string>
  /** When the accepted readings of `taken` arrived. Every other fix of `fixes` arrived at `receivedAt`. */
  readonly arrivals: ReadonlyMap<Fix, Timestamp.Timestamp>
  readonly visits: ReadonlyArray<VisitReport>
  readonly events: ReadonlyArray<OutboxEvent>
}

/** Everything that uploads of one user change, committed together (decision fixes-10). */
export interface UploadCommit {
  readonly userId: UserId
  /** The `UploadView.version` of the view on which `states` were computed. */
  readonly version: number
  /** The uploads in the order in which they were evaluated, of one device or of several. */
  readonly uploads: Arr.NonEmptyReadonlyArray<StoredUpload>
  /** The new states of the rules that were evaluated, at most one state for each rule. */
  readonly states: ReadonlyArray<RuleProgress>
}

/**
 * The changes to commit after crossings and dwells were settled. In a crossing, the user enters or leaves a place. A
 * crossing of a rule with a settle time fires the rule if no fix contradicts the crossing within that time (decision
 * rules-13). A dwell of a rule with `silenceS` fires the rule `silenceS` after the end of the dwell time, unless a fix
 * decides about the dwell first (decision rules-14).
 */
export interface SettledCommit {
  readonly userId: UserId
  readonly now: Timestamp.Timestamp
  /** The `UploadView.version` of the view on which `states` were computed. */
  readonly version: number
  readonly states: ReadonlyArray<RuleProgress>
  readonly events: ReadonlyArray<OutboxEvent>
}

/** Stores uploaded fixes, and the rule states that follow from these fixes. */
export class FixStore extends Context.Tag("@place-access/domain/fixes/FixStore")<
  FixStore,
  {
    /**
     * Reads the data that an evaluation needs. `sent` has the fixes of the uploads to evaluate, one entry for each
     * device; it is empty outside of an upload.
     *
     * The store reads all fields at one moment, or `version` first. If it read `version` last, an upload could be
     * committed between the reads, and `version` would be newer than the states: `commit` would accept states that were
     * computed from old states, and a rule would fire twice or not at all.
     */
    readonly view: (userId: UserId, sent: ReadonlyArray<SentFixes>, now: Timestamp.Timestamp) => StoreEffect<UploadView>
    /**
     * Commits uploads of a user, unless the user's version (`UploadView.version`) has grown since `version` was read.
     * This commit is optimistic: no lock is held while the caller evaluates. Returns false, and writes nothing, when
     * the version has grown: then the caller must read and evaluate again.
     *
     * The commit also sets each device's `lastSeenAt`, and its `lastKeptAt` when the upload has fixes or visits. The
     * commit does not change quarantined readings and visits that are stored already. An upload that contains only
     * entries that are stored already need not be committed.
     */
    readonly commit: (commit: UploadCommit) => StoreEffect<boolean>
    /**
     * Users in these buckets who have a crossing or dwell that waits to fire its rule and is due at or before `now`
     * (`Unsettled.until`). Ordered by each user's earliest due time, then by user id.
     */
    readonly settling: (
      buckets: ReadonlyArray<number>,
      now: Timestamp.Timestamp,
      limit: number
    ) => StoreEffect<ReadonlyArray<UserId>>
    /**
     * Commits `states` and `events` while the user's version is still `version`, as `commit` does. All other crossings
     * and dwells of the user that wait to fire their rules and are due at or before `now` are discarded: these rules
     * cannot fire at this time, for example while the connection is paused. When such a rule can fire again, the next
     * decisive fix sets the side of the rule without firing.
     */
    readonly commitSettled: (settled: SettledCommit) => StoreEffect<boolean>
    /**
     * At most `limit` readings of the device that were quarantined after `since` because their time was in the future,
     * earliest capture first. Leaves out the readings that this upload cannot accept, because
     * `FutureReading.undisputed` does not return them. `undisputed` compares all readings that were quarantined after
     * `since` with the device's stored fixes and with `upload.fixes`, which are not stored yet. It needs all these
     * readings, because each of them may keep earlier readings in quarantine. So `limit` is applied afterwards.
     */
    readonly waiting: (
      userId: UserId,
      upload: Pick<StoredUpload, "deviceId" | "receivedAt" | "fixes">,
      since: Timestamp.Timestamp,
      limit: number
    ) => StoreEffect<ReadonlyArray<FutureReading>>
    /**
     * The user's newest fixes, by capture time, device id, latitude and longitude, all descending. Quarantined readings
     * are left out.
     */
    readonly latest: (userId: UserId, limit: number) => StoreEffect<ReadonlyArray<StoredFix>>
    /** When any phone of the user was last seen (`Device.lastSeenAt`). None when no phone was ever seen. */
    readonly lastReceivedAt: (userId: UserId) => StoreEffect<Option.Option<Timestamp.Timestamp>>
  }
>() {}
