import { Effect } from "effect"
import type { Account } from "../accounts/Account.js"
import { findAccounts } from "../accounts/findAccounts.js"
import * as Cursor from "../shared/Cursor.js"
import type { DevelopedApp } from "./Developer.js"
import { ReviewStore, type Waiting } from "./ReviewStore.js"
import * as Staff from "./Staff.js"

/** What waits, with whose it is. */
export interface Review extends Waiting, DevelopedApp {}

const QUERY = "reviews"

/** Purposes and apps in review, longest waiting first, for reviewers and admins (`Forbidden` for others). */
export const listReviews = Effect.fn("listReviews")(function* (
  account: Account,
  page: { readonly limit: number; readonly cursor: string | undefined }
) {
  yield* Staff.requireReviewer(account)
  const after = page.cursor === undefined ? undefined : yield* Cursor.open(page.cursor, QUERY)
  const { items, next } = yield* (yield* ReviewStore).queue(page.limit, after)
  const owners = yield* findAccounts(items.map(({ app }) => app.ownerId))
  return {
    reviews: items.flatMap((waiting): ReadonlyArray<Review> => {
      const developer = owners.get(waiting.app.ownerId)
      return developer === undefined ? [] : [{ ...waiting, developer }]
    }),
    nextCursor: next === undefined ? null : yield* Cursor.seal(next, QUERY)
  }
})
