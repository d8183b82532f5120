import { Effect } from "effect"
import * as Entropy from "../shared/Entropy.js"
import * as Timestamp from "../shared/Timestamp.js"
import { Vault } from "../shared/Vault.js"
import { AccountStore } from "./AccountStore.js"
import { checkPassword, type SignIn } from "./checkPassword.js"
import * as Session from "./Session.js"

/** Opens a session (decision A2). The cookie is shown here once; only its SHA-256 is kept. Fails as `checkPassword` does. */
export const signIn = Effect.fn("signIn")(function* (input: SignIn) {
  const account = yield* checkPassword(input)
  const cookie = yield* Entropy.secret
  const session = Session.open((yield* Vault).sha256(cookie), account.id, yield* Timestamp.now)
  yield* (yield* AccountStore).openSession(session)
  return { account, cookie, expiresAt: session.expiresAt }
})
