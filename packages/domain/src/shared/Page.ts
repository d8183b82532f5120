import { Effect } from "effect"
import { Invalid } from "./Errors.js"

/** The sort keys of the last item of a page. The next page begins after this item. */
export type PagePosition = ReadonlyArray<string | number>

/** A request for one page of a list. Without a cursor: the first page. */
export interface PageRequest {
  readonly limit: number
  readonly cursor: string | undefined
}

const MAX_LIMIT = 500

/** Fails with `Invalid` on `limit`, unless `limit` is a whole number from 1 to 500. */
export const checkLimit = (limit: number): Effect.Effect<void, Invalid> =>
  Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT
    ? Effect.void
    : Effect.fail(Invalid.of("limit", `must be a whole number from 1 to ${MAX_LIMIT}`))

/** A page of a list. `next` is the position of the last item; undefined on the last page. */
export interface Page<A> {
  readonly items: ReadonlyArray<A>
  readonly next: PagePosition | undefined
}

/**
 * Makes a page of at most `limit` items. `rows` are up to `limit + 1` rows: the last of `limit + 1` rows is not on the
 * page, but shows that there is a next page.
 */
export const of = <A>(rows: ReadonlyArray<A>, limit: number, position: (last: A) => PagePosition): Page<A> => {
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  return { items, next: rows.length > limit && last !== undefined ? position(last) : undefined }
}

/**
 * Whether an item comes after the position in a list with the newest first: its time is earlier, or it has the same
 * time and a smaller id. The first two entries of `position` are time and id. When `position` is undefined, the result
 * is true for every item.
 */
export const isOlder = (at: number, id: string, position: PagePosition | undefined): boolean =>
  position === undefined || at < Number(position[0]) || (at === position[0] && id < String(position[1]))
