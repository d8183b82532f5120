import { Effect, Either } from "effect"
import type { Account } from "../accounts/Account.js"
import { endRevoked } from "../connection/endRevoked.js"
import * as Staff from "../reviews/Staff.js"
import type { Note } from "../reviews/Verdict.js"
import type { AppId } from "../shared/Ids.js"
import * as AppLife from "./AppLife.js"
import { changeAsStaff } from "./changeAsStaff.js"

/**
 * An admin ends the app: from the commit on no token, code, rule or delivery of it works (Spec §3.1, §6.3.5). Its connections
 * are ended after that, some at once and the rest by the worker (`endRevoked`). `Forbidden` for who is no admin, `NotFound`.
 * Idempotent: the first time and its reason count.
 */
export const revokeApp = Effect.fn("revokeApp")(function* (account: Account, id: AppId, reason: Note) {
  yield* Staff.requireAdmin(account)
  const app = yield* changeAsStaff(account, id, { kind: "revoked", note: reason }, (before, now) =>
    Either.right(AppLife.revoke(before, reason, now))
  )
  // What is left over, or fails, is the worker's: the app is revoked either way.
  yield* endRevoked({ appId: id, atMost: AT_ONCE }).pipe(
    Effect.catchAllCause((cause) => Effect.logWarning("Connections of a revoked app are left to the worker", id, cause))
  )
  return app
})

const AT_ONCE = 100
