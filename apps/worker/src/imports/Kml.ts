import type { Entry } from "@place-access/domain/imports"
import type { Timestamp } from "@place-access/domain/shared"
import { instant, number } from "./Values.js"
import type { XmlDialect } from "./XmlDialect.js"

type OnEntry = (entry: Entry.ImportEntry) => void

/** The elements of a place mark or of a track whose text is read. */
const TEXTS: ReadonlySet<string> = new Set(["when", "begin", "end", "coordinates", "coord"])
/**
 * The most times or positions of a track that may wait for their counterpart in memory. A track with more is refused.
 */
const MAX_PENDING = 1_000_000

/**
 * Reads the place marks of KML 2.2 and the tracks of Google's extension (`gx:Track`: a `when` and a `gx:coord` for each
 * position, in any order). A point with a `TimeStamp` is a reading, and a point with a `TimeSpan` a visit. A line with
 * a `TimeSpan` gives entries for its two ends only, because the times of the positions between them are unknown. A
 * place mark without a time is a mark on a map, and no history.
 */
export const open = (onEntry: OnEntry): XmlDialect => {
  let mark: Mark | undefined
  let track: Track | undefined
  return {
    open: (name, _, depth) => {
      if (name === "Placemark") mark = { depth, shape: undefined, isOther: false }
      else if (name === "Track") track = openTrack(onEntry)
      else if (mark !== undefined && (name === "Point" || name === "LineString")) mark.shape ??= name
      else if (mark !== undefined && (name === "Polygon" || name === "LinearRing")) mark.isOther = true
      return TEXTS.has(name)
    },
    close: (name, text, depth) => {
      if (name === "Track") track = track?.end()
      else if (name === "Placemark") {
        for (const entry of mark === undefined ? [] : entriesOf(mark)) onEntry(entry)
        mark = undefined
      } else if (text === undefined) return
      else if (track !== undefined) {
        if (name === "when") track.when(text)
        else if (name === "coord") track.coord(text)
      } else if (mark !== undefined) {
        if (name === "coordinates") {
          const ends = endsOf(text)
          mark.first ??= ends[0]
          mark.last = ends[1] ?? mark.last
        } else if (name === "when" || name === "begin" || name === "end") {
          // A more deeply nested time belongs to a part of the place mark. For example, the time of a view only tells a
          // map program what to show.
          if (depth === mark.depth + 2) mark[name] ??= text
        }
      }
    }
  }
}

/** A place mark whose end tag has not been read yet. */
interface Mark {
  readonly depth: number
  shape: "Point" | "LineString" | undefined
  /** Whether the place mark has an area, which does not say where somebody was. */
  isOther: boolean
  when?: string | undefined
  begin?: string | undefined
  end?: string | undefined
  first?: string | undefined
  last?: string | undefined
}

const BLANK = /\s/

/** Returns the first and the last position of a list. Blanks separate positions, and commas separate their numbers. */
const endsOf = (coordinates: string): readonly [string | undefined, string | undefined] => {
  const positions = coordinates.trim()
  // Searches for the last blank in a loop: a regular expression would try a match at every character of a long text.
  let start = positions.length
  while (start > 0 && !BLANK.test(positions.charAt(start - 1))) start--
  return [/^\S+/.exec(positions)?.[0], positions === "" ? undefined : positions.slice(start)]
}

const entriesOf = ({ begin, end, first, isOther, last, shape, when }: Mark): ReadonlyArray<Entry.ImportEntry> => {
  if (shape === undefined || isOther || (when ?? begin ?? end) === undefined) return []
  const [from, until] = [instant(begin), instant(end)]
  if (shape === "LineString") {
    if (when !== undefined) return []
    return [reading(from, numbers(first, ",")), reading(until, numbers(last, ","))]
  }
  if (when !== undefined) return [reading(instant(when), numbers(first, ","))]
  const [lon, lat] = numbers(first, ",")
  if (lat === undefined || lon === undefined || from === undefined || until === undefined) return [{ _tag: "Unusable" }]
  return [{ _tag: "Visit", visit: { arrival: from, departure: until, lat, lon, accuracyM: null } }]
}

/** The numbers of a position, at most three: the positions of a track are kept in memory, so they must be short. */
const numbers = (text: string | undefined, separator: string | RegExp): ReadonlyArray<number | undefined> =>
  text === undefined ? [] : text.trim().split(separator, 3).map(number)

const reading = (
  capturedAt: Timestamp.Timestamp | undefined,
  [lon, lat, altitudeM]: ReadonlyArray<number | undefined>
): Entry.ImportEntry =>
  capturedAt === undefined || lat === undefined || lon === undefined
    ? { _tag: "Unusable" }
    : { _tag: "Reading", reading: { capturedAt, lat, lon, altitudeM } }

interface Track {
  readonly when: (text: string) => void
  readonly coord: (text: string) => void
  readonly end: () => undefined
}

/** Pairs the times of one track with its positions: the first time with the first position, and so on. */
const openTrack = (onEntry: OnEntry): Track => {
  let times: Array<Timestamp.Timestamp | undefined> = []
  let positions: Array<ReadonlyArray<number | undefined>> = []
  let paired = 0
  const pair = (): void => {
    while (paired < times.length && paired < positions.length) {
      onEntry(reading(times[paired], positions[paired] ?? []))
      paired++
    }
    if (paired >= times.length || paired >= positions.length) drop()
    if (times.length + positions.length > MAX_PENDING) throw new Error("a track with times and no positions")
  }
  /**
   * Forgets the times and positions that are paired already. Does nothing while fewer than a thousand are paired and
   * others still wait for their counterpart, because each call copies the times and positions that wait.
   */
  const drop = (): void => {
    if (paired < 1_000 && paired < Math.max(times.length, positions.length)) return
    times = times.slice(paired)
    positions = positions.slice(paired)
    paired = 0
  }
  return {
    when: (text) => {
      times.push(instant(text))
      pair()
    },
    coord: (text) => {
      positions.push(numbers(text, /\s+/))
      pair()
    },
    end: () => {
      for (let left = Math.max(times.length, positions.length) - paired; left > 0; left--) onEntry({ _tag: "Unusable" })
      return undefined
    }
  }
}
