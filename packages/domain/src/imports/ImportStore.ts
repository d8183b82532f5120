import { Context, type Effect, type Option } from "effect"
import type { Fix } from "../fixes/Fix.js"
import type { DeviceId, ImportId, UserId } from "../shared/Ids.js"
import type { StoreError } from "../shared/StoreError.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { Hash } from "../shared/Vault.js"
import type { VisitReport } from "../visits/VisitReport.js"
import type { Format, Import } from "./Import.js"

/** Which import; `user_id` leads to the shard. */
export interface Owned {
  readonly userId: UserId
  readonly id: ImportId
}

/** Whoever has it may go on with an import, until somebody else claims it. */
export interface Leased extends Owned {
  readonly lease: string
}

/** An upload that begins. */
export interface Begun extends Owned {
  readonly deviceId: DeviceId
  readonly fileName: string
  /** Of a token that was thrown away: nobody uploads as this device. */
  readonly tokenHash: Hash
  readonly at: Timestamp
}

export interface ClaimedImport {
  readonly import: Import
  /** How often it was claimed since it last came forward, from 1. */
  readonly attempt: number
}

/** One step forward: what is to be stored, and where in the file that leads, written together or not at all. */
export interface Step extends Leased {
  readonly leaseUntil: Timestamp
  readonly at: Timestamp
  readonly format: Format | null
  readonly bytesDone: number
  /** Entries of the file that this step is about. */
  readonly read: number
  readonly tooRecent: number
  readonly tooOld: number
  readonly quarantined: number
  readonly fixes: ReadonlyArray<Fix>
  readonly visits: ReadonlyArray<VisitReport>
}

/** Files of the past that users uploaded, and how far they were read. */
export class ImportStore extends Context.Tag("@place-access/domain/imports/ImportStore")<
  ImportStore,
  {
    /** False, and nothing written, when the user has `most` uploads and imports under way already. Not listed before `complete`. */
    readonly begin: (begun: Begun, most: number) => Effect.Effect<boolean, StoreError>
    /** Adds the piece at `position`, counted from 0. False when the upload is not there any more. */
    readonly append: (
      of: Owned,
      position: number,
      bytes: Uint8Array,
      at: Timestamp
    ) => Effect.Effect<boolean, StoreError>
    /** The upload is whole: from now on it waits for a worker, and has its device. None when it is not there any more. */
    readonly complete: (
      begun: Begun,
      bytesTotal: number,
      at: Timestamp
    ) => Effect.Effect<Option.Option<Import>, StoreError>
    /** The newest first. */
    readonly list: (userId: UserId, limit: number) => Effect.Effect<ReadonlyArray<Import>, StoreError>
    /** None when there is none, or it is another user's. */
    readonly find: (of: Owned) => Effect.Effect<Option.Option<Import>, StoreError>
    /** Forgets it with its file, whatever its state; what it stored stays. False when there is none. */
    readonly remove: (of: Owned) => Effect.Effect<boolean, StoreError>
    /** Of all users: the import that waits longest, or that nobody has worked on since its lease ran out. */
    readonly claim: (
      lease: string,
      now: Timestamp,
      leaseUntil: Timestamp
    ) => Effect.Effect<Option.Option<ClaimedImport>, StoreError>
    /** None behind the last piece. */
    readonly piece: (of: Owned, position: number) => Effect.Effect<Option.Option<Uint8Array>, StoreError>
    /**
     * Stores what the user does not have yet: a fix is known by time and place, a visit by times and place, from whichever device.
     * Evaluates no rule. Raises the version of the user's uploads, and has stays derived anew from the earliest new fix on. The newest
     * entry stored is where the import's history ends. False, and nothing written, when the lease is not the import's any more.
     */
    readonly advance: (step: Step) => Effect.Effect<boolean, StoreError>
    /** Ends it and throws its file away; `error` when it failed. False when the lease is not the import's any more. */
    readonly finish: (leased: Leased, error: string | null, at: Timestamp) => Effect.Effect<boolean, StoreError>
    /** Throws away uploads that have not grown since `before`, and answers how many. */
    readonly dropBrokenOff: (before: Timestamp) => Effect.Effect<number, StoreError>
  }
>() {}
