import { Cause, HashMap, Inspectable, Logger, type LogLevel } from "effect"
import { formatWithOptions } from "node:util"

/**
 * The log for people: one line with the time, the level and the message, and below it the cause and the annotations.
 * The pretty logger of Effect also prints the id of the fiber, which does not help an operator.
 */
export const to = (stream: NodeJS.WriteStream): Logger.Logger<unknown, string> =>
  Logger.make(({ annotations, cause, date, logLevel, message }) => {
    const colors = stream.isTTY && stream.hasColors()
    const styled = (style: string, text: string): string => (colors ? `\u001b[${style}m${text}\u001b[0m` : text)
    const shown = (value: unknown): string => formatWithOptions({ colors }, Inspectable.redact(value))
    const [first = "", ...others] = [message].flat()
    const [title, values] = typeof first === "string" ? [first, others] : ["", [first, ...others]]
    const below = [
      ...(Cause.isEmpty(cause) ? [] : [Cause.pretty(cause, { renderErrorCause: true })]),
      ...values.map(shown),
      ...Array.from(HashMap.toEntries(annotations), ([name, value]) => `${styled(BOLD, `${name}:`)} ${shown(value)}`)
    ]
    const head = `[${timeOf(date)}] ${styled(STYLES[logLevel._tag], logLevel.label)}: ${styled(TITLE, title)}`
    return [head, ...below.map(indented)].join("\n")
  })

/** The parameters of the terminal's control sequence for styles (ECMA-48, SGR). */
const BOLD = "1"
const TITLE = "1;36"
const STYLES: Record<LogLevel.LogLevel["_tag"], string> = {
  None: "37",
  All: "37",
  Trace: "90",
  Debug: "34",
  Info: "32",
  Warning: "33",
  Error: "31",
  Fatal: "30;41"
}

const two = (value: number): string => String(value).padStart(2, "0")

const timeOf = (date: Date): string =>
  `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${String(date.getMilliseconds()).padStart(3, "0")}`

const indented = (text: string): string => text.replace(/^/gm, "  ")
