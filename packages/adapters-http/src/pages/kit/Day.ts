import { Timestamp } from "@place-access/domain/shared"
import { Option, Schema } from "effect"
import type { FieldProblem } from "../../wire/Issues.js"
import type * as Form from "./Form.js"

/** The first instant of a day, in UTC. The text is a day as `<input type="date">` sends it. */
const day = (text: string): Option.Option<Timestamp.Timestamp> =>
  Schema.decodeOption(Timestamp.FromIso)(`${text}T00:00:00Z`)

/** A bound that is left out is open. */
interface Between {
  readonly from: Timestamp.Timestamp | undefined
  readonly to: Timestamp.Timestamp | undefined
}

/** The range of the days `from` and `to` of a filter, both days included. A text that is no date becomes a problem. */
export const between = (query: Form.Form, problems: Array<FieldProblem>): Between => {
  const bound = (name: "from" | "to") => {
    const text = query.value(name)
    if (text === "") return undefined
    const at = day(text)
    if (Option.isNone(at)) problems.push({ field: name, message: "must be a date" })
    return Option.getOrUndefined(at)
  }
  const [from, last] = [bound("from"), bound("to")]
  return { from, to: last === undefined ? undefined : Timestamp.plus(last, Timestamp.DAY) }
}
