import { Effect, Either } from "effect"
import type { Account } from "../accounts/Account.js"
import type { AppId, PurposeId } from "../shared/Ids.js"
import { changeOwned } from "./changeOwned.js"
import * as PurposeLife from "./PurposeLife.js"

/** For a purpose that is no longer used: final, and its key stays taken (Spec §3.2, decision P1). Idempotent. */
export const archivePurpose = Effect.fn("archivePurpose")(function* (account: Account, appId: AppId, id: PurposeId) {
  return yield* changeOwned(account, appId, id, (before, now) => Either.right(PurposeLife.archive(before, now)))
})
