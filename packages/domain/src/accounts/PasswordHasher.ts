import { Context, type Effect } from "effect"
import type { Password } from "./Account.js"

/**
 * argon2id (decision A2) of the password in Unicode's NFKC form: the same password typed on another keyboard is the same
 * (NIST SP 800-63B §3.1.1.2). Slow on purpose; an adapter bounds how many run at once.
 */
export class PasswordHasher extends Context.Tag("@place-access/domain/accounts/PasswordHasher")<
  PasswordHasher,
  {
    /** Slow on purpose, with a salt of its own. */
    readonly hash: (password: Password) => Effect.Effect<string>
    /** False also for a hash that cannot be read. */
    readonly verify: (hash: string, password: string) => Effect.Effect<boolean>
    /** Takes as long as `verify` and says nothing: keeps an unknown e-mail indistinguishable from a wrong password. */
    readonly waste: Effect.Effect<void>
  }
>() {}
