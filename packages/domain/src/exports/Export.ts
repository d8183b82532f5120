// An archive of a person's data: its states and limits. Decisions exports-1, exports-2 and exports-3.
import { Either, Schema } from "effect"
import type { MailMessage } from "../mail/Mail.js"
import { Conflict } from "../shared/Errors.js"
import type { ExportId, UserId } from "../shared/Ids.js"
import { DAY, MINUTE, plus, type Timestamp } from "../shared/Timestamp.js"
import * as Words from "../shared/Words.js"

/**
 * An export is `requested`, then `making` while a worker writes the archive under a lease, then `ready` or `failed`. A
 * ready archive becomes `expired` after a week. Its owner can delete an export while it is requested, making or ready.
 * Only a ready archive can be fetched; in every other state nobody can read its bytes.
 */
export const ExportState = Schema.Literal("requested", "making", "ready", "failed", "expired", "deleted")
export type ExportState = typeof ExportState.Type

export const ExportFault = Schema.Literal(
  /** `MAX_ATTEMPTS` attempts ended without an archive: each attempt failed, or the worker of the attempt died */
  "gave_up",
  /** the archive is larger than `MAX_BYTES` */
  "too_large"
)
export type ExportFault = typeof ExportFault.Type

/**
 * How many entries the worker has written into the archive. `total` is an estimate from the beginning of the attempt.
 */
export interface ExportProgress {
  readonly done: number
  readonly total: number
}

/** A person's request for an archive of their data, with the state of the archive. */
export interface Export {
  readonly userId: UserId
  readonly id: ExportId
  readonly state: ExportState
  readonly requestedAt: Timestamp
  readonly progress: ExportProgress
  /** The length of the archive; 0 until it is ready. */
  readonly bytes: number
  /** The number of pieces in which the archive is stored; 0 until it is ready. */
  readonly pieces: number
  readonly readyAt: Timestamp | null
  /** Exclusive: at this instant the archive can no longer be fetched. Null until it is ready. */
  readonly expiresAt: Timestamp | null
  readonly fault: ExportFault | null
  /** When the export failed, expired or was deleted. */
  readonly endedAt: Timestamp | null
}

/** The key of an export. The user's id says on which shard its rows are. */
export interface ExportKey {
  readonly userId: UserId
  readonly id: ExportId
}

/** How long a ready archive can be fetched, in milliseconds. */
export const KEPT_FOR = 7 * DAY
/**
 * The maximum number of archives that one person may ask for in `PERIOD`. There is a limit because a worker reads most
 * data of the person to make an archive.
 */
export const MAX_A_DAY = 3
export const PERIOD = DAY
/**
 * The length of a worker's lease of an export, in milliseconds. When an attempt has not renewed its lease for this
 * long, its worker counts as dead. Another attempt then begins the archive from its first file.
 */
export const PATIENCE = 2 * MINUTE
/** When this many attempts have ended without an archive, the export fails. */
export const MAX_ATTEMPTS = 5
/**
 * The maximum number of bytes of a piece, before encryption. The archive is stored in pieces; each piece is one row.
 */
export const PIECE_BYTES = 256 * 1_024
/**
 * The largest archive, in bytes. About thirty million fixes fit. A zip file needs the ZIP64 extension only above four
 * times this size.
 */
export const MAX_BYTES = 1_024 * 1_048_576
/** The maximum number of exports in a person's list. */
export const MAX_LISTED = 20
/** How long an export that has ended stays in the list, without its archive, in milliseconds. */
export const LISTED_FOR = 30 * DAY

const isOpen = ({ state }: Export): boolean => state === "requested" || state === "making"

/**
 * Whether the archive can be fetched at `now`. A worker deletes an archive only some time after it expired, so an
 * expired archive may still be `ready`.
 */
export const isFetchable = ({ expiresAt, state }: Export, now: Timestamp): boolean =>
  state === "ready" && expiresAt !== null && now < expiresAt

/**
 * Decides about a person's request for an archive: a new export, or why the request is refused. A request is refused
 * while an archive is being made, while an archive can be fetched, and after `MAX_A_DAY` requests within `PERIOD`.
 * `present` are all exports of the person, in any order.
 */
export const request = (
  of: ExportKey,
  present: ReadonlyArray<Export>,
  now: Timestamp
): Either.Either<Export, Conflict> => {
  if (present.some(isOpen)) return refuse("An archive is being made already: wait until it is ready")
  const ready = present.find((one) => isFetchable(one, now))
  if (ready !== undefined) return refuse("There is an archive already: fetch it, or delete it to ask for a newer one")
  const recent = present.filter(({ requestedAt }) => now < plus(requestedAt, PERIOD))
  const oldest = recent.map(({ requestedAt }) => requestedAt).sort((a, b) => a - b)[0]
  if (oldest !== undefined && recent.length >= MAX_A_DAY) {
    return refuse(
      `You asked for ${MAX_A_DAY} archives within 24 hours: ask again after ${Words.moment(plus(oldest, PERIOD))}`
    )
  }
  return Either.right({
    ...of,
    state: "requested",
    requestedAt: now,
    progress: { done: 0, total: 0 },
    bytes: 0,
    pieces: 0,
    readyAt: null,
    expiresAt: null,
    fault: null,
    endedAt: null
  })
}

const refuse = (reason: string) => Either.left(new Conflict({ reason }))

/** The encryption context of a piece. A piece that was moved to another export or position cannot be decrypted. */
export const pieceContext = ({ id, userId }: ExportKey, position: number): string =>
  `export ${userId} ${id} ${position}`

/** Why the archive could not be made, as a sentence for its owner. */
export const explain = (fault: ExportFault): string => {
  switch (fault) {
    case "gave_up":
      return `The archive could not be made, although it was tried ${MAX_ATTEMPTS} times.`
    case "too_large":
      return "The archive would have more than 1 GiB, and the service makes no larger one."
  }
}

const LINK = { site: "portal", path: "/settings/export", label: "Take your data along" } as const

/**
 * The mail after an archive was made. The archive itself is never mailed, and the link of the mail opens nothing
 * without a sign-in.
 */
export const readyMail = ({ id, userId }: ExportKey, expiresAt: Timestamp): MailMessage => ({
  to: userId,
  dedupeKey: `export_ready ${id}`,
  subject: "Your archive is ready",
  body: [
    `The archive of your data that you asked for is ready. You can download it until ${Words.moment(expiresAt)}; then it is deleted. You need to sign in for it.`,
    "It has everywhere you were. Keep it where nobody else can read it.",
    "If you did not ask for it, somebody else can use your account: delete the archive on that page, then set a new password."
  ].join("\n\n"),
  link: LINK
})

/** The mail after an archive could not be made. It says why, and what the owner can do. */
export const failedMail = ({ id, userId }: ExportKey, fault: ExportFault): MailMessage => ({
  to: userId,
  dedupeKey: `export_failed ${id}`,
  subject: "Your archive could not be made",
  body: [
    explain(fault),
    "Nothing of yours was changed. You can ask for it again, or tell those who run this service."
  ].join("\n\n"),
  link: LINK
})

/** How much of the archive is made, in percent. An archive that is not ready has at most 99. */
export const percent = ({ progress: { done, total }, state }: Export): number =>
  state === "ready" ? 100 : total === 0 ? 0 : Math.min(99, Math.floor((100 * done) / total))
