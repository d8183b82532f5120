import { Timestamp } from "@place-access/domain/shared"
import { Option, Schema } from "effect"
import type { Problem } from "../../wire/Issues.js"
import type * as Form from "./Form.js"

/** A day as `<input type="date">` sends it, in UTC: its first instant. */
const day = (text: string): Option.Option<Timestamp.Timestamp> =>
  Schema.decodeOption(Timestamp.FromIso)(`${text}T00:00:00Z`)

/** Left out: without an end on that side. */
interface Between {
  readonly from: Timestamp.Timestamp | undefined
  readonly to: Timestamp.Timestamp | undefined
}

/** The days `from` and `to` of a filter, both as a whole; what is no day becomes a problem. */
export const between = (query: Form.Form, problems: Array<Problem>): Between => {
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
