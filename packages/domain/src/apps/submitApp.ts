import { Effect, Either } from "effect"
import type { Account } from "../accounts/Account.js"
import type { AppId } from "../shared/Ids.js"
import * as AppLife from "./AppLife.js"
import { changeOwned } from "./changeOwned.js"

/** Hands a sandbox app in for review (Spec §5.4). `NotFound` for somebody else's, `Conflict` in any other state. */
export const submitApp = Effect.fn("submitApp")(function* (account: Account, id: AppId) {
  const outcome = yield* changeOwned(account, id, (before, now) => {
    const submitted = AppLife.submit(before.app, now)
    return { outcome: submitted, after: Either.isLeft(submitted) ? null : { ...before, app: submitted.right } }
  })
  return yield* outcome
})
