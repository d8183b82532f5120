import { Effect, Option } from "effect"
import * as Timestamp from "../shared/Timestamp.js"
import { Vault } from "../shared/Vault.js"
import { AccountStore } from "./AccountStore.js"
import * as Session from "./Session.js"

/** Whose session the cookie is of; none when it is malformed, unknown, ended or expired. */
export const authenticateSession = Effect.fn("authenticateSession")(function* (cookie: string) {
  if (!Session.isCookie(cookie)) return Option.none()
  const accounts = yield* AccountStore
  return yield* accounts.findSession((yield* Vault).sha256(cookie), yield* Timestamp.now)
})
