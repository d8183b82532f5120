import type { AccessLogQuery as Query } from "@place-access/domain/access-log"
import { AppId, PurposeId } from "@place-access/domain/shared"
import { Option, Schema } from "effect"
import type { Problem } from "../../wire/Issues.js"
import * as Day from "../kit/Day.js"
import type * as Form from "../kit/Form.js"

/** What the access log was asked for, on its page or as a file. */
export interface AccessLogQuery {
  /** As it stands in the address. */
  readonly shown: Readonly<Record<"app" | "purpose" | "from" | "to", string>>
  readonly filter: Query
  readonly problems: ReadonlyArray<Problem>
}

export const read = (query: Form.Form): AccessLogQuery => {
  const shown = {
    app: query.value("app"),
    purpose: query.value("purpose"),
    from: query.value("from"),
    to: query.value("to")
  }
  const problems: Array<Problem> = []
  return {
    shown,
    filter: {
      appId: Option.getOrUndefined(Schema.decodeOption(AppId)(shown.app)),
      purposeId: Option.getOrUndefined(Schema.decodeOption(PurposeId)(shown.purpose)),
      ...Day.between(query, problems)
    },
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
