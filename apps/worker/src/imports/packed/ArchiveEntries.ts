import { NoticeKind } from "@place-access/domain/accounts"
import { ArchiveFormat } from "@place-access/domain/exports"
import { type Entry, ImportedDevice } from "@place-access/domain/imports"
import { Either, Schema } from "effect"
import * as JsonElements from "../JsonElements.js"
import { instant, isObject, member, number } from "../Values.js"

/**
 * Reads one file of an archive. `push` and `end` may throw. An entry that cannot be used does not throw: it is counted.
 */
export interface EntryReader {
  readonly push: (bytes: Uint8Array) => void
  readonly end: () => void
}

type OnEntry = (entry: Entry.ImportEntry) => void

const UNUSABLE: Entry.ImportEntry = { _tag: "Unusable" }

/** The reader for the file with this name; undefined for a file whose entries are not imported. */
export const entriesOf = (name: string, onEntry: OnEntry): EntryReader | undefined => {
  switch (name) {
    case "account.json":
      return JsonElements.open(["notices", "erasures"], (value, section) =>
        onEntry(section === "erasures" ? erased(value) : notice(value))
      )
    case "places.json":
      return JsonElements.open(["places"], (value) => onEntry(place(value)))
    case "visits.json":
      // Before the list of reports, the file has a list of visits. The visits are not imported, and their list may have
      // any size.
      return JsonElements.open(["reported"], (value) => onEntry(report(value)), Infinity)
    case "fixes.jsonl":
      return lines((text) => onEntry(fix(text)))
    default:
      return undefined
  }
}

/** The longest line that is read. No line of a real archive is longer. */
const MAX_LINE_BYTES = 65_536

const lines = (onLine: (text: string) => void): EntryReader => {
  let rest: Buffer = Buffer.alloc(0)
  return {
    push: (bytes) => {
      const all = Buffer.concat([rest, bytes])
      let from = 0
      for (let to = all.indexOf(10); to >= 0; to = all.indexOf(10, from)) {
        if (to > from) onLine(all.toString("utf8", from, to))
        from = to + 1
      }
      rest = all.subarray(from)
      if (rest.length > MAX_LINE_BYTES) throw new Error("a line is too long")
    },
    end: () => {
      if (rest.length > 0) onLine(rest.toString("utf8"))
    }
  }
}

/**
 * Reads a line without a schema, because a schema would be too slow for the million lines of a history. The rules for
 * readings check the values later.
 */
const fix = (text: string): Entry.ImportEntry => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return UNUSABLE
  }
  const capturedAt = instant(member(value, "captured_at"))
  const [lat, lon] = [number(member(value, "lat")), number(member(value, "lon"))]
  if (capturedAt === undefined || lat === undefined || lon === undefined) return UNUSABLE
  return {
    _tag: "Reading",
    reading: {
      capturedAt,
      lat,
      lon,
      accuracyM: number(member(value, "accuracy_m")),
      altitudeM: number(member(value, "altitude_m")),
      speedMps: number(member(value, "speed_mps")),
      courseDeg: number(member(value, "course_deg"))
    },
    ...(member(value, "left_behind") === true ? { isLeftBehind: true } : {}),
    origin: originOf(value),
    ...alsoFrom(value)
  }
}

const report = (value: unknown): Entry.ImportEntry => {
  const [lat, lon] = [number(member(value, "lat")), number(member(value, "lon"))]
  if (!isObject(value) || lat === undefined || lon === undefined) return UNUSABLE
  return {
    _tag: "Visit",
    visit: {
      arrival: instant(value["arrival"]) ?? null,
      departure: instant(value["departure"]) ?? null,
      lat,
      lon,
      accuracyM: number(value["accuracy_m"]) ?? null
    },
    origin: originOf(value)
  }
}

/** The longest id of a device (`DeviceId`). Without this limit, a forged file with long ids could fill the memory. */
const MAX_ID = 64

/** The id that a device had in the account from which the archive was exported. */
const originOf = (value: unknown): string | undefined => {
  const id = member(value, "device_id")
  return isId(id) ? id : undefined
}

const alsoFrom = (value: unknown): { readonly alsoFrom?: ReadonlyArray<string> } => {
  const ids = member(value, "also_from")
  if (!Array.isArray(ids)) return {}
  const own = ids.slice(0, ImportedDevice.MOST_ALSO).flatMap((id: unknown) => (isId(id) ? [id] : []))
  return own.length === 0 ? {} : { alsoFrom: own }
}

const isId = (id: unknown): id is string => typeof id === "string" && id.length <= MAX_ID

const isNotice = Schema.is(NoticeKind)

/** Reads a kind of notice. A kind that only a newer version of the service has counts as unusable. */
const notice = (value: unknown): Entry.ImportEntry => (isNotice(value) ? { _tag: "Notice", kind: value } : UNUSABLE)

const erased = (value: unknown): Entry.ImportEntry => {
  const [from, until] = [instant(member(value, "from")), instant(member(value, "until"))]
  return from === undefined || until === undefined ? UNUSABLE : { _tag: "Erased", stretch: { from, until } }
}

const decodePlace = Schema.decodeUnknownEither(ArchiveFormat.PlaceEntry)

const place = (value: unknown): Entry.ImportEntry => {
  const decoded = decodePlace(value)
  if (Either.isLeft(decoded)) return UNUSABLE
  const { archived_at: archivedAt, created_at: createdAt, id, kind, label, shapes } = decoded.right
  return {
    _tag: "Place",
    place: {
      origin: id,
      label,
      kind,
      createdAt,
      archivedAt,
      shapes: shapes.map(({ lat, lon, radius_m: radiusM, valid_from: validFrom, version }) => ({
        geometryVersion: version,
        validFrom,
        circle: { lat, lon, radiusM }
      }))
    }
  }
}
