import { Context, type Effect } from "effect"
import type { Password } from "./Account.js"

/**
 * Hashes passwords with argon2id (decision A2). It hashes the NFKC form, so that one password typed on two keyboards is
 * the same (NIST SP 800-63B §3.1.1.2). Hashing is slow on purpose, so an adapter limits how many hashes run at once.
 */
export class PasswordHasher extends Context.Tag("@place-access/domain/accounts/PasswordHasher")<
  PasswordHasher,
  {
    /** Uses a fresh salt. */
    readonly hash: (password: Password) => Effect.Effect<string>
    /** False also for a hash that cannot be read. */
    readonly verify: (hash: string, password: string) => Effect.Effect<boolean>
    /** Takes as long as `verify`, so that sign-in does not show by its time who has an account. */
    readonly waste: Effect.Effect<void>
    /**
     * Returns a check whether a text is one of the commonest passwords in leaked data, for `PasswordRules.refusal`. The
     * list is in lower case, and is loaded when it is first needed.
     */
    readonly common: Effect.Effect<(text: string) => boolean>
  }
>() {}
