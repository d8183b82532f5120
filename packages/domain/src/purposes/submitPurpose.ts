import { Effect, Either } from "effect"
import type { Account } from "../accounts/Account.js"
import { REVOKED } from "../apps/AppLife.js"
import { getOwnedApp } from "../apps/getOwnedApp.js"
import type { AppId, PurposeId } from "../shared/Ids.js"
import { Conflict } from "../shared/Invalid.js"
import { changeOwned } from "./changeOwned.js"
import * as PurposeLife from "./PurposeLife.js"

/** Hands a draft or rejected purpose in for review. `NotFound` for somebody else's, `Conflict` in any other state. */
export const submitPurpose = Effect.fn("submitPurpose")(function* (account: Account, appId: AppId, id: PurposeId) {
  const app = yield* getOwnedApp(account, appId)
  return yield* changeOwned(account, appId, id, (before, now) =>
    app.revokedAt === null ? PurposeLife.submit(before, now) : Either.left(new Conflict({ reason: REVOKED }))
  )
})
