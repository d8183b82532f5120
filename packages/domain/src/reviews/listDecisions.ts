import { Effect, Option } from "effect"
import type { Account } from "../accounts/Account.js"
import { findAccounts } from "../accounts/findAccounts.js"
import { AppStore } from "../apps/AppStore.js"
import * as Cursor from "../shared/Cursor.js"
import type { AppId } from "../shared/Ids.js"
import { NotFound } from "../shared/Invalid.js"
import { ReviewStore } from "./ReviewStore.js"
import * as Staff from "./Staff.js"

/**
 * Every decision about the app and its purposes, newest first, with the name of who decided (decision P2). For reviewers and
 * admins: `Forbidden` for others, `NotFound` for an unknown app.
 */
export const listDecisions = Effect.fn("listDecisions")(function* (
  account: Account,
  appId: AppId,
  page: { readonly limit: number; readonly cursor: string | undefined }
) {
  yield* Staff.requireReviewer(account)
  if (Option.isNone(yield* (yield* AppStore).find(appId))) return yield* new NotFound({ what: "app" })
  const query = `decisions about ${appId}`
  const after = page.cursor === undefined ? undefined : yield* Cursor.open(page.cursor, query)
  const { items, next } = yield* (yield* ReviewStore).decisions(appId, page.limit, after)
  const people = yield* findAccounts(items.map(({ by }) => by))
  return {
    decisions: items.map((decision) => ({ ...decision, byName: people.get(decision.by)?.displayName ?? decision.by })),
    nextCursor: next === undefined ? null : yield* Cursor.seal(next, query)
  }
})
