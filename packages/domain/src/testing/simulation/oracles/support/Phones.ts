import type { Reading } from "../../Operations.js"
import type { Run } from "../../Oracle.js"
import { type Did, happened, isDone, mayBeDone } from "./Happened.js"
import { DAY, MINUTE } from "./Spec.js"

/** What phones sent: the readings of each user by capture time, each with the uploads that may have brought it. */

export interface Seen extends Reading {
  /** Of one phone, one time and one place there is one fix (decision L4). */
  readonly key: string
  readonly uploads: ReadonlyArray<Did<"upload">>
}

export interface Phones {
  readonly uploads: ReadonlyArray<Did<"upload">>
  /** By capture time. */
  readonly seen: ReadonlyArray<Seen>
  readonly at: (capturedAt: number) => ReadonlyArray<Seen>
  /** Put aside when they came, because they were from the future: they may be taken when their time has come. */
  readonly later: ReadonlyArray<Seen>
}

const known = new WeakMap<object, ReadonlyMap<string, Phones>>()

export const phonesOf = (run: Run, userId: string): Phones => {
  const all = known.get(run) ?? read(run)
  known.set(run, all)
  return all.get(userId) ?? { uploads: [], seen: [], at: () => [], later: [] }
}

const read = (run: Run): ReadonlyMap<string, Phones> => {
  const ofUser = new Map<string, { uploads: Array<Did<"upload">>; seen: Map<string, Gathered>; later: Array<Seen> }>()
  for (const did of happened(run).of("upload")) {
    if (!mayBeDone(did)) continue
    const { deviceId, fixes, userId } = did.args
    const mine = ofUser.get(userId) ?? { uploads: [], seen: new Map<string, Gathered>(), later: [] }
    ofUser.set(userId, mine)
    mine.uploads.push(did)
    for (const fix of fixes) {
      if (isFuture(fix, did)) mine.later.push({ ...fix, key: keyOf(deviceId, fix), uploads: [did] })
      if (isPutAside(fix, did) === "yes") continue
      // An accuracy is no part of the name, but whoever reads it must know both.
      const name = `${keyOf(deviceId, fix)} ${fix.accuracyM}`
      const found = mine.seen.get(name)
      if (found === undefined) mine.seen.set(name, { ...fix, key: keyOf(deviceId, fix), uploads: [did] })
      else if (found.uploads.at(-1) !== did) found.uploads.push(did)
    }
  }
  return new Map(
    [...ofUser].map(([userId, { later, seen, uploads }]) => [userId, { ...phones(uploads, [...seen.values()]), later }])
  )
}

interface Gathered extends Seen {
  readonly uploads: Array<Did<"upload">>
}

const phones = (uploads: ReadonlyArray<Did<"upload">>, found: ReadonlyArray<Seen>): Omit<Phones, "later"> => {
  const seen = [...found].sort((a, b) => a.capturedAt - b.capturedAt)
  const at = new Map<number, Array<Seen>>()
  for (const fix of seen) {
    const same = at.get(fix.capturedAt)
    if (same === undefined) at.set(fix.capturedAt, [fix])
    else same.push(fix)
  }
  return { uploads, seen, at: (capturedAt) => at.get(capturedAt) ?? [] }
}

export const keyOf = (deviceId: string, { capturedAt, lat, lon }: Reading): string =>
  `${deviceId} ${capturedAt} ${tiny(lat)} ${tiny(lon)}`

const tiny = (degrees: number): number => Math.round(degrees * 1e7) + 0

/** Decision L3. Whether it is in the future depends on when it was received, between the beginning and the end of the upload. */
export const isPutAside = ({ capturedAt, lat, lon }: Reading, upload: Did<"upload">): "yes" | "maybe" | "no" => {
  if (!(Math.abs(lat) <= 90 && Math.abs(lon) <= 180)) return "yes"
  if ((tiny(lat) === 0 && tiny(lon) === 0) || capturedAt < YEAR_2010) return "yes"
  const [first, last] = [Math.min(upload.beganAt, upload.endedAt), Math.max(upload.beganAt, upload.endedAt)]
  if (capturedAt > last + 5 * MINUTE) return "yes"
  return capturedAt > first + 5 * MINUTE ? "maybe" : "no"
}

/** Surely from the future when it came, and otherwise a reading like any. */
export const isFuture = (fix: Reading, upload: Did<"upload">): boolean =>
  fix.capturedAt > Math.max(upload.beganAt, upload.endedAt) + 5 * MINUTE &&
  isPutAside({ ...fix, capturedAt: upload.beganAt }, upload) === "no"

const YEAR_2010 = 14_610 * DAY

/** A fix that is there for certain before `begin`. */
export const isKnown = (seen: Seen, begin: number): boolean =>
  seen.uploads.some((did) => isDone(did) && did.end < begin && isPutAside(seen, did) === "no")
