import { Context, type Option } from "effect"
import type { NoticeKind } from "../accounts/NoticeKind.js"
import type * as Erasure from "../retention-choice/Erasure.js"
import type { DeviceId, ImportId, Page, StoreEffect, UserId } from "../shared/index.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { Hash } from "../shared/Vault.js"
import type { CsvColumns } from "./CsvColumns.js"
import type { ImportFormat, Import } from "./Import.js"
import type { MonthCounts } from "./Months.js"
import type { ImportedFix, ImportedVisit } from "./ImportedDevice.js"
import type { ReturnedPlace } from "./ImportedPlace.js"

/** The key of an import. The rows of the import are on the shard of the user's id. */
export interface ImportKey {
  readonly userId: UserId
  readonly id: ImportId
}

/**
 * An import, leased to one attempt to read or undo it; `lease` is the attempt's id. The lease is lost when another
 * attempt begins, or when the owner removes the import or begins to undo it.
 */
export interface Leased extends ImportKey {
  readonly lease: string
}

/** An upload that is about to begin. */
export interface NewImport extends ImportKey {
  readonly deviceId: DeviceId
  readonly fileName: string
  /** The hash of a token that nobody knows, so that nobody can upload as this device. */
  readonly tokenHash: Hash
  readonly at: Timestamp
}

export interface ClaimedImport {
  readonly import: Import
  /**
   * How many attempts have begun since the last progress, this attempt included. Attempts ended by `handBack` do not
   * count.
   */
  readonly attempt: number
}

/** The columns of an uploaded table (a CSV file), as far as they are known. */
export interface TableColumns {
  readonly columns: Partial<CsvColumns>
  /** True: the file is read only after the owner has confirmed the columns. */
  readonly isAsking: boolean
}

/** One step of the reading: the entries to store and the new position in the file, committed together. */
export interface ImportStep extends Leased {
  readonly at: Timestamp
  readonly format: ImportFormat | null
  readonly bytesDone: number
  /** How many entries of the file the step contains, whether they are stored or not. */
  readonly read: number
  readonly tooRecent: number
  readonly tooOld: number
  readonly quarantined: number
  readonly fixes: ReadonlyArray<ImportedFix>
  readonly visits: ReadonlyArray<ImportedVisit>
  readonly places: ReadonlyArray<ReturnedPlace>
  readonly notices: ReadonlyArray<NoticeKind>
  readonly erasures: ReadonlyArray<Erasure.Stretch>
}

