import { Effect } from "effect"
import type { Account } from "../accounts/Account.js"
import { getOwnedApp } from "../apps/getOwnedApp.js"
import * as Cursor from "../shared/Cursor.js"
import type { AppId } from "../shared/Ids.js"
import * as Timestamp from "../shared/Timestamp.js"
import { ConnectionStore } from "./ConnectionStore.js"
import * as ConnectionView from "./ConnectionView.js"

/**
 * Who connected the account's own app, newest first, ended connections included. `NotFound` for somebody else's app, `Invalid` for a
 * cursor that is not this list's.
 */
export const listAppUsers = Effect.fn("listAppUsers")(function* (
  account: Account,
  appId: AppId,
  page: { readonly limit: number; readonly cursor: string | undefined }
) {
  const app = yield* getOwnedApp(account, appId)
  const query = `users of ${app.id}`
  const after = page.cursor === undefined ? undefined : yield* Cursor.open(page.cursor, query)
  const { items, next } = yield* (yield* ConnectionStore).listOfApp(app.id, page.limit, after)
  const now = yield* Timestamp.now
  return {
    users: items.map((connection) => ConnectionView.forDeveloper({ app, connection }, now)),
    nextCursor: next === undefined ? null : yield* Cursor.seal(next, query)
  }
})
