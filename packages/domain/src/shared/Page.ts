/** A page of a list that can grow. `next` is the position after the last item, absent on the last page. */
export interface Page<A> {
  readonly items: ReadonlyArray<A>
  readonly next: ReadonlyArray<string | number> | undefined
}

/** Makes a page of `limit` from up to `limit + 1` rows. */
export const of = <A>(
  rows: ReadonlyArray<A>,
  limit: number,
  position: (last: A) => ReadonlyArray<string | number>
): Page<A> => {
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  return { items, next: rows.length > limit && last !== undefined ? position(last) : undefined }
}
