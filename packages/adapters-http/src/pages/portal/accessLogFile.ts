import { HttpServerResponse } from "@effect/platform"
import { listAccessLog, type ReadableEntry } from "@place-access/domain/access-log"
import { Timestamp } from "@place-access/domain/shared"
import { Effect } from "effect"
import * as EntryWords from "../../access-log/EntryWords.js"
import * as Form from "../kit/Form.js"
import * as Visitor from "../kit/Visitor.js"
import * as AccessLogQuery from "./accessLogQuery.js"

/** Entries of one file: what a spreadsheet opens without trouble. Narrower dates reach the rest. */
export const MAX_ENTRIES = 10_000
const PAGE = 500

const COLUMNS = ["Time (UTC)", "App", "Request", "What it did", "Purpose", "Outcome", "Code", "What it learned"]

const row = (entry: ReadableEntry): ReadonlyArray<string> => [
  Timestamp.toIso(entry.at),
  entry.appName,
  entry.endpoint,
  EntryWords.deed(entry.endpoint) ?? "",
  entry.purpose?.description ?? "",
  EntryWords.outcomeText(entry.error),
  entry.error ?? "ok",
  entry.disclosed ?? ""
]

/**
 * One cell. Names of apps and areas are strangers' texts: what a spreadsheet would take for a formula gets an apostrophe in front,
 * also behind blanks, which some take away.
 */
export const cell = (text: string): string =>
  `"${(/^\s*[=+\-@\t\r\n|%]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`

const line = (cells: ReadonlyArray<string>): string => `${cells.map(cell).join(",")}\r\n`

/** RFC 4180, with a byte order mark: without one, spreadsheets take UTF-8 for something else. */
const csv = (entries: ReadonlyArray<ReadableEntry>): string =>
  `\uFEFF${line(COLUMNS)}${entries.map((entry) => line(row(entry))).join("")}`

/** `GET {portal}/access-log.csv`: the entries that the page shows, the newest first. Never a coordinate: entries have none. */
export const download = Visitor.signedIn(({ account }) =>
  Effect.gen(function* () {
    const query = AccessLogQuery.read(yield* Form.query)
    const entries: Array<ReadableEntry> = []
    let cursor: string | undefined
    do {
      if (query.problems.length > 0) break
      const page = yield* listAccessLog(account.id, query.filter, PAGE, cursor)
      entries.push(...page.entries)
      cursor = page.nextCursor ?? undefined
    } while (cursor !== undefined && entries.length < MAX_ENTRIES)
    return HttpServerResponse.text(csv(entries), {
      status: query.problems.length > 0 ? 400 : 200,
      contentType: "text/csv; charset=utf-8",
      headers: { "content-disposition": 'attachment; filename="access-log.csv"' }
    })
  })
)
