import type { AccessLogQuery } from "@place-access/domain/access-log"
import { AppId, PurposeId } from "@place-access/domain/shared"
import { Option, Schema } from "effect"
import { texts } from "../../languages/index.js"
import * as Day from "../kit/Day.js"
import type { ShownProblem } from "../kit/Fields.js"
import type * as Form from "../kit/Form.js"
import type { Text } from "../../html/Html.js"
import type { Locale } from "../../html/Locale.js"

/** The filters of the access log, for its page and its file. */
export interface AccessLogPageQuery {
  /** The values of the filters, as they are in the address. */
  readonly shown: Readonly<Record<"app" | "purpose" | "from" | "to", string>>
  readonly filter: AccessLogQuery
  readonly problems: ReadonlyArray<ShownProblem>
}

/** Reads the filters from the query. Dates are days in `zone`, or in UTC when the zone is null. */
export const read = (query: Form.Form, { zone }: Pick<Locale, "zone">): AccessLogPageQuery => {
  const shown = {
    app: query.value("app"),
    purpose: query.value("purpose"),
    from: query.value("from"),
    to: query.value("to")
  }
  const problems: Array<ShownProblem> = []
  const chosen = <A>(name: "app" | "purpose", schema: Schema.Schema<A, string>): A | undefined => {
    if (shown[name] === "") return undefined
    const found = Schema.decodeOption(schema)(shown[name])
    if (Option.isNone(found)) problems.push({ field: name, message: texts.accessLog.notOfList })
    return Option.getOrUndefined(found)
  }
  return {
    shown,
    filter: {
      appId: chosen("app", AppId),
      purposeId: chosen("purpose", PurposeId),
      ...Day.between(query, problems, zone ?? undefined)
    },
    problems
  }
}

export interface FilterOption {
  readonly value: string
  readonly text: Text
}

/** The choices that the form offers for each filter, besides the choice "all". */
export type FilterOptions = Readonly<Record<"app" | "purpose", ReadonlyArray<FilterOption>>>

/**
 * Problems for filters whose value the form does not offer, such as an app that the user never connected. Without a
 * problem, the page would show "all apps" above an empty list.
 */
export const notOffered = (
  { problems, shown }: AccessLogPageQuery,
  options: FilterOptions
): ReadonlyArray<ShownProblem> =>
  (["app", "purpose"] as const)
    .filter((name) => shown[name] !== "" && !problems.some(({ field }) => field === name))
    .filter((name) => !options[name].some(({ value }) => value === shown[name]))
    .map((name) => ({ field: name, message: texts.accessLog.notOfList }))

/** The address of `path`, such as the access log's page or file, with the same filters as in the query. */
export const address = (
  path: string,
  { shown }: AccessLogPageQuery,
  more: Readonly<Record<string, string>> = {}
): string => {
  const given = Object.entries({ ...shown, ...more }).filter(([, value]) => value !== "")
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`
}
