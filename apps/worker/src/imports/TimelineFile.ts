import type { Entry, FileReader, Import, Read } from "@place-access/domain/imports"
import { type StackElement, Tokenizer, TokenParser, TokenType } from "@streamparser/json"
import * as GoogleTimeline from "./GoogleTimeline.js"
import { isObject, type JsonValue } from "./Values.js"

/** The arrays that hold entries in each of Google's exports. Everything else in a file is skipped. */
const SECTIONS: Readonly<
  Record<string, readonly [Import.ImportFormat, (element: JsonValue) => ReadonlyArray<Entry.ImportEntry>]>
> = {
  semanticSegments: ["google_android", GoogleTimeline.segment],
  rawSignals: ["google_android", GoogleTimeline.rawSignal],
  locations: ["google_takeout", GoogleTimeline.record]
}
const SEGMENT_KEYS = ["visit", "activity", "timelinePath", "timelineMemory"]

/**
 * No export is nested deeper. Without a limit, every level of a file of nothing but brackets would cost memory, and
 * time at each value.
 */
const MAX_DEPTH = 64
/**
 * No export has a larger element, nor a larger gap between two elements. The parser holds this much in memory at once.
 */
const MAX_ELEMENT_BYTES = 1_048_576
/** The size of an element is checked after each slice of this size. */
const SLICE_BYTES = 65_536

/** `opening`: the first character of the file. */
export const open = (opening: "[" | "{"): FileReader => {
  let format: Import.ImportFormat | null = null
  let fault: Import.ImportFault | null = null
  let entries: Array<Entry.ImportEntry> = []
  let depth = 0
  let unread = 0

  const tokens = new Tokenizer()
  const values = new TokenParser({
    paths: opening === "[" ? ["$.*"] : Object.keys(SECTIONS).map((section) => `$.${section}.*`),
    keepStack: false
  })
  tokens.onToken = (token) => {
    if (token.token === TokenType.LEFT_BRACE || token.token === TokenType.LEFT_BRACKET) {
      if (++depth > MAX_DEPTH) throw new Error("nested too deep")
    } else if (token.token === TokenType.RIGHT_BRACE || token.token === TokenType.RIGHT_BRACKET) depth--
    values.write(token)
  }
  values.onValue = ({ stack, value }) => {
    unread = 0
    if (!isObject(value)) return
    const found = opening === "[" ? iosElement(value) : sectionOf(stack)
    if (found === undefined) return
    format ??= found[0]
    entries.push(...found[1](value))
  }

  const read = (work: () => void, otherwise: Import.ImportFault): Read => {
    try {
      if (fault === null) work()
    } catch {
      fault = format === null ? "not_ours" : otherwise
    }
    const read = { entries, fault }
    entries = []
    return read
  }

  return {
    format: () => format,
    push: (bytes) =>
      read(() => {
        for (let from = 0; from < bytes.length; from += SLICE_BYTES) {
          const slice = bytes.subarray(from, from + SLICE_BYTES)
          unread += slice.length
          tokens.write(slice)
          if (unread > MAX_ELEMENT_BYTES) throw new Error("an element that is too large")
        }
      }, "damaged"),
    end: () =>
      read(() => {
        tokens.end()
        if (!values.isEnded) values.end()
        if (format === null) fault = "not_ours"
      }, "cut_off")
  }
}

const iosElement = (element: JsonValue) =>
  SEGMENT_KEYS.some((key) => key in element) ? (["google_ios", GoogleTimeline.segment] as const) : undefined

const sectionOf = (stack: ReadonlyArray<StackElement>) => SECTIONS[String(stack[1]?.key)]
