import { Schema } from "effect"
import type { Page, PagePosition } from "../shared/Page.js"
import { Timestamp } from "../shared/Timestamp.js"
import * as Fix from "./Fix.js"

/**
 * Where the next page of a range begins: at an instant, after the fixes of that instant that earlier pages contained.
 * The position counts fixes and has no device id: apps can read the position in their cursor, and by a device id two
 * apps could find out that they have the same user.
 */
export interface RangePosition {
  readonly from: Timestamp
  readonly skip: number
  /** How many fixes the instant had when the page ended among them; null when the page had the last of them. */
  readonly of: number | null
}

const Count = Schema.NonNegativeInt
/** The third number is `RangePosition.of`. Cursors of earlier versions lack it, too. */
const isPosition = Schema.is(Schema.Tuple(Timestamp, Count, Schema.optionalElement(Count)))

/** The position at which a page starts: the first page at `from`, every other page at the position in its cursor. */
export const start = (from: Timestamp, after: PagePosition | undefined): RangePosition =>
  isPosition(after) ? { from: after[0], skip: after[1], of: after[2] ?? null } : { from, skip: 0, of: null }

/**
 * How many fixes the store must read for a page, from the position's instant on. The store adds all other fixes that
 * were captured at the same instant as the last of these fixes.
 */
export const needed = (limit: number, { skip }: RangePosition): number => skip + limit + 1

/**
 * Makes a page of `limit` fixes. `fixes`: the fixes from `position.from` on, in any order, at least `needed` of them or
 * all that exist.
 */
export const page = (
  fixes: ReadonlyArray<Fix.StoredFix>,
  limit: number,
  position: RangePosition
): Page<Fix.StoredFix> => {
  const all = [...fixes].sort(Fix.oldestFirst)
  const rows = all.slice(skipped(all, position))
  const items = rows.slice(0, limit)
  const at = items.at(-1)?.capturedAt
  if (rows.length <= limit || at === undefined) return { items, next: undefined }
  // `items` begin after the skipped fixes of the position's instant, so the last item's place among all fixes says how
  // many fixes of its instant the pages so far contain.
  const ended = all.length - rows.length + items.length
  const begun = all.findIndex(({ capturedAt }) => capturedAt === at)
  const of = all.filter(({ capturedAt }) => capturedAt === at).length
  return { items, next: ended - begun === of ? [at, of] : [at, ended - begun, of] }
}

/**
 * How many fixes of the position's instant the page leaves out. Some of these fixes may have been deleted since the
 * page before. It is unknown which, so for each deleted fix one fix fewer is left out: the page may repeat a fix, and
 * lacks none.
 */
const skipped = (all: ReadonlyArray<Fix.StoredFix>, { from, of, skip }: RangePosition): number => {
  const present = all.filter(({ capturedAt }) => capturedAt === from).length
  const deleted = of === null ? 0 : Math.max(0, of - present)
  return Math.min(present, Math.max(0, skip - deleted))
}
