import { HttpServerResponse } from "@effect/platform"
import { listAccessLog, type ReadableEntry } from "@place-access/domain/access-log"
import { Timestamp } from "@place-access/domain/shared"
import { Effect } from "effect"
import * as EntryWords from "../../access-log/EntryWords.js"
import * as Form from "../kit/Form.js"
import * as Visitor from "../kit/Visitor.js"
import * as AccessLogQuery from "./accessLogQuery.js"

/**
 * The most entries of one file, which a spreadsheet opens without trouble. For the rest, the user chooses narrower
 * dates.
 */
export const MAX_ENTRIES = 10_000
const PAGE = 500

const COLUMNS = [
  "Time (UTC)",
  "App",
  "Request",
  "What it did",
  "Purpose",
  "Outcome",
  "Code",
  "What it learned",
  "Times"
]

const row = (entry: ReadableEntry): ReadonlyArray<string> => [
  Timestamp.toIso(entry.at),
  entry.appName,
  entry.endpoint,
  EntryWords.deed(entry.endpoint) ?? "",
  entry.purpose?.description ?? "",
  EntryWords.outcomeText(entry.error),
  entry.error ?? "ok",
  entry.disclosed ?? "",
  String(entry.times)
]

/**
 * One cell of the file. Names of apps and areas are strangers' texts, and a spreadsheet could run them as formulas (CSV
 * injection). Such a text gets an apostrophe in front, also if blanks precede the formula, because some spreadsheets
 * trim them.
 */
export const cell = (text: string): string =>
  `"${(/^\s*[=+\-@\t\r\n|%]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`

const line = (cells: ReadonlyArray<string>): string => `${cells.map(cell).join(",")}\r\n`

/**
 * The file, by RFC 4180. It starts with a byte order mark, because spreadsheets take UTF-8 without one for another
 * encoding.
 */
const csv = (entries: ReadonlyArray<ReadableEntry>): string =>
  `\uFEFF${line(COLUMNS)}${entries.map((entry) => line(row(entry))).join("")}`

/**
 * `GET {portal}/access-log.csv`: the entries that the page shows, the newest first. The entries contain no coordinates.
 */
export const download = Visitor.signedIn((visitor) =>
  Effect.gen(function* () {
    const query = AccessLogQuery.read(yield* Form.query, yield* Visitor.clock(visitor))
    const entries: Array<ReadableEntry> = []
    let cursor: string | undefined
    do {
      if (query.problems.length > 0) break
      const page = yield* listAccessLog(visitor.account.id, query.filter, PAGE, cursor)
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
