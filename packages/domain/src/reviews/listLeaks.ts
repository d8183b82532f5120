import { Effect } from "effect"
import type { Account } from "../accounts/Account.js"
import { nameApps } from "../apps/nameApps.js"
import * as Cursor from "../shared/Cursor.js"
import { type Leaked, ReviewStore } from "./ReviewStore.js"
import * as Staff from "./Staff.js"

/** With what people know the app by. */
export interface ReadableLeak extends Leaked {
  readonly appName: string
}

/**
 * Connections of which a spent refresh token or an exchanged code was presented again, newest first. For reviewers and admins:
 * `Forbidden` for others. Several of one app mean that the app, and not one person's phone, leaks its tokens.
 */
export const listLeaks = Effect.fn("listLeaks")(function* (
  account: Account,
  page: { readonly limit: number; readonly cursor: string | undefined }
) {
  yield* Staff.requireReviewer(account)
  const after = page.cursor === undefined ? undefined : yield* Cursor.open(page.cursor, "leaks")
  const { items, next } = yield* (yield* ReviewStore).leaks(page.limit, after)
  const names = yield* nameApps(items.map(({ appId }) => appId))
  return {
    leaks: items.map((leak): ReadableLeak => ({ ...leak, appName: names.get(leak.appId) ?? leak.appId })),
    nextCursor: next === undefined ? null : yield* Cursor.seal(next, "leaks")
  }
})
