import { Effect } from "effect"
import type { Account } from "../accounts/Account.js"
import { getOwnedApp } from "../apps/getOwnedApp.js"
import type { AppId, PurposeId } from "../shared/Ids.js"
import { changeOwned } from "./changeOwned.js"
import * as DeclaredScopes from "./DeclaredScopes.js"
import * as PurposeLife from "./PurposeLife.js"

/**
 * Changes the wording, scopes or volume (`PurposeLife.edit`). `NotFound` for somebody else's, `Invalid` for scopes that the app
 * does not declare, `Conflict` when the purpose is archived.
 */
export const updatePurpose = Effect.fn("updatePurpose")(function* (
  account: Account,
  appId: AppId,
  id: PurposeId,
  change: PurposeLife.Edit
) {
  const app = yield* getOwnedApp(account, appId)
  const refused = change.scopes === undefined ? undefined : DeclaredScopes.refused(change.scopes, app)
  if (refused !== undefined) return yield* refused
  return yield* changeOwned(account, appId, id, (before, now) => PurposeLife.edit(before, change, now))
})
