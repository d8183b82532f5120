// An import, its states, counts and limits. Decisions imports-1, imports-3, imports-5 and imports-7.
import { Schema } from "effect"
import type { CsvColumns } from "./CsvColumns.js"
import type { MonthCounts } from "./Months.js"
import type { DeviceId, ImportId, UserId } from "../shared/Ids.js"
import { isPlain } from "../shared/Text.js"
import { DAY, HOUR, MINUTE, plus, SECOND, type Timestamp } from "../shared/Timestamp.js"

/** The format of an imported file. The service recognises the format by the contents of the file, never by its name. */
export const ImportFormat = Schema.Literal(
  "gpx",
  "google_android",
  "google_ios",
  "google_takeout",
  "google_monthly",
  "kml",
  "geojson",
  "owntracks",
  "tcx",
  "fit",
  "csv",
  "own_archive"
)
export type ImportFormat = typeof ImportFormat.Type

/**
 * `asking`: the owner must still say what each column of a CSV file means. `waiting`: the file waits for a worker.
 * `undoing`: a worker deletes what the import added to the history, and then the import itself.
 */
export const ImportState = Schema.Literal("asking", "waiting", "running", "done", "failed", "undoing")
export type ImportState = typeof ImportState.Type

/**
 * How many entries of a file were read and stored, and how many were left out for each reason. `read` is the sum of the
 * other counts.
 */
export interface ImportCounts {
  readonly read: number
  readonly stored: number
  /**
   * Entries that were stored already, from any phone or file, or that this file contains twice. Also places and notices
   * that the user had already, and deleted stretches that `Erasure.restored` left out.
   */
  readonly duplicates: number
  /** Entries from the last day before the upload, or later (`recentFrom`). Phones upload recent readings themselves. */
  readonly tooRecent: number
  /** Entries older than the history that the user keeps, or from a stretch of history that the user deleted. */
  readonly tooOld: number
  /** Places beyond `ImportedPlace.limitOf` (decision limits-9). `Import.leftOut` has their names. */
  readonly overLimit: number
  /** Entries that cannot be read, for example without a time or position, and impossible entries (decision L3). */
  readonly quarantined: number
}

export const NOTHING_READ: ImportCounts = {
  read: 0,
  stored: 0,
  duplicates: 0,
  tooRecent: 0,
  tooOld: 0,
  overLimit: 0,
  quarantined: 0
}

/** The most names in `Import.leftOut`: a made-up archive could have a million places. */
export const MOST_NAMED = 20

/**
 * A file of location history that a user uploaded. A worker adds the entries of the file to the user's history. No rule
 * is evaluated for these entries.
 */
export interface Import {
  readonly userId: UserId
  readonly id: ImportId
  /**
   * The device under which the entries are stored. Nobody has a token of this device, so nobody can upload as this
   * device.
   */
  readonly deviceId: DeviceId
  readonly fileName: string
  /** Null until the format is recognised. */
  readonly format: ImportFormat | null
  readonly state: ImportState
  readonly counts: ImportCounts
  /** The names of places beyond `ImportedPlace.limitOf`, at most `MOST_NAMED` of them, in the order of the file. */
  readonly leftOut: ReadonlyArray<string>
  readonly bytesTotal: number
  readonly bytesDone: number
  /**
   * Why the import failed, in words for its owner. Entries that were stored before the failure stay. Null: the import
   * has not failed.
   */
  readonly error: string | null
  /** The columns of a CSV file: named by the owner or the uploader, or guessed. Null: the file is no CSV file. */
  readonly columns: Partial<CsvColumns> | null
  /** The file's entries, counted by month. Empty until the import has ended, and when the store could not count. */
  readonly months: ReadonlyArray<MonthCounts>
  /** When the upload was complete. */
  readonly uploadedAt: Timestamp
  /** When a worker first began to read the file, or to undo an import that was never read. Null: not yet. */
  readonly startedAt: Timestamp | null
  readonly finishedAt: Timestamp | null
}

/**
 * How fast a file is read, in entries a second, and how many seconds the rest will take. Null before the first entries
 * are read.
 */
export const speed = (
  { bytesDone, bytesTotal, counts, finishedAt, startedAt }: Import,
  now: Timestamp
): { readonly entriesPerS: number; readonly leftS: number } | null => {
  if (startedAt === null || counts.read === 0 || bytesDone === 0) return null
  const tookMs = Math.max(1, (finishedAt ?? now) - startedAt)
  const leftMs = finishedAt === null ? (tookMs * (bytesTotal - bytesDone)) / bytesDone : 0
  return { entriesPerS: Math.round((counts.read * 1_000) / tookMs), leftS: Math.ceil(leftMs / 1_000) }
}

export const MIB = 1_048_576
/**
 * The largest file that can be imported, in bytes. A phone's Google Timeline export has 20 to 100 MiB, a Takeout of ten
 * years has a few hundred MiB, and a GPX file of this size has ten years of tracks.
 */
export const MAX_BYTES = 256 * MIB
/**
 * The size of the pieces in which an uploaded file is stored, in bytes. A worker reads a piece of this size so fast
 * that the requests that its process answers are not delayed.
 */
export const PIECE_BYTES = 128 * 1_024
/**
 * The most unfinished imports that a user may have at the same time: files that are being uploaded, and imports that
 * are `asking`, `waiting` or `running`. The limit is high because a folder of tracks has many small files.
 */
