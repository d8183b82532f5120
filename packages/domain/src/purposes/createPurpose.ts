import { Effect } from "effect"
import type { Account } from "../accounts/Account.js"
import { getOwnedApp } from "../apps/getOwnedApp.js"
import * as Entropy from "../shared/Entropy.js"
import { type AppId, PurposeId } from "../shared/Ids.js"
import * as Timestamp from "../shared/Timestamp.js"
import * as DeclaredScopes from "./DeclaredScopes.js"
import * as Purpose from "./Purpose.js"
import { PurposeStore } from "./PurposeStore.js"

export interface NewPurpose {
  readonly key: Purpose.Key
  readonly terms: Purpose.Terms
}

/**
 * A draft, which a sandbox app can use at once (Spec §3.2). `NotFound` for somebody else's app, `Invalid` for scopes that
 * the app does not declare, `Conflict` when the key was ever used by the app.
 */
export const createPurpose = Effect.fn("createPurpose")(function* (account: Account, appId: AppId, input: NewPurpose) {
  const app = yield* getOwnedApp(account, appId)
  const refused = DeclaredScopes.refused(input.terms.scopes, app)
  if (refused !== undefined) return yield* refused
  const id = PurposeId.make(yield* Entropy.id("pps"))
  const purpose = Purpose.draft(appId, id, input.key, input.terms, yield* Timestamp.now)
  yield* (yield* PurposeStore).create(purpose)
  return purpose
})
