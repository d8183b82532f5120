import { Effect, Either } from "effect"
import type { Account } from "../accounts/Account.js"
import * as Entropy from "../shared/Entropy.js"
import type { AppId } from "../shared/Ids.js"
import { Vault } from "../shared/Vault.js"
import * as AppLife from "./AppLife.js"
import { changeOwned } from "./changeOwned.js"
import * as ClientSecret from "./ClientSecret.js"
import type * as RedirectUri from "./RedirectUri.js"

/**
 * Replaces the app's redirect URIs and issues a new client secret, shown here once; the one before works for another 24
 * hours (Spec §4.3, decisions §4). In production, URIs of an origin that nobody approved wait for a reviewer
 * (`AppProposal.pendingRedirectUris`). `NotFound` for somebody else's app, `Conflict` for a revoked one.
 */
export const registerRedirectUris = Effect.fn("registerRedirectUris")(function* (
  account: Account,
  id: AppId,
  redirectUris: RedirectUri.List
) {
  const clientSecret = ClientSecret.format(yield* Entropy.secret)
  const hash = (yield* Vault).sha256(clientSecret)
  const outcome = yield* changeOwned(account, id, (before, now) => {
    const edited = AppLife.register(before.app, redirectUris, now)
    const next: ClientSecret.ClientSecret = { appId: id, hash, createdAt: now, expiresAt: null }
    const after = Either.map(edited, (app) => ({ app, secrets: ClientSecret.rotate(before.secrets, next, now) }))
    return { outcome: edited, after: Either.getOrNull(after) }
  })
  return { app: yield* outcome, clientSecret }
})
