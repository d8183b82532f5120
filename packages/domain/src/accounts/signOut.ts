import { Effect } from "effect"
import { Vault } from "../shared/Vault.js"
import { AccountStore } from "./AccountStore.js"
import * as Session from "./Session.js"

/** Ends the session of this cookie, on the server too. Idempotent; nothing happens for a cookie that is no session's. */
export const signOut = Effect.fn("signOut")(function* (cookie: string) {
  if (!Session.isCookie(cookie)) return
  const accounts = yield* AccountStore
  yield* accounts.closeSession((yield* Vault).sha256(cookie))
})
