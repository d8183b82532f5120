import type { ReadableEntry } from "@place-access/domain/access-log"
import { Timestamp, Words } from "@place-access/domain/shared"
import * as EntryWords from "../../access-log/EntryWords.js"
import { type Html, html } from "../../html/Html.js"
import { texts } from "../../languages/index.js"
import { count, ofDomain } from "../kit/Time.js"

/**
 * Repeated entries of the access log, which a page shows as one line: the same app sent the same request, or got the
 * same event, with the same purpose and the same result (decision access-log-6).
 */
export interface Fold {
  /** At least one entry, newest first. */
  readonly entries: ReadonlyArray<ReadableEntry>
  readonly newest: ReadableEntry
  readonly oldest: ReadableEntry
  /** The number of requests or events: the sum of the counts of all entries. */
  readonly times: number
}

/**
 * Repeats that are more than this time apart get separate lines. So an app that sends a request every morning has a
 * line for each morning.
 */
const APART = Timestamp.HOUR

/**
 * Groups repeated entries. `entries` must be sorted, the newest entry first. The result is sorted by the newest entry
 * of each fold, the newest first.
 */
export const fold = (entries: ReadonlyArray<ReadableEntry>): ReadonlyArray<Fold> => {
  const open = new Map<string, Array<ReadableEntry>>()
  const all: Array<Array<ReadableEntry>> = []
  for (const entry of entries) {
    const key = JSON.stringify([entry.appId, entry.endpoint, entry.error, entry.purpose, gist(entry)])
    const group = open.get(key)
    const before = group?.at(-1)
    if (group !== undefined && before !== undefined && before.at - entry.at <= APART) group.push(entry)
    else {
      const fresh = [entry]
      open.set(key, fresh)
      all.push(fresh)
    }
  }
  return all.flatMap((group) => {
    const [newest, oldest] = [group[0], group.at(-1)]
    return newest === undefined || oldest === undefined
      ? []
      : [{ entries: group, newest, oldest, times: group.reduce((sum, { times }) => sum + times, 0) }]
  })
}

/**
 * Whether all repeats were in the same second. Pages show times to the second. So for repeats within one second they
 * show one time, and otherwise the first and the last time.
 */
export const isOneSecond = ({ newest, oldest }: Fold): boolean =>
  Math.floor(newest.at / Timestamp.SECOND) === Math.floor(oldest.at / Timestamp.SECOND)

/** Matches the number at the beginning of a text about several items, such as `12 visits to “Home”`. */
const FIRST_COUNT =
  /^(the names of |how many locations there are on each of |)\d+ (visit|location|day|shared place)s?\b/

/**
 * What the app learned, in words that are the same for all repeats: without times, and without the count of items at
 * the beginning. All other numbers stay, because they belong to a label or to the request: “Studio 1” and “Studio 2”
 * are different places.
 */
export const gist = ({ disclosed }: ReadableEntry): string =>
  Words.pieces(disclosed ?? "")
    .map((piece) => (typeof piece === "string" ? piece : "…"))
    .join("")
    .replace(FIRST_COUNT, "$1# $2")

/** A fold in words, such as `14 × your exact location`, for a list whose heading names the app. */
export const words = ({ newest, times }: Fold): Html => {
  const { disclosed, endpoint, error } = newest
  const request = EntryWords.deed(endpoint)
  const requested = request === undefined ? html`${endpoint}` : ofDomain(request)
  const { refused, results } = texts.accessLog
  const what =
    error === null
      ? disclosed === null
        ? requested
        : ofDomain(disclosed)
      : refused(requested, results[EntryWords.outcome(error).label])
  return times === 1 ? what : html`${count(times)} × ${what}`
}
