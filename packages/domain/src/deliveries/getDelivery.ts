import { Effect } from "effect"
import type { Account } from "../accounts/Account.js"
import { getOwnedApp } from "../apps/getOwnedApp.js"
import type { AppId, DeliveryId } from "../shared/Ids.js"
import { NotFound } from "../shared/Invalid.js"
import { DeliveryStore } from "./DeliveryStore.js"

/** A row of the log with all its attempts, oldest first. `NotFound` for what is not the account's. */
export const getDelivery = Effect.fn("getDelivery")(function* (account: Account, appId: AppId, id: DeliveryId) {
  yield* getOwnedApp(account, appId)
  const found = yield* (yield* DeliveryStore).find(appId, id)
  return yield* Effect.mapError(found, () => new NotFound({ what: "delivery" }))
})
