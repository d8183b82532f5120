import { Effect, Option } from "effect"
import type { Account } from "../accounts/Account.js"
import type { AppId } from "../shared/Ids.js"
import { NotFound } from "../shared/Invalid.js"
import { AppStore } from "./AppStore.js"

/** `NotFound` for somebody else's app as for one that does not exist. Every route under an app's id begins here. */
export const getOwnedApp = Effect.fn("getOwnedApp")(function* (account: Account, id: AppId) {
  const apps = yield* AppStore
  const app = Option.filter(yield* apps.find(id), ({ ownerId }) => ownerId === account.id)
  return yield* Effect.mapError(app, () => new NotFound({ what: "app" }))
})
