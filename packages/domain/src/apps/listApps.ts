import { Effect } from "effect"
import type { Account } from "../accounts/Account.js"
import * as Cursor from "../shared/Cursor.js"
import { AppStore } from "./AppStore.js"

/** The account's own apps, oldest first. `Invalid` for a cursor that is not this list's. */
export const listApps = Effect.fn("listApps")(function* (
  account: Account,
  page: { readonly limit: number; readonly cursor: string | undefined }
) {
  const apps = yield* AppStore
  const query = `apps of ${account.id}`
  const after = page.cursor === undefined ? undefined : yield* Cursor.open(page.cursor, query)
  const { items, next } = yield* apps.listOwnedBy(account.id, page.limit, after)
  return { apps: items, nextCursor: next === undefined ? null : yield* Cursor.seal(next, query) }
})
