import type { AccessLogQuery as Query } from "@place-access/domain/access-log"
import { AppId, PurposeId } from "@place-access/domain/shared"
import { Option, Schema } from "effect"
import type { FieldProblem } from "../../wire/Issues.js"
import * as Day from "../kit/Day.js"
import type * as Form from "../kit/Form.js"
import type { Locale } from "../../html/Locale.js"

/** The filters of the access log, for its page and its file. */
export interface AccessLogQuery {
  /** The filters as the address has them. */
  readonly shown: Readonly<Record<"app" | "purpose" | "from" | "to", string>>
  readonly filter: Query
  readonly problems: ReadonlyArray<FieldProblem>
}

/** Reads the filters from the query. Dates are days in `zone`, or in UTC when the zone is null. */
export const read = (query: Form.Form, { zone }: Pick<Locale, "zone">): AccessLogQuery => {
  const shown = {
    app: query.value("app"),
    purpose: query.value("purpose"),
    from: query.value("from"),
    to: query.value("to")
  }
  const problems: Array<FieldProblem> = []
  return {
    shown,
    filter: {
      appId: Option.getOrUndefined(Schema.decodeOption(AppId)(shown.app)),
      purposeId: Option.getOrUndefined(Schema.decodeOption(PurposeId)(shown.purpose)),
      ...Day.between(query, problems, zone ?? undefined)
    },
    problems
  }
}

/** The address of another page of the same entries, or of their file. */
export const address = (
  path: string,
  { shown }: AccessLogQuery,
  more: Readonly<Record<string, string>> = {}
): string => {
  const given = Object.entries({ ...shown, ...more }).filter(([, value]) => value !== "")
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`
}
