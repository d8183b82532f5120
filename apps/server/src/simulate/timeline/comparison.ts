import type { Simulation } from "@place-access/domain/testing"
import { DateTime } from "effect"
import { type Pair, pairsOf } from "./difference.js"
import { text } from "./read.js"

type Entry = Simulation.Entry

/** One of the two runs on the page: its entries, and its name on the page. */
export interface Compared {
  readonly name: string
  readonly entries: ReadonlyArray<Entry>
}

/** How many equal entries the page shows before and after a difference. The page folds all other equal entries. */
const AROUND = 3
/**
 * The most differing rows that the page shows. A reader needs the place where the runs begin to differ, and the rows
 * shortly after it.
 */
const MOST_ROWS = 2_000

/** Renders two runs side by side as a page, in one file that loads nothing and needs no script. */
export const comparisonOf = (left: Compared, right: Compared): string => {
  const pairs = pairsOf(left.entries, right.entries)
  const first = pairs.findIndex(isDifferent)
  const count = pairs.filter(isDifferent).length
  const verdict =
    first < 0
      ? "The two runs have the same entries."
      : `The runs part at ${placeOf(pairs[first])}. ${count} of ${pairs.length} rows differ.`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<link rel="icon" href="data:,">
<title>Two runs side by side</title>
<style>${STYLE}</style>
</head>
<body>
<h1>Two runs side by side</h1>
<p id="verdict">${verdict}${first < 0 ? "" : ' <a href="#first">Go there</a>'}</p>
<p>A row is one entry of the traces. Open it to read all of it. Numbers, times and ids may differ.</p>
<table>
<thead><tr><th>${escape(left.name)}: ${left.entries.length} entries</th><th>${escape(right.name)}: ${right.entries.length} entries</th></tr></thead>
<tbody>
${rows(pairs, first).join("\n")}
</tbody>
</table>
</body>
</html>
`
}

const isDifferent = ({ left, right }: Pair): boolean => left === undefined || right === undefined

const placeOf = (pair: Pair | undefined): string => {
  const entry = pair?.left ?? pair?.right
  return entry === undefined ? "the end" : `entry ${entry.i}, ${clockOf(entry)}`
}

const clockOf = ({ t }: Entry): string => DateTime.formatIso(DateTime.unsafeMake(t)).replace("T", " ").replace("Z", "")

const rows = (pairs: ReadonlyArray<Pair>, first: number): ReadonlyArray<string> => {
  const inSight = new Set<number>()
  let differing = 0
  for (const [n, pair] of pairs.entries()) {
    if (!isDifferent(pair) || ++differing > MOST_ROWS) continue
    for (let near = n - AROUND; near <= n + AROUND; near++) inSight.add(near)
  }
  const written: Array<string> = []
  let folded: Array<Pair> = []
  const fold = () => {
    if (folded.length > 0) written.push(foldedRow(folded))
    folded = []
  }
  for (const [n, pair] of pairs.entries()) {
    if (!inSight.has(n)) {
      folded.push(pair)
      continue
    }
    fold()
    const look = isDifferent(pair) ? ' class="other"' : ""
    written.push(`<tr${n === first ? ' id="first"' : ""}${look}>${cell(pair.left)}${cell(pair.right)}</tr>`)
  }
  fold()
  return written
}

const foldedRow = (pairs: ReadonlyArray<Pair>): string => {
  const differing = pairs.filter(isDifferent).length
  const words =
    differing > 0
      ? `${pairs.length} more entries, ${differing} of them in one run only`
      : `${pairs.length} equal entries`
  return `<tr class="folded"><td colspan="2">… ${words}</td></tr>`
}

const cell = (entry: Entry | undefined): string =>
  entry === undefined
    ? "<td></td>"
    : `<td><details><summary><span>${clockOf(entry).slice(5)}</span> ${escape(brief(entry))}</summary><pre>${escape(
        JSON.stringify(entry, null, 2)
      )}</pre></details></td>`

const brief = (entry: Entry): string => {
  switch (entry.kind) {
    case "begun":
      return `${entry.actor} begins ${entry.name === "call" ? entry.args.request.endpoint : entry.name}`
    case "done": {
      const { outcome } = entry
      if (outcome._tag !== "ok")
        return `${entry.name} ends: ${outcome._tag === "refused" ? outcome.error : outcome.because}`
      return `${entry.name} ends: ${entry.name === "call" ? (outcome.value as Simulation.Answered).status : "ok"}`
    }
    case "posted":
      return `POST ${text(entry.body["type"])} → ${entry.reply}`
    case "heard":
      return `listener: ${messageText(entry.message)}`
    case "port":
      return `${entry.proc} ${entry.port}.${entry.method}: ${entry.outcome}`
    case "mailed":
      return `mail: ${entry.subject}`
    case "fault":
      return `${entry.fault} ${entry.detail}`
    case "mark":
      return `mark: ${entry.mark}`
    case "leak":
      return `${entry.alias} leaked to ${entry.where}`
  }
}

/**
 * Describes a message of a stream in a few words: the type of an event, a number of lost events, or why the stream
 * ended.
 */
export const messageText = (message: Simulation.ReceivedMessage): string => {
  switch (message._tag) {
    case "Event":
      return text(message.body["type"])
    case "Dropped":
      return `${message.count} dropped`
    case "End":
      return `ended: ${message.reason}`
  }
}

const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }
const escape = (plain: string): string => plain.replace(/[&<>"]/g, (char) => ESCAPES[char] ?? "")

const STYLE = `
body { margin: 0 auto; max-width: 1400px; padding: 16px; font: 14px/1.4 system-ui, sans-serif; color: #1d2430; }
h1 { font-size: 18px; }
table { width: 100%; border-collapse: collapse; table-layout: fixed; }
th { text-align: left; position: sticky; top: 0; background: #fff; padding: 6px; border-bottom: 2px solid #8a95a5; }
td { vertical-align: top; padding: 2px 6px; border-bottom: 1px solid #d9dee6; overflow-wrap: anywhere; }
td + td, th + th { border-left: 1px solid #d9dee6; }
summary { cursor: pointer; }
summary span { color: #5b6675; font-variant-numeric: tabular-nums; }
.other td { background: #fff3d1; }
.other td:empty { background: repeating-linear-gradient(45deg, #f5f7fa 0 6px, #e8ebf0 6px 12px); }
.folded td { color: #5b6675; background: #f5f7fa; text-align: center; }
pre { margin: 4px 0; white-space: pre-wrap; font: 12px/1.45 ui-monospace, monospace; }
tr[id] { scroll-margin-top: 60px; }
`
