import { Effect, Either } from "effect"
import type { Account } from "../accounts/Account.js"
import { endRevoked } from "../connection/endConnections.js"
import { Staff, type Verdict } from "../reviews/index.js"
import { type AppId, program } from "../shared/index.js"
import * as AppLife from "../apps/AppLife.js"
import { changeAsStaff } from "../apps/changeAppAsStaff.js"

/**
 * An admin revokes the app. From the commit on, none of its tokens, codes, rules and deliveries works (Spec §3.1,
 * §6.3.5). Its connections are ended afterwards: up to 100 immediately, the other connections by a worker
 * (`endRevoked`). Fails with `Forbidden` for accounts without the role `admin`, and with `NotFound` for an unknown app.
 * Idempotent: a repeated call keeps the time and the reason of the first revocation.
 */
export const revokeApp = program("revokeApp", function* (account: Account, id: AppId, reason: Verdict.Note) {
  yield* Staff.requireAdmin(account)
  const app = yield* changeAsStaff(account, id, { kind: "revoked", note: reason }, (before, now) =>
    Either.right(AppLife.revoke(before, reason, now))
  )
  // The app stays revoked even if this step fails. A worker ends the connections that this step did not end.
  yield* endRevoked({ appId: id, atMost: AT_ONCE }).pipe(
    Effect.catchAllCause((cause) => Effect.logWarning("Connections of a revoked app are left to the worker", id, cause))
  )
  return app
})

const AT_ONCE = 100
