import { Effect } from "effect"
import type { Account } from "../accounts/Account.js"
import * as Staff from "../reviews/Staff.js"
import type { AppId } from "../shared/Ids.js"
import type { Scope } from "../shared/Scope.js"
import * as AppLife from "./AppLife.js"
import { changeAsStaff } from "./changeAsStaff.js"

/**
 * An admin leaves the app `allowed` of its scopes, or all again (null). Every live token follows at once (Spec §5.6). `Forbidden`
 * for who is no admin, `NotFound`, `Conflict` for a revoked app. The same set again changes nothing.
 */
export const narrowApp = Effect.fn("narrowApp")(function* (
  account: Account,
  id: AppId,
  allowed: ReadonlyArray<Scope> | null
) {
  yield* Staff.requireAdmin(account)
  return yield* changeAsStaff(account, id, { kind: "narrowed", note: null }, (before) =>
    AppLife.narrow(before, allowed)
  )
})
