import { Effect } from "effect"
import type { Account } from "../accounts/Account.js"
import { getOwnedApp } from "../apps/getOwnedApp.js"
import type { AppId } from "../shared/Ids.js"
import { EndpointStore } from "./EndpointStore.js"

/** Oldest first. Their secrets stay sealed. */
export const listEndpoints = Effect.fn("listEndpoints")(function* (account: Account, appId: AppId) {
  yield* getOwnedApp(account, appId)
  return yield* (yield* EndpointStore).list(appId)
})
