import type { Reading } from "../../../Operations.js"
import type { Run } from "../../../Oracle.js"
import { type CompletedCall, happened, isDone, mayBeDone } from "../trace/Happened.js"
import { erased } from "./Erasures.js"
import { EARLIEST, FUTURE } from "../../../Specification.js"

/**
 * The readings that phones sent. Each user's readings are ordered by capture time, and each reading has the uploads
 * that may have brought it.
 */

export interface SeenReading extends Reading {
  /** The key of the fix. Readings of one phone with the same time and position are one fix (decision L4). */
  readonly key: string
  readonly uploads: ReadonlyArray<CompletedCall<"upload">>
  /**
   * Present only for a reading whose capture time was in the future when the reading arrived: the uploads at which the
   * service may have accepted the reading (decision fixes-4).
   */
  readonly takenBy?: ReadonlyArray<CompletedCall<"upload">>
}

export interface Phones {
  readonly uploads: ReadonlyArray<CompletedCall<"upload">>
  /** The readings of the user, ordered by capture time. */
  readonly seen: ReadonlyArray<SeenReading>
  /** The readings of `seen` and `taken` that were captured at this time. */
  readonly at: (capturedAt: number) => ReadonlyArray<SeenReading>
  /**
   * Readings that the service quarantined on arrival because their capture times were in the future. The service may
   * accept such a reading at a later upload.
   */
  readonly later: ReadonlyArray<SeenReading>
  /**
   * The readings of `later` that the service may have accepted, each with the uploads at which the service may have
   * accepted it.
   */
  readonly taken: ReadonlyArray<SeenReading>
}

const known = new WeakMap<object, ReadonlyMap<string, Phones>>()

export const phonesOf = (run: Run, userId: string): Phones => {
  const all = known.get(run) ?? read(run)
  known.set(run, all)
  return all.get(userId) ?? { uploads: [], seen: [], at: () => [], later: [], taken: [] }
}

const read = (run: Run): ReadonlyMap<string, Phones> => {
  const ofUser = new Map<
    string,
    { uploads: Array<CompletedCall<"upload">>; seen: Map<string, Gathered>; later: Array<SeenReading> }
  >()
  for (const operation of happened(run).of("upload")) {
    if (!mayBeDone(operation)) continue
    const { deviceId, fixes, userId } = operation.args
    const mine = ofUser.get(userId) ?? { uploads: [], seen: new Map<string, Gathered>(), later: [] }
    ofUser.set(userId, mine)
    mine.uploads.push(operation)
    for (const fix of fixes) {
      if (isFuture(fix, operation)) mine.later.push({ ...fix, key: keyOf(deviceId, fix), uploads: [operation] })
      if (isPutAside(fix, operation) === "yes") continue
      // Two readings that differ only in accuracy have the same key. Oracles must see both readings, so `name` includes
      // the accuracy.
      const name = `${keyOf(deviceId, fix)} ${fix.accuracyM}`
      const found = mine.seen.get(name)
      if (found === undefined) mine.seen.set(name, { ...fix, key: keyOf(deviceId, fix), uploads: [operation] })
      else if (found.uploads.at(-1) !== operation) found.uploads.push(operation)
    }
  }
  return new Map(
    [...ofUser].map(([userId, { later, seen, uploads }]) => {
      const waiting = later.map((fix) => ({ ...fix, takenBy: uploads.filter((upload) => mayTake(upload, fix)) }))
      return [userId, phones(uploads, [...seen.values()], waiting)]
    })
  )
}

/**
 * Whether this upload may make the service accept an earlier reading that it quarantined because its capture time was
 * in the future. For this, the upload must come from the same phone, and contain a reading with the same or a later
 * capture time that is not quarantined.
 */
const mayTake = (upload: CompletedCall<"upload">, { capturedAt, uploads }: SeenReading): boolean =>
  uploads.every(({ args }) => args.deviceId === upload.args.deviceId) &&
  upload.args.fixes.some((fix) => fix.capturedAt >= capturedAt && isPutAside(fix, upload) !== "yes")

interface Gathered extends SeenReading {
  readonly uploads: Array<CompletedCall<"upload">>
}

const phones = (
  uploads: ReadonlyArray<CompletedCall<"upload">>,
  found: ReadonlyArray<SeenReading>,
  later: ReadonlyArray<Required<SeenReading>>
): Phones => {
  const seen = [...found].sort((a, b) => a.capturedAt - b.capturedAt)
  const taken = later.flatMap((fix) => (fix.takenBy.length === 0 ? [] : [{ ...fix, uploads: fix.takenBy }]))
  const at = new Map<number, Array<SeenReading>>()
  for (const fix of [...seen, ...taken]) {
    const same = at.get(fix.capturedAt)
    if (same === undefined) at.set(fix.capturedAt, [fix])
    else same.push(fix)
  }
  return { uploads, seen, at: (capturedAt) => at.get(capturedAt) ?? [], later, taken }
}

export const keyOf = (deviceId: string, { capturedAt, lat, lon }: Reading): string =>
  `${deviceId} ${capturedAt} ${tiny(lat)} ${tiny(lon)}`

const tiny = (degrees: number): number => Math.round(degrees * 1e7) + 0

/**
 * Whether the service quarantines the reading (decision L3). The answer is `maybe` if the quarantine depends on the
 * time of receipt, which lies between the beginning and the end of the upload.
 */
export const isPutAside = (
  { capturedAt, lat, lon }: Reading,
  upload: CompletedCall<"upload">
): "yes" | "maybe" | "no" => {
  if (!(Math.abs(lat) <= 90 && Math.abs(lon) <= 180)) return "yes"
  if ((tiny(lat) === 0 && tiny(lon) === 0) || capturedAt < EARLIEST) return "yes"
  const [first, last] = [Math.min(upload.beganAt, upload.endedAt), Math.max(upload.beganAt, upload.endedAt)]
  if (capturedAt > last + FUTURE) return "yes"
  return capturedAt > first + FUTURE ? "maybe" : "no"
}

/**
 * Whether the capture time was certainly in the future when the reading arrived, and the reading was otherwise valid.
 */
export const isFuture = (fix: Reading, upload: CompletedCall<"upload">): boolean =>
  fix.capturedAt > Math.max(upload.beganAt, upload.endedAt) + FUTURE &&
  isPutAside({ ...fix, capturedAt: upload.beganAt }, upload) === "no"

/** Whether the fix was certainly stored before the call began, and not deleted before the call ended. */
export const isKnown = (
  run: Run,
  userId: string,
  seen: SeenReading,
  { begin, end }: { readonly begin: number; readonly end: number }
): boolean =>
  seen.uploads.some(
    (operation) => isDone(operation) && operation.end < begin && isPutAside(seen, operation) === "no"
  ) && erased(run, userId, seen.capturedAt, begin, end) === "no"

/**
 * Whether the fix may be stored when the call ends: a phone sent the fix, the service may have accepted it, and the
 * user has not certainly deleted it.
 */
export const mayBeStored = (
  run: Run,
  userId: string,
  seen: SeenReading,
  { begin, end }: { readonly begin: number; readonly end: number }
): boolean =>
  (seen.takenBy ?? seen.uploads).some((operation) => operation.begin < end) &&
  erased(run, userId, seen.capturedAt, begin, end) !== "yes"
