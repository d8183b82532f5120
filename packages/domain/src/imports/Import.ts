import { Schema } from "effect"
import type { DeviceId, ImportId, UserId } from "../shared/Ids.js"
import { isPlain } from "../shared/Text.js"
import { DAY, HOUR, MINUTE, plus, type Timestamp } from "../shared/Timestamp.js"

/** What a file turned out to be; told by its contents, never by its name. */
export const Format = Schema.Literal("gpx", "google_android", "google_ios", "google_takeout")
export type Format = typeof Format.Type

export const State = Schema.Literal("waiting", "running", "done", "failed")
export type State = typeof State.Type

/** What became of the entries of a file: the others add up to `read`. */
export interface Counts {
  readonly read: number
  readonly stored: number
  /** Known already, from whichever phone or file, or twice in this one. */
  readonly duplicates: number
  /** Newer than a day before the upload: left to the phone. */
  readonly tooRecent: number
  /** Older than what the user wants to be kept. */
  readonly tooOld: number
  /** Without a time or a place, or with an impossible one (decision L3): left out. */
  readonly quarantined: number
}

export const NOTHING_READ: Counts = { read: 0, stored: 0, duplicates: 0, tooRecent: 0, tooOld: 0, quarantined: 0 }

/** A file of somebody's location history, on its way into it. Feeds the history only: no rule is ever evaluated over it. */
export interface Import {
  readonly userId: UserId
  readonly id: ImportId
  /** What its readings are stored under: a device that no phone has the token of. */
  readonly deviceId: DeviceId
  readonly fileName: string
  /** Null until the first entry was read. */
  readonly format: Format | null
  readonly state: State
  readonly counts: Counts
  readonly bytesTotal: number
  readonly bytesDone: number
  /** For its owner, when it failed. What was stored before stays. */
  readonly error: string | null
  /** When the upload was complete. */
  readonly uploadedAt: Timestamp
  readonly finishedAt: Timestamp | null
}

const MIB = 1_048_576
/**
 * The largest file. Google's export from a phone has 20 to 100 MiB, a Takeout of ten years a few hundred; GPX files of that
 * size are a decade of tracks. It is also what three waiting files of one person may cost the database, times three.
 */
export const MAX_BYTES = 256 * MIB
/** Pieces that a file is kept in: small enough that reading one holds nothing else up. */
export const PIECE_BYTES = 128 * 1_024
/** Of one user, uploads under way included. */
export const MAX_OPEN = 3
/** Finished ones that are remembered for a user, the newest. */
export const MAX_LISTED = 100

/** How long a worker that says nothing keeps an import. */
export const LEASE = MINUTE
/** How often an import is taken up without a single step forward. */
export const MAX_ATTEMPTS = 5
/** An upload that has not grown for so long has broken off. */
export const UPLOAD_PATIENCE = HOUR

/** Readings after this moment come from phones alone: rules and the answers about now look at nothing older. */
export const recentFrom = (uploadedAt: Timestamp): Timestamp => plus(uploadedAt, -DAY)

const MAX_NAME = 60
const FALLBACK_NAME = "Imported file"

/** A name for people, of whatever a browser or a program called the file: its last part, in one line. */
export const fileName = (sent: string | undefined): string => {
  const last = (sent ?? "").split(/[/\\]/).at(-1) ?? ""
  const plain = [...last.normalize("NFC")].filter(isPlain).slice(0, MAX_NAME).join("").trim()
  return plain === "" ? FALLBACK_NAME : plain
}

/** Why a file could not be read, or not to its end. */
export type Fault =
  /** Neither GPX nor one of Google's exports. */
  | "not_ours"
  /** Its syntax breaks in the middle. */
  | "damaged"
  /** It ends in the middle. */
  | "cut_off"
  /** It is what it should be, and nothing in it says where somebody was. */
  | "no_positions"
  /** Whoever reads it ends each time. */
  | "gave_up"

/** The reason in its owner's words. */
export const explain = (fault: Fault, { stored }: Pick<Counts, "stored">): string => {
  const kept = stored === 0 ? "" : " What was read before that is stored."
  switch (fault) {
    case "not_ours":
      return "This is not a GPX or Google Timeline file."
    case "damaged":
      return `The file is damaged and cannot be read to its end.${kept}`
    case "cut_off":
      return `The file ends in the middle: it was probably not copied completely.${kept}`
    case "no_positions":
      return "The file has no recorded positions. Routes and waypoints do not say where somebody was."
    case "gave_up":
      return `The file could not be read to its end, although it was tried ${MAX_ATTEMPTS} times.${kept}`
  }
}
