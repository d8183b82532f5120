import { Effect } from "effect"
import type { Account } from "../accounts/Account.js"
import { getOwnedApp } from "../apps/getOwnedApp.js"
import type { AppId, EndpointId } from "../shared/Ids.js"
import { NotFound } from "../shared/Invalid.js"
import { EndpointStore } from "./EndpointStore.js"

/** Its waiting deliveries end as failed. `NotFound` for what is not the account's, and the second time. */
export const removeEndpoint = Effect.fn("removeEndpoint")(function* (account: Account, appId: AppId, id: EndpointId) {
  yield* getOwnedApp(account, appId)
  if (!(yield* (yield* EndpointStore).remove(appId, id))) return yield* new NotFound({ what: "endpoint" })
})
