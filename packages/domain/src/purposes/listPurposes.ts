import { Effect } from "effect"
import type { Account } from "../accounts/Account.js"
import { getOwnedApp } from "../apps/getOwnedApp.js"
import type { AppId } from "../shared/Ids.js"
import { PurposeStore } from "./PurposeStore.js"

/** By key; archived ones included, because their keys stay taken. `NotFound` for somebody else's app. */
export const listPurposes = Effect.fn("listPurposes")(function* (account: Account, appId: AppId) {
  const app = yield* getOwnedApp(account, appId)
  return yield* (yield* PurposeStore).list(app.id)
})
