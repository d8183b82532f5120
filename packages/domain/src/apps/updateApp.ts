import { Effect, Either } from "effect"
import type { Account } from "../accounts/Account.js"
import type { AppId } from "../shared/Ids.js"
import * as AppLife from "./AppLife.js"
import { changeOwned } from "./changeOwned.js"

/**
 * Changes what the developer says of the app, at once or after a review (`AppLife.edit`). `NotFound` for somebody else's app;
 * `Conflict` when it is revoked, or when scopes are added to an app in review.
 */
export const updateApp = Effect.fn("updateApp")(function* (account: Account, id: AppId, change: AppLife.Edit) {
  const outcome = yield* changeOwned(account, id, (before, now) => {
    const edited = AppLife.edit(before.app, change, now)
    return { outcome: edited, after: Either.isLeft(edited) ? null : { ...before, app: edited.right } }
  })
  return yield* outcome
})
