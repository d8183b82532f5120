import { HttpServerResponse } from "@effect/platform"
import { listAccessLog, type ReadableEntry } from "@place-access/domain/access-log"
import { translate } from "@place-access/domain/languages"
import { type Language, Timestamp, Words } from "@place-access/domain/shared"
import { Effect } from "effect"
import * as EntryWords from "../../access-log/EntryWords.js"
import { textsIn } from "../../languages/index.js"
import * as Form from "../kit/Form.js"
import * as Visitor from "../kit/Visitor.js"
import * as AccessLogQuery from "./accessLogQuery.js"

/**
 * One file has at most this number of entries. Spreadsheet programs open a file of this size without trouble. To get
 * older entries, the user chooses other dates.
 */
export const MAX_ENTRIES = 10_000
const PAGE = 500

const row = (entry: ReadableEntry, language: Language.Language): ReadonlyArray<string> => [
  Timestamp.toIso(entry.at),
  entry.appName,
  entry.endpoint,
  translate(EntryWords.deed(entry.endpoint) ?? "", language),
  entry.purpose?.description ?? "",
  translate(EntryWords.outcomeText(entry.error), language),
  entry.error ?? "ok",
  Words.inZone(translate(entry.disclosed ?? "", language), null, language),
  String(entry.times)
]

/**
 * One cell of the file. Strangers choose the names of apps and areas, and a spreadsheet program could run such a text
 * as a formula (CSV injection). A text that looks like a formula gets an apostrophe in front. This includes a text with
 * blanks before the formula, because some programs remove the blanks.
 */
export const cell = (text: string): string => `"${(FORMULA.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`

// Some spreadsheet programs, for example with Japanese settings, read the full-width and the small forms of = + - @
// (the last eight characters) as these signs.
const FORMULA = /^\s*[=+\-@\t\r\n|%\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b]/

const line = (cells: ReadonlyArray<string>): string => `${cells.map(cell).join(",")}\r\n`

/**
 * The file in the format of RFC 4180. The file starts with a byte order mark: without the mark, spreadsheet programs do
 * not recognise UTF-8.
 */
const csv = (entries: ReadonlyArray<ReadableEntry>, language: Language.Language): string =>
  `\uFEFF${line(textsIn(language).accessLog.file)}${entries.map((entry) => line(row(entry, language))).join("")}`

/**
 * `GET {portal}/access-log.csv`: the entries that match the filters of the page, the newest first, at most
 * `MAX_ENTRIES`. No entry contains coordinates.
 */
export const download = Visitor.signedIn((visitor) =>
  Effect.gen(function* () {
    const locale = yield* Visitor.locale(visitor)
    const query = AccessLogQuery.read(yield* Form.query, locale)
    const entries: Array<ReadableEntry> = []
    let cursor: string | undefined
    do {
      if (query.problems.length > 0) break
      const page = yield* listAccessLog(visitor.account.id, query.filter, PAGE, cursor)
      entries.push(...page.entries)
      cursor = page.nextCursor ?? undefined
    } while (cursor !== undefined && entries.length < MAX_ENTRIES)
    return HttpServerResponse.text(csv(entries, locale.language), {
      status: query.problems.length > 0 ? 400 : 200,
      contentType: "text/csv; charset=utf-8",
      headers: { "content-disposition": 'attachment; filename="access-log.csv"' }
    })
  })
)