export const MAX_OPEN = 50
/**
 * An upload may begin when the user's unread files have at most this size together, in bytes. An unfinished upload
 * counts as `MAX_BYTES`. So the unread files of a user are together never larger than this size plus one file
 * (`MAX_BYTES`).
 */
export const MAX_WAITING_BYTES = 2 * MAX_BYTES

/**
 * The length of a worker's lease of an import, in milliseconds. When the worker has not renewed the lease for this
 * long, another attempt may begin.
 */
export const RETRY_AFTER = MINUTE
/**
 * How often a worker renews its lease of an import, in milliseconds. Three renewals fit into `RETRY_AFTER`, so two of
 * them may fail.
 */
export const RENEW_EVERY = 18 * SECOND
/** After this many attempts in a row without progress the import fails: its file may crash every worker. */
export const MAX_ATTEMPTS = 5
/** An upload that has not grown for this long, in milliseconds, counts as broken off and is removed. */
export const UPLOAD_PATIENCE = HOUR
/**
 * How long the owner can confirm the columns of a CSV file, in milliseconds after the upload. Then the import is
 * removed.
 */
export const ASKING_PATIENCE = 7 * DAY
/** Whether the owner can still confirm the columns of the CSV file. */
export const isAsking = ({ state, uploadedAt }: Pick<Import, "state" | "uploadedAt">, now: Timestamp): boolean =>
  state === "asking" && now < plus(uploadedAt, ASKING_PATIENCE)
/**
 * The most fixes that one step of an undo deletes. A step is short, because uploads of the same person wait for its
 * end.
 */
export const UNDO_STEP = 5_000

/**
 * Readings, visits and deleted stretches after this time, one day before the end of the upload, are not stored: an
 * import must not change rules and answers about the present.
 */
export const recentFrom = (uploadedAt: Timestamp): Timestamp => plus(uploadedAt, -DAY)

const MAX_NAME = 60
export const FALLBACK_NAME = "Imported file"

/**
 * The name of a file as pages show it: the last part of the path that a browser or program sent, on one line. Only the
 * beginning of a long name is put into Unicode's composed form (NFC), because composing many combining marks in a row
 * takes quadratic time.
 */
export const fileName = (sent: string | undefined): string => {
  const last = (sent ?? "").split(/[/\\]/).at(-1) ?? ""
  const plain = [...last.slice(0, 8 * MAX_NAME).normalize("NFC")].filter(isPlain).slice(0, MAX_NAME).join("").trim()
  return plain === "" ? FALLBACK_NAME : plain
}

/** Why the import of a file fails. */
export type ImportFault =
  /** the format of the file is not supported */
  | "not_ours"
  /** a packed file that contains no file of a supported format */
  | "nothing_inside"
  /** a CSV file whose header lacks the columns that the owner named, or has no column names that the service knows */
  | "other_columns"
  /** the syntax of the file is wrong in the middle */
  | "damaged"
  /** the file ends in the middle */
  | "cut_off"
  /** the file is valid, but has no position */
  | "no_positions"
  /** `MAX_ATTEMPTS` attempts in a row made no progress: each attempt failed, or its worker died */
  | "gave_up"
  /** a zip file that this service did not make */
  | "foreign_archive"
  /** an archive of this service that cannot be unpacked to its end */
  | "damaged_archive"
  /** an archive of this service with a file that differs from the manifest */
  | "wrong_checksum"
  /** an archive of a version of the format that this service cannot read */
  | "other_version"
  /**
   * an archive that may harm the program that unpacks it, for example because a path leads out of the archive's folder,
   * or because the contents expand too much
   */
  | "unsafe_archive"

/** The reason why an import failed, in words for its owner. `stored`: how many entries were stored before the fault. */
export const explain = (fault: ImportFault, { stored }: Pick<ImportCounts, "stored">): string => {
  const before = "What was read before that is stored."
  const kept = stored === 0 ? "" : ` ${before}`
  const result = stored === 0 ? "Nothing of it was stored." : before
  switch (fault) {
    case "not_ours":
      return "This is no file of location history. GPX, KML, GeoJSON, TCX, FIT, CSV, OwnTracks logs, Google's files and archives of this service are read."
    case "nothing_inside":
      return "None of the files in this archive has location history. GPX, KML, GeoJSON, TCX, FIT, CSV, OwnTracks logs and Google's files are read. A Google Takeout since 2024 lacks the Timeline: export the Timeline on your phone."
    case "other_columns":
      return "The first line of the table does not name the columns of time, latitude and longitude."
    case "damaged":
      return `The file is damaged and cannot be read to its end.${kept}`
    case "cut_off":
      return `The file ends in the middle: it was probably not copied completely.${kept}`
    case "no_positions":
      return "The file has no recorded positions. Routes and waypoints do not say where somebody was."
    case "foreign_archive":
      return "This archive was not made by this service. Unpack it and choose the files of location history inside."
    case "damaged_archive":
      return `The archive is damaged: it was probably not copied completely. ${result}`
    case "wrong_checksum":
      return "The archive was changed after it was made: a file in it is not as its manifest says. Nothing of it was stored."
    case "other_version":
      return "The archive has a format that this service cannot read, because a newer service made it. Nothing of it was stored."
    case "unsafe_archive":
      return `The archive is refused, because it is built like one that harms who opens it. ${result}`
    case "gave_up":
      return `The file could not be read to its end, although it was tried ${MAX_ATTEMPTS} times.${kept}`
  }
}
