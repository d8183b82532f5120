import { Context, type Either, type Option } from "effect"
import type { WrittenMail } from "./WrittenMail.js"
import type { AuditEvent } from "../audit/AuditEvent.js"
import type { MailMessage } from "../mail/Mail.js"
import type { Conflict } from "../shared/Errors.js"
import type { DeviceId, StoreEffect, UserId } from "../shared/index.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { Export, ExportFault, ExportProgress, ExportKey } from "./Export.js"

/**
 * An export, leased to one attempt to make its archive; `lease` is the attempt's id. The lease is lost when another
 * attempt begins, or when the owner deletes the export.
 */
export interface LeasedExport extends ExportKey {
  readonly lease: string
}

export interface ClaimedExport {
  readonly export: Export
  /** How many attempts at the export have begun, this attempt included. Attempts ended by `handBack` do not count. */
  readonly attempt: number
}

/** A piece of the archive, encrypted. */
export interface ExportPiece {
  /** The number of the piece in the archive: from 0, without gaps. */
  readonly position: number
  readonly sealed: Uint8Array
}

export type ExportEnd =
  | {
      readonly _tag: "Ready"
      readonly bytes: number
      readonly pieces: number
      readonly at: Timestamp
      readonly expiresAt: Timestamp
    }
  | { readonly _tag: "Failed"; readonly fault: ExportFault; readonly at: Timestamp }

/** Stores exports, their progress and the pieces of their archives. Decisions exports-1, exports-2 and exports-4. */
export class ExportStore extends Context.Tag("@place-access/domain/exports/ExportStore")<
  ExportStore,
  {
    /**
     * Calls `decide` with all exports of the person, and stores the export that `decide` returns. Requests of one
     * person run one after the other: when a person asks in two tabs, the second request is refused.
     */
    readonly request: (
      userId: UserId,
      decide: (present: ReadonlyArray<Export>, now: Timestamp) => Either.Either<Export, Conflict>
    ) => StoreEffect<Either.Either<Export, Conflict>>
    /** The person's exports, newest first. */
    readonly list: (userId: UserId, limit: number) => StoreEffect<ReadonlyArray<Export>>
    /** The export with this key. None when the person has no such export. */
    readonly find: (of: ExportKey) => StoreEffect<Option.Option<Export>>
    /**
     * Of the due exports of people in these buckets, the export that was requested first. An export is due while it is
     * requested or making and no attempt has a valid lease. None when no export is due.
     */
    readonly due: (buckets: ReadonlyArray<number>, now: Timestamp) => StoreEffect<Option.Option<ExportKey>>
    /**
     * Begins an attempt at a due export, counts the attempt, and removes the pieces of an earlier attempt. If no call
     * of `append`, `renew`, `handBack` or `finish` follows, the export is due again at `dueAt`. Returns none when the
     * export is not due.
     */
    readonly claim: (
      leased: LeasedExport,
      now: Timestamp,
      dueAt: Timestamp
    ) => StoreEffect<Option.Option<ClaimedExport>>
    /**
     * Stores a piece and the progress, and extends the lease to `dueAt`. Returns false, and changes nothing, when the
     * lease was lost.
     */
    readonly append: (
      leased: LeasedExport,
      piece: ExportPiece,
      progress: ExportProgress,
      dueAt: Timestamp
    ) => StoreEffect<boolean>
    /**
     * Stores the progress, and extends the lease to `dueAt`. Returns false, and changes nothing, when the lease was
     * lost.
     */
    readonly renew: (leased: LeasedExport, progress: ExportProgress, dueAt: Timestamp) => StoreEffect<boolean>
    /**
     * Gives the lease up because the worker stops: the export is due immediately, and the attempt does not count.
     * Nothing changes when the lease was lost.
     */
    readonly handBack: (leased: LeasedExport) => StoreEffect<void>
    /**
     * Ends the attempt; the same commit puts the mail into the outbox and stores the event `audit`, if given. A failed
     * export keeps no piece. Returns false, and writes nothing, when the lease was lost.
     */
    readonly finish: (
      leased: LeasedExport,
      end: ExportEnd,
      mail: MailMessage,
      audit?: AuditEvent
    ) => StoreEffect<boolean>
    /** A piece of a ready archive that has not expired at `now`, still encrypted. None in every other state. */
    readonly piece: (of: ExportKey, position: number, now: Timestamp) => StoreEffect<Option.Option<Uint8Array>>
    /**
     * Deletes the archive, or stops its making. The export stays in the list as `deleted`. False when the person has no
     * such export, or when the export has failed or was deleted before, or when `expire` has deleted its archive.
     */
    readonly remove: (of: ExportKey, at: Timestamp) => StoreEffect<boolean>
    /**
     * Deletes the archives that have expired at `now`, of people in these buckets, and returns how many archives it
     * deleted. Exports that ended before `forgetBefore` are removed from the list.
     */
    readonly expire: (buckets: ReadonlyArray<number>, now: Timestamp, forgetBefore: Timestamp) => StoreEffect<number>
  }
>() {}

/** A phone, or a device of an imported file, without its token. */
export interface ListedDevice {
  readonly id: DeviceId
  readonly name: string
  /** The format of a phone's uploads (`PhoneFormat`), or `import` for the device of an imported file. */
  readonly format: string
  readonly staysAtHome: boolean
  readonly createdAt: Timestamp
  readonly lastSeenAt: Timestamp | null
  readonly removedAt: Timestamp | null
}

/** The data about a person that only the archive reads. */
export class ExportSource extends Context.Tag("@place-access/domain/exports/ExportSource")<
  ExportSource,
  {
    /**
     * All devices, oldest first, then by id. Removed devices and the devices of imported files are included, because
     * fixes name them.
     */
    readonly devices: (userId: UserId) => StoreEffect<ReadonlyArray<ListedDevice>>
    /** The mails to this person that the service still keeps, oldest first, then by key. */
    readonly letters: (userId: UserId) => StoreEffect<ReadonlyArray<WrittenMail>>
  }
>() {}
