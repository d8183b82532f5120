import { Schema } from "effect"
import type { Page } from "../shared/Page.js"
import { Timestamp } from "../shared/Timestamp.js"
import * as Fix from "./Fix.js"

/**
 * Where a page of a range goes on: at an instant, past as many of its fixes as were told already. A position goes to an app inside
 * a cursor that it can read: an id of a device would let two apps find out that they have the same user.
 */
export interface RangePosition {
  readonly from: Timestamp
  readonly skip: number
}

const isPosition = Schema.is(Schema.Tuple(Timestamp, Schema.NonNegativeInt))

/** `after` came out of a cursor of ours; a page without one starts at `from`. */
export const start = (from: Timestamp, after: ReadonlyArray<string | number> | undefined): RangePosition =>
  isPosition(after) ? { from: after[0], skip: after[1] } : { from, skip: 0 }

/** How many fixes from the position's instant on a page of `limit` is made of, and whatever else there is of the last one's instant. */
export const needed = (limit: number, { skip }: RangePosition): number => skip + limit + 1

/** Makes a page of `limit` from at least `needed` fixes, in any order, or of all that there are. */
export const page = (
  fixes: ReadonlyArray<Fix.StoredFix>,
  limit: number,
  position: RangePosition
): Page<Fix.StoredFix> => {
  const rows = [...fixes].sort(Fix.oldestFirst).slice(position.skip)
  const items = rows.slice(0, limit)
  const at = items.at(-1)?.capturedAt
  if (rows.length <= limit || at === undefined) return { items, next: undefined }
  const told = items.filter(({ capturedAt }) => capturedAt === at).length
  return { items, next: [at, at === position.from ? position.skip + told : told] }
}
