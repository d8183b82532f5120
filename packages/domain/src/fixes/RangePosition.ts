import { Schema } from "effect"
import type { Page, PagePosition } from "../shared/Page.js"
import { Timestamp } from "../shared/Timestamp.js"
import * as Fix from "./Fix.js"

/**
 * Where the next page of a range begins: at an instant, after the fixes of that instant that earlier pages contained.
 * The position counts fixes and has no device id: apps can read the position in their cursor, and with a device id in
 * it, two apps could find out that they have the same user.
 */
export interface RangePosition {
  readonly from: Timestamp
  readonly skip: number
}

const isPosition = Schema.is(Schema.Tuple(Timestamp, Schema.NonNegativeInt))

/** The position at which a page starts: the first page at `from`, every other page at the position in its cursor. */
export const start = (from: Timestamp, after: PagePosition | undefined): RangePosition =>
  isPosition(after) ? { from: after[0], skip: after[1] } : { from, skip: 0 }

/**
 * How many fixes the store must read for a page, from the position's instant on. The store adds all other fixes that
 * were captured at the same instant as the last of these fixes.
 */
export const needed = (limit: number, { skip }: RangePosition): number => skip + limit + 1

/**
 * Makes a page of at most `limit` fixes. `fixes`: the fixes from `position.from` on, in any order, at least `needed` of
 * them or all that exist.
 */
export const page = (
  fixes: ReadonlyArray<Fix.StoredFix>,
  limit: number,
  position: RangePosition
): Page<Fix.StoredFix> => {
  const all = [...fixes].sort(Fix.oldestFirst)
  // Fixes of the position's instant may have been deleted after the previous page was read. Then at most the remaining
  // fixes of the instant are skipped, because a fix of a later instant was on no page.
  const atInstant = all.filter(({ capturedAt }) => capturedAt === position.from).length
  const rows = all.slice(Math.min(position.skip, atInstant))
  const items = rows.slice(0, limit)
  const at = items.at(-1)?.capturedAt
  if (rows.length <= limit || at === undefined) return { items, next: undefined }
  const shown = items.filter(({ capturedAt }) => capturedAt === at).length
  return { items, next: [at, at === position.from ? position.skip + shown : shown] }
}
