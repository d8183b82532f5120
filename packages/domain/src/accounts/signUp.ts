import { Effect } from "effect"
import { Forbidden } from "../shared/Invalid.js"
import { createAccount, type NewAccount } from "./createAccount.js"

/**
 * A stranger makes an account: a plain user (decision A1), not signed in yet. `Forbidden` while sign-up is closed
 * (`SIGN_UP`, decisions §10); `Conflict` when the e-mail is taken.
 */
export const signUp = Effect.fn("signUp")(function* (input: NewAccount, policy: "open" | "closed") {
  // Before the hash: a closed service does no work for strangers.
  if (policy === "closed") return yield* new Forbidden({ reason: "sign-up is closed" })
  return yield* createAccount({ ...input, roles: [] })
})
