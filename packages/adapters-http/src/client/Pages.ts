import { PlaceAccessError } from "./Failure.js"

/** A list that the service returns in pages. `for await (const item of pages)` reads all items, one page at a time. */
export interface Pages<Item, Page> extends AsyncIterable<Item> {
  /** One page: the first page, or the page at `cursor`. */
  readonly page: (cursor?: string) => Promise<Page>
  /** All pages, one after the other, for callers who also need the fields that a page has beside its items. */
  readonly pages: () => AsyncIterable<Page>
}

interface Paged {
  readonly nextCursor: string | null
}

export const pagesOf = <Page extends Paged, Item>(
  read: (cursor: string | undefined) => Promise<Page>,
  itemsOf: (page: Page) => ReadonlyArray<Item>
): Pages<Item, Page> => {
  async function* pages(): AsyncGenerator<Page, void, void> {
    let cursor: string | undefined
    do {
      const page = await read(cursor)
      yield page
      const next = page.nextCursor ?? undefined
      if (next !== undefined && next === cursor) {
        throw new PlaceAccessError({ code: "unexpected_answer", message: "A page leads to itself." })
      }
      cursor = next
    } while (cursor !== undefined)
  }
  return {
    page: read,
    pages,
    async *[Symbol.asyncIterator]() {
      for await (const page of pages()) yield* itemsOf(page)
    }
  }
}
