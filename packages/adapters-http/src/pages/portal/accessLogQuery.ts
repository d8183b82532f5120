import type { AccessLogFilter } from "@place-access/domain/access-log"
import { Purpose } from "@place-access/domain/purposes"
import { AppId } from "@place-access/domain/shared"
import { Option, Schema } from "effect"
import type { Problem } from "../../wire/Issues.js"
import * as Day from "../kit/Day.js"
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
  const named = purposeOf(shown.purpose)
  return {
    shown,
    filter: {
      appId: Option.getOrUndefined(Option.orElse(Schema.decodeOption(AppId)(shown.app), () => named.appId)),
      purpose: Option.getOrUndefined(named.key),
      ...Day.between(query, problems)
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
