import type { Request } from "../../../Operations.js"
import type { Run } from "../../../Oracle.js"
import { type AnsweredCall, answeredTo, listOf, recordOf } from "../Answers.js"
import { textOf, timeOf } from "../trace/Happened.js"

/**
 * Joins the pages of visits that an app read one after the other, by their cursors. The joined pages are called a walk.
 */

export interface WalkReport {
  readonly arrival: number | undefined
  readonly departure: number | undefined
  readonly placeId: string | undefined
  readonly raw: Readonly<Record<string, unknown>>
  readonly page: Page
}

export type Page = AnsweredCall<Extract<Request, { readonly endpoint: "GET /v1/visits" }>>

export interface Walk {
  readonly pages: ReadonlyArray<Page>
  readonly visits: ReadonlyArray<WalkReport>
  /** Whether `pages` are complete: they begin with the newest visit, and the last of them has no next page. */
  readonly isWhole: boolean
}

export const pagesOf = (run: Run): ReadonlyArray<Page> =>
  answeredTo(run, "GET /v1/visits").filter(({ status }) => status === 200)

export const visitsOf = (page: Page): ReadonlyArray<WalkReport> =>
  listOf(page.body["visits"]).map((raw) => ({
    arrival: timeOf(raw["arrival"]),
    departure: timeOf(raw["departure"]),
    placeId: textOf(recordOf(raw["place"])?.["id"]),
    raw,
    page
  }))

export const walksOf = (run: Run): ReadonlyArray<Walk> => {
  const open = new Map<string, Array<Page>>()
  const all: Array<ReadonlyArray<Page>> = []
  for (const page of pagesOf(run)) {
    const { connectionId, request } = page
    const key = (cursor: string | null) => JSON.stringify([connectionId, request.from, request.to, cursor])
    const before = request.cursor === null ? [] : open.get(key(request.cursor))
    // No earlier page in the trace returned the cursor of this page, so this page belongs to no walk.
    if (before === undefined) continue
    const pages = [...before, page]
    const next = textOf(page.body["nextCursor"])
    if (next === undefined) all.push(pages)
    else open.set(key(next), pages)
  }
  const whole = new Set(all)
  return [...whole, ...[...open.values()].filter((pages) => pages.length > 0)].map((pages) => ({
    pages,
    visits: pages.flatMap(visitsOf),
    isWhole: whole.has(pages)
  }))
}
