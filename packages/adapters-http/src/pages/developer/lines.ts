import type { Html } from "../../html/Html.js"
import { texts } from "../../languages/index.js"
import { ofDomain } from "../kit/Time.js"

/** A line of a field that has an entry in each line, such as a redirect URI. */
export interface FieldLine {
  /** The number of the line in the field, from 1. Empty lines count, because the person sees them. */
  readonly number: number
  readonly text: string
}

/** The lines of a field that are not empty. */
export const linesOf = (field: string): ReadonlyArray<FieldLine> =>
  field
    .split(/\r?\n/)
    .map((line, index) => ({ number: index + 1, text: line.trim() }))
    .filter(({ text }) => text !== "")

/**
 * The message about one entry of a list, with the line number of the entry: the field `[2]` becomes `in line 3 …` when
 * no line before the entry is empty.
 */
export const inLine = (lines: ReadonlyArray<FieldLine>, field: string, message: string): Html => {
  const line = lines[Number(/^\[(\d+)\]$/.exec(field)?.[1])]
  return line === undefined ? ofDomain(message) : texts.developer.app.inLine(line.number, ofDomain(message))
}
