import { Effect } from "effect"
import type { Account } from "../accounts/Account.js"
import { AccountStore } from "../accounts/AccountStore.js"
import { AppStore } from "../apps/AppStore.js"
import type { Purpose } from "../purposes/Purpose.js"
import { PurposeStore } from "../purposes/PurposeStore.js"
import type { AppId } from "../shared/Ids.js"
import { NotFound } from "../shared/Invalid.js"
import type { DevelopedApp } from "./Developer.js"
import * as Staff from "./Staff.js"

/** Any app with its developer and purposes, for reviewers and admins: `Forbidden` for others, `NotFound`. */
export const inspectApp = Effect.fn("inspectApp")(function* (account: Account, id: AppId) {
  yield* Staff.requireReviewer(account)
  const unknown = () => new NotFound({ what: "app" })
  const app = yield* Effect.mapError(yield* (yield* AppStore).find(id), unknown)
  const developer = yield* Effect.mapError(yield* (yield* AccountStore).find(app.ownerId), unknown)
  const purposes = yield* (yield* PurposeStore).list(id)
  const inspected: DevelopedApp & { readonly purposes: ReadonlyArray<Purpose> } = { app, developer, purposes }
  return inspected
})
