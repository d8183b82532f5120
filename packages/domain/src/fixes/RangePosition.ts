import { Schema } from "effect"
import type { Page } from "../shared/Page.js"
import { Timestamp } from "../shared/Timestamp.js"

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

/** Makes a page of `limit` from up to `limit + 1` rows that were read from `position` on. */
export const page = <A extends { readonly capturedAt: Timestamp }>(
  rows: ReadonlyArray<A>,
  limit: number,
  position: RangePosition
): Page<A> => {
  const items = rows.slice(0, limit)
  const at = items.at(-1)?.capturedAt
  if (rows.length <= limit || at === undefined) return { items, next: undefined }
  const told = items.filter(({ capturedAt }) => capturedAt === at).length
  return { items, next: [at, at === position.from ? position.skip + told : told] }
}
