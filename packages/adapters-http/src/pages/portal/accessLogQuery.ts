import type { AccessLogFilter } from "@place-access/domain/access-log"
import { Purpose } from "@place-access/domain/purposes"
import { AppId, Timestamp } from "@place-access/domain/shared"
import { Option, Schema } from "effect"
import type { Problem } from "../../wire/Issues.js"
import type * as Form from "../kit/Form.js"

/** What the access log was asked for, on its page or as a file. */
export interface AccessLogQuery {
  /** As it stands in the address. */
  readonly shown: Readonly<Record<"app" | "purpose" | "from" | "to", string>>
  readonly filter: AccessLogFilter
  /** An app and a purpose of another app have nothing in common: there are no such entries. */
  readonly isApart: boolean
  readonly problems: ReadonlyArray<Problem>
}

/** A day as `<input type="date">` sends it, in UTC: its first instant. */
const day = (text: string): Option.Option<Timestamp.Timestamp> =>
  Schema.decodeOption(Timestamp.FromIso)(`${text}T00:00:00Z`)

/** Keys are an app's own, so the form names both: `{app id}/{key}`. */
const purposeOf = (text: string) => {
  const [app = "", key = ""] = text.split("/")
  return { appId: Schema.decodeOption(AppId)(app), key: Schema.decodeOption(Purpose.Key)(key) }
}

export const read = (query: Form.Form): AccessLogQuery => {
  const shown = {
    app: query.value("app"),
    purpose: query.value("purpose"),
    from: query.value("from"),
    to: query.value("to")
  }
  const problems: Array<Problem> = []
  const bound = (name: "from" | "to") => {
    if (shown[name] === "") return undefined
    const at = day(shown[name])
    if (Option.isNone(at)) problems.push({ field: name, message: "must be a date" })
    return Option.getOrUndefined(at)
  }
  const [first, last] = [bound("from"), bound("to")]
  const named = purposeOf(shown.purpose)
  return {
    shown,
    filter: {
      appId: Option.getOrUndefined(Option.orElse(Schema.decodeOption(AppId)(shown.app), () => named.appId)),
      purpose: Option.getOrUndefined(named.key),
      from: first,
      // The last day counts as a whole.
      to: last === undefined ? undefined : Timestamp.plus(last, Timestamp.DAY)
    },
    isApart: shown.purpose !== "" && shown.app !== "" && !shown.purpose.startsWith(`${shown.app}/`),
    problems
  }
}

/** The address of another page, or of the file, of the same entries. */
export const address = (
  path: string,
  { shown }: AccessLogQuery,
  more: Readonly<Record<string, string>> = {}
): string => {
  const given = Object.entries({ ...shown, ...more }).filter(([, value]) => value !== "")
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`
}
