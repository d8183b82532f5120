import { Effect, Option } from "effect"
import { Entropy, NotFound, Timestamp, Vault } from "../shared/index.js"
import * as AccountLink from "./AccountLink.js"
import { CredentialStore } from "./CredentialStore.js"

/**
 * The error for every link that does not work. It is the same for every reason, so that it reveals nothing about the
 * link.
 */
export const dead = () => new NotFound({ what: "link" })

/**
 * The link of this secret, with its account, if the link works and has one of these purposes. Otherwise fails with
 * `NotFound`, for example when the link was used, has expired, never existed, or was made for an address that the
 * account no longer has: the answer does not say which.
 */
export const liveLink = (secret: string, ...purposes: ReadonlyArray<AccountLink.LinkPurpose>) =>
  Effect.gen(function* () {
    if (!Entropy.isSecret(secret)) return yield* dead()
    const found = yield* (yield* CredentialStore).findLink((yield* Vault.Vault).sha256(secret))
    const now = yield* Timestamp.now
    if (Option.isNone(found)) return yield* dead()
    const { account, link } = found.value
    return purposes.some((purpose) => AccountLink.isLive(link, purpose, account, now)) ? found.value : yield* dead()
  })
