import { Effect, Option } from "effect"
import { NotFound, Timestamp, Vault } from "../shared/index.js"
import * as AccountLink from "./AccountLink.js"
import { CredentialStore } from "./CredentialStore.js"

/** The error of every link that does not work, for whatever reason. */
export const dead = () => new NotFound({ what: "link" })

/**
 * The live link of this secret, with its account. `NotFound` when it was used, expired or never existed: the answer
 * does not say which.
 */
export const liveLink = (secret: string, ...purposes: ReadonlyArray<AccountLink.LinkPurpose>) =>
  Effect.gen(function* () {
    if (!AccountLink.isSecret(secret)) return yield* dead()
    const found = yield* (yield* CredentialStore).findLink((yield* Vault.Vault).sha256(secret))
    const now = yield* Timestamp.now
    if (Option.isNone(found)) return yield* dead()
    const { account, link } = found.value
    return purposes.some((purpose) => AccountLink.isLive(link, purpose, account, now)) ? found.value : yield* dead()
  })