/** Uploaded files of location history, and how far they have been read. Decisions imports-2 and imports-6. */
export class ImportStore extends Context.Tag("@place-access/domain/imports/ImportStore")<
  ImportStore,
  {
    /**
     * Begins an upload. `list` leaves the upload out until `complete` is called. False: the user has `most` uploads and
     * unfinished imports already, or their files have more than `Import.MAX_WAITING_BYTES`.
     */
    readonly begin: (begun: NewImport, most: number) => StoreEffect<boolean>
    /** Adds the piece number `position` of the file, counted from 0. False when the upload was removed. */
    readonly append: (of: ImportKey, position: number, bytes: Uint8Array, at: Timestamp) => StoreEffect<boolean>
    /**
     * Completes the upload: the import waits for a worker, or for its owner when `table.isAsking`, and its device is
     * created. None when the upload was removed.
     */
    readonly complete: (
      begun: NewImport,
      bytesTotal: number,
      at: Timestamp,
      table?: TableColumns
    ) => StoreEffect<Option.Option<Import>>
    /**
     * Stores the columns that the owner named: the import waits for a worker. None: the columns cannot be confirmed now
     * (`Import.isAsking`).
     */
    readonly confirm: (of: ImportKey, columns: CsvColumns, now: Timestamp) => StoreEffect<Option.Option<Import>>
    /** The user's imports, newest first. `after`: the position of the last import of the page before. */
    readonly list: (userId: UserId, limit: number, after?: Page.PagePosition) => StoreEffect<Page.Page<Import>>
    /** The import with this key. None when the user has no such import, and while its file is being uploaded. */
    readonly find: (of: ImportKey) => StoreEffect<Option.Option<Import>>
    /**
     * Removes the import and its file. Stored entries stay. False when there is no such import, or when it is being
     * undone: the entries not yet deleted would stay, and nobody could undo them.
     */
    readonly remove: (of: ImportKey) => StoreEffect<boolean>
    /**
     * Of the due imports of the people in these buckets, without the people in `besides`: the import that was uploaded
     * first. An import is due while it is `waiting`, `running` or `undoing` and no attempt has a valid lease. None when
     * no import is due.
     */
    readonly due: (
      buckets: ReadonlyArray<number>,
      now: Timestamp,
      besides: ReadonlyArray<UserId>
    ) => StoreEffect<Option.Option<ImportKey>>
    /**
     * Begins an attempt at a due import, and counts the attempt before the file is read, so that a file that crashes
     * every worker is given up in the end. If neither `finish` nor `renew` follows, the import is due again at `dueAt`.
     * `advance` and `finish` name the attempt's lease, so a worker that lost its lease writes nothing. None: the import
     * is not due.
     */
    readonly claim: (leased: Leased, now: Timestamp, dueAt: Timestamp) => StoreEffect<Option.Option<ClaimedImport>>
    /** Renews the lease: the import is not due again before `dueAt`. False when the lease was lost. */
    readonly renew: (leased: Leased, dueAt: Timestamp) => StoreEffect<boolean>
    /**
     * Gives the lease up because the worker stops: the import is due immediately, and the attempt does not count.
     * Nothing changes when the lease was lost.
     */
    readonly handBack: (leased: Leased) => StoreEffect<void>
    /** The piece number `position` of the file, counted from 0. None after the last piece. */
    readonly piece: (of: ImportKey, position: number) => StoreEffect<Option.Option<Uint8Array>>
    /**
     * Stores the entries that the user does not have yet. No rule is evaluated for these entries. False, and nothing is
     * written, when the lease was lost.
     * - Fixes are compared by time and position, visits by times and position, over all devices of the user, and places
     *   by `ImportedPlace.isSame`.
     * - The store leaves out history in a stretch that the user deleted before the commit (`Entry.withoutErased`). This
     *   history counts as too old. The store also leaves out a place beyond `ImportedPlace.limitOf`.
     * - Notices are added to the notices that the user chose (decision exports-9). Deleted stretches are added to the
     *   user's deleted stretches (`Erasure.restored`), and delete nothing.
     * - A step with entries to store raises the version of the user's uploads, so that an upload that is being
     *   evaluated is evaluated again.
     * - An entry with an `ImportedDevice` belongs to this device, which is created together with its first entry. Every
     *   other entry belongs to the device of the import.
     *
     * The stays of a device are derived from all its entries in the file, duplicates included. Without the duplicates,
     * a visit could cover a time in which the file has readings at another position.
     *
     * The step that stores the first new entry of a device makes the device's stays due from the device's earliest
     * entry in the file on. Each later step makes them due from the earliest entry of the step on. The time of the
     * newest entry also becomes the end of the device's history (`VisitReports.historyEndsAt`). As long as no entry of
     * the device is new, the device has no fixes for stays (`StayStore.fixes`).
     */
    readonly advance: (step: ImportStep) => StoreEffect<boolean>
    /**
     * Ends the import and removes its file. `error`: why it failed; null: done. `months`: how many entries were read,
     * by month; the store adds how many of them are stored. False: the lease was lost.
     */
    readonly finish: (
      leased: Leased,
      error: string | null,
      at: Timestamp,
      months?: ReadonlyArray<MonthCounts>
    ) => StoreEffect<boolean>
    /**
     * Begins to undo the import: its state becomes `undoing`, it is due immediately, its file is deleted, and an
     * attempt to read the file loses its lease. None when the user has no such import, and while its file is being
     * uploaded.
     */
    readonly beginUndo: (of: ImportKey) => StoreEffect<Option.Option<Import>>
    /**
     * Deletes up to `Import.UNDO_STEP` fixes of the import that are later than `after`, the earliest first, and returns
     * the time of the last one. A fix or visit that another import contained too is moved to that import, if that
     * import still exists (decision imports-13). When no fix is left, deletes the import with its visits, stays and
     * devices, and the deleted stretches that the import restored from its archive, and returns "gone". "lost": the
     * lease was lost. Each step raises the version of the user's uploads, so an upload that is being evaluated is
     * evaluated again.
     */
    readonly undo: (leased: Leased, after: Timestamp | null) => StoreEffect<Timestamp | "gone" | "lost">
    /**
     * Removes uploads that have not grown for `Import.UPLOAD_PATIENCE`, and `asking` imports whose columns the owner
     * can no longer confirm (`Import.isAsking`). Returns how many imports it removed.
     */
    readonly dropBrokenOff: (now: Timestamp) => StoreEffect<number>
  }
>() {}
