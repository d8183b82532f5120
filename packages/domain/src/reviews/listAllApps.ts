import { Effect } from "effect"
import type { Account } from "../accounts/Account.js"
import { findAccounts } from "../accounts/findAccounts.js"
import { AppStore } from "../apps/AppStore.js"
import * as Cursor from "../shared/Cursor.js"
import type { DevelopedApp } from "./Developer.js"
import * as Staff from "./Staff.js"

const QUERY = "everybody's apps"

/** Everybody's apps, newest first, for reviewers and admins (`Forbidden` for others). */
export const listAllApps = Effect.fn("listAllApps")(function* (
  account: Account,
  page: { readonly limit: number; readonly cursor: string | undefined }
) {
  yield* Staff.requireReviewer(account)
  const after = page.cursor === undefined ? undefined : yield* Cursor.open(page.cursor, QUERY)
  const { items, next } = yield* (yield* AppStore).list(page.limit, after)
  const owners = yield* findAccounts(items.map(({ ownerId }) => ownerId))
  return {
    apps: items.flatMap((app): ReadonlyArray<DevelopedApp> => {
      const developer = owners.get(app.ownerId)
      return developer === undefined ? [] : [{ app, developer }]
    }),
    nextCursor: next === undefined ? null : yield* Cursor.seal(next, QUERY)
  }
})
