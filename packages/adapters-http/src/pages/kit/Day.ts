import { LocalDays } from "@place-access/domain/fixes"
import { type Timestamp, TimeZone } from "@place-access/domain/shared"
import { Option } from "effect"
import { textsIn } from "../../languages/index.js"
import type { ShownProblem } from "./Fields.js"
import type * as Form from "./Form.js"

/** A range of time. `from` or `to` is undefined when the range has no bound on that side. */
interface Between {
  readonly from: Timestamp.Timestamp | undefined
  readonly to: Timestamp.Timestamp | undefined
}

/**
 * The range of the days `from` and `to` of a filter, both days included. The texts are days as `<input type="date">`
 * sends them, in the zone. A text that is no date becomes a problem. A last day before the first day becomes a problem
 * too: without the problem, the list would be empty, and the person would not know why.
 */
export const between = (
  query: Form.Form,
  problems: Array<ShownProblem>,
  zone: TimeZone.TimeZone = TimeZone.UTC
): Between => {
  const bound = (name: "from" | "to") => {
    const text = query.value(name)
    if (text === "") return undefined
    const at = LocalDays.dayOf(zone, text)
    if (Option.isNone(at)) problems.push({ field: name, message: textsIn("en").frame.messages.mustBeDate })
    return Option.getOrUndefined(at)
  }
  const [from, last] = [bound("from"), bound("to")]
  if (from !== undefined && last !== undefined && from.from >= last.until) {
    problems.push({ field: "to", message: textsIn("en").frame.messages.beforeFirstDay })
  }
  return { from: from?.from, to: last?.until }
}
