import { Effect, Either } from "effect"
import type { Account } from "../accounts/Account.js"
import type { AppId } from "../shared/Ids.js"
import * as AppLife from "./AppLife.js"
import { changeOwned } from "./changeOwned.js"

/**
 * Takes back what of an app in production waits for a reviewer. `NotFound` for somebody else's app, `Conflict` when nothing waits or
 * the app is revoked.
 */
export const withdrawChange = Effect.fn("withdrawChange")(function* (account: Account, id: AppId) {
  const outcome = yield* changeOwned(account, id, (before) => {
    const withdrawn = AppLife.withdraw(before.app)
    return { outcome: withdrawn, after: Either.isLeft(withdrawn) ? null : { ...before, app: withdrawn.right } }
  })
  return yield* outcome
})
