import { Effect, Either } from "effect"
import type { Account } from "../accounts/Account.js"
import type { AppId } from "../shared/Ids.js"
import * as App from "./App.js"
import { changeOwned } from "./changeOwned.js"

/** `NotFound` for somebody else's app; `Conflict` when scopes are added to an app that was reviewed. */
export const updateApp = Effect.fn("updateApp")(function* (account: Account, id: AppId, change: App.Edit) {
  const outcome = yield* changeOwned(account, id, (before) => {
    const edited = App.edit(before.app, change)
    return { outcome: edited, after: Either.isLeft(edited) ? null : { ...before, app: edited.right } }
  })
  return yield* outcome
})
