import { Invalid, program } from "../shared/index.js"
import type { Password } from "./Account.js"
import { PasswordHasher } from "./PasswordHasher.js"
import * as PasswordRules from "./PasswordRules.js"

/**
 * Checks a new password and returns its hash. Fails with `Invalid` for a password that attackers try first (decision
 * accounts-7). Every program that sets a password calls this program, so that none forgets the check. `field` is the
 * name of the password's field in the API.
 */
export const choosePassword = program(
  "choosePassword",
  function* (password: Password, owner: PasswordRules.PasswordOwner, field: string = "password") {
    const hasher = yield* PasswordHasher
    const refusal = PasswordRules.refusal(password, owner, yield* hasher.common)
    if (refusal !== undefined) return yield* Invalid.of(field, refusal)
    return yield* hasher.hash(password)
  }
)
