import { Context, type Effect } from "effect"
import type { Password } from "./Account.js"

/**
 * Hashes passwords with argon2id (decision A2). The hash is of the NFKC form of the password, because two keyboards may
 * encode the same typed password differently (NIST SP 800-63B §3.1.1.2). Hashing is slow on purpose, so an adapter
 * limits how many hashes run at once.
 */
export class PasswordHasher extends Context.Tag("@place-access/domain/accounts/PasswordHasher")<
  PasswordHasher,
  {
    /** The hash of the password. Each call uses a new random salt. */
    readonly hash: (password: Password) => Effect.Effect<string>
    /**
     * Whether the password has this hash. Also false for a hash that cannot be parsed. A text that is too long to be a
     * password takes no more time than a password, so that long texts cannot occupy the server.
     */
    readonly verify: (hash: string, password: string) => Effect.Effect<boolean>
    /**
     * Takes as long as `verify` with the same password, and does nothing else. A sign-in with an unknown e-mail calls
     * it, so that the response time does not reveal who has an account.
     */
    readonly waste: (password: string) => Effect.Effect<void>
    /**
     * Returns a function that says whether a text, in lower case, is one of the commonest passwords in leaked data (for
     * `PasswordRules.refusal`). The list of these passwords is loaded when it is first needed.
     */
    readonly common: Effect.Effect<(text: string) => boolean>
  }
>() {}
