import { Context, type Effect, type Option } from "effect"
import type { Companion } from "../devices/Carried.js"
import type { Movement } from "../devices/Movement.js"
import type { OutboxEvent } from "../events/Event.js"
import type { LiveRule, Progress } from "../rules/LiveRule.js"
import type { DeviceId, UserId } from "../shared/Ids.js"
import type { StoreError } from "../shared/StoreError.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { VisitReport } from "../visits/VisitReport.js"
import type { Fix, QuarantineReason, Reading, StoredFix } from "./Fix.js"
import type { FutureReading } from "./FutureReading.js"

/** What one evaluation of an upload needs, read in one go. */
export interface UploadView {
  /** Grows with every upload of the user that was committed. */
  readonly version: number
  /** Keys (`Fix.key`) of the given fixes that this device uploaded before. */
  readonly known: ReadonlySet<string>
  /**
   * The rules that may fire at `now`, by id: of live connections whose standard tier and scope hold, on places that are
   * shared and not archived, not deleted. Windows are the evaluation's business; those that closed more than
   * `RuleEvaluation.LATE_UPLOAD` ago are left out, because nothing can fire them any more.
   */
  readonly rules: ReadonlyArray<LiveRule>
  /** `History.cutoff` of the user's choice at `now`; null: everything is kept. */
  readonly cutoff: Timestamp | null
  /** When the device last had something put aside as from the future; null: never. */
  readonly lastFutureAt: Timestamp | null
  /** The user's devices that were not removed, imported files left out, in no order. */
  readonly devices: ReadonlyArray<Companion>
}

/** What was put aside, as it was sent. */
export interface Quarantined {
  /** Unique for the device: the same one again is no second row. */
  readonly key: string
  readonly reading: Reading | VisitReport
  readonly reason: QuarantineReason
}

/** How many readings and visit reports of an upload were put aside for one reason. */
export interface PutAside {
  readonly reason: QuarantineReason
  readonly count: number
}

/** Everything that an upload changes, written together or not at all. */
export interface UploadCommit {
  readonly userId: UserId
  readonly deviceId: DeviceId
  readonly receivedAt: Timestamp
  /** `UploadView.version` that the states were computed from. */
  readonly version: number
  /** New ones only. */
  readonly fixes: ReadonlyArray<Fix>
  /** Those of `fixes` that were captured while the device was left behind (`Carried`): they are history and decide nothing. */
  readonly leftBehind: ReadonlySet<Fix>
  /** Of the device, after the upload; null: it is left as it was. */
  readonly movement: Movement | null
  readonly quarantined: ReadonlyArray<Quarantined>
  /** Added to the device's counters (`Device.putAside`). Each reason once. */
  readonly putAside: ReadonlyArray<PutAside>
  /** Keys of readings that were put aside before and are among `fixes` now. */
  readonly taken: ReadonlyArray<string>
  readonly visits: ReadonlyArray<VisitReport>
  /** Of the rules that were evaluated. */
  readonly states: ReadonlyArray<Progress>
  readonly events: ReadonlyArray<OutboxEvent>
}

/** What phones sent, and what the rules made of it. */
export class FixStore extends Context.Tag("@place-access/domain/fixes/FixStore")<
  FixStore,
  {
    /** What one evaluation of an upload needs, read in one go. */
    readonly view: (
      userId: UserId,
      deviceId: DeviceId,
      fixes: ReadonlyArray<Fix>,
      now: Timestamp
    ) => Effect.Effect<UploadView, StoreError>
    /**
     * False, and nothing written, when another upload of the user was committed since `version` was read: read again and
     * evaluate again. Marks the device as seen, and, when it has fixes or visits, as useful (`Device.lastKeptAt`). Quarantined readings and visits that were stored before are left as they are.
     * Uploads that carry nothing new are not committed at all.
     */
    readonly commit: (upload: UploadCommit) => Effect.Effect<boolean, StoreError>
    /**
     * The device's readings that were put aside as from the future after `since`, `limit` of them, the earliest captured first. None
     * that the device contradicted: by a fix that arrived later and was captured between the arrival of the reading and its time.
     */
    readonly waiting: (
      userId: UserId,
      deviceId: DeviceId,
      since: Timestamp,
      limit: number
    ) => Effect.Effect<ReadonlyArray<FutureReading>, StoreError>
    /** By capture time; of one instant by device id, then latitude, then longitude; the last first. Quarantined readings are never among them. */
    readonly latest: (userId: UserId, limit: number) => Effect.Effect<ReadonlyArray<StoredFix>, StoreError>
    /** When any phone of the user last sent something; none when no phone ever did. */
    readonly lastReceivedAt: (userId: UserId) => Effect.Effect<Option.Option<Timestamp>, StoreError>
  }
>() {}
