import type { AccessLogPage, ReadableEntry } from "@place-access/domain/access-log"
import { Effect } from "effect"
import * as Folded from "./Folded.js"

/**
 * A page of the access log shows repeated entries as one line (decision access-log-6). This module reads as many
 * entries as the page needs for enough lines.
 */

/** A page has at least this number of lines, unless it has read `MOST` entries or the end of the log. */
const LINES = 25
const FIRST = 50
/** When the first entries have many repeats, the module reads more entries, this number at a time. */
const FURTHER = 500
/**
 * One page reads at most this number of entries. An app that sends requests all day causes many thousands of entries a
 * week.
 */
const MOST = FIRST + 4 * FURTHER

type From<E, R> = (cursor: string | undefined, limit: number) => Effect.Effect<AccessLogPage, E, R>

/**
 * Reads a page. The function reads further entries while the page has too few lines, or ends within a group of repeats,
 * but at most `MOST` entries.
 */
export const read = <E, R>(from: From<E, R>, cursor: string | undefined): Effect.Effect<AccessLogPage, E, R> =>
  Effect.gen(function* () {
    let page = yield* from(cursor, FIRST)
    let entries: ReadonlyArray<ReadableEntry> = page.entries
    while (page.nextCursor !== null && entries.length < MOST && isShort(entries)) {
      page = yield* from(page.nextCursor, FURTHER)
      entries = [...entries, ...page.entries]
    }
    return { entries, nextCursor: page.nextCursor }
  })

const isShort = (entries: ReadonlyArray<ReadableEntry>): boolean => {
  const folds = Folded.fold(entries)
  const last = entries.at(-1)
  return folds.length < LINES || folds.some(({ newest, oldest }) => oldest === last && newest !== oldest)
}
