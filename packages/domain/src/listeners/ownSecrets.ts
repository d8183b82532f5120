import { Effect } from "effect"
import type { Account } from "../accounts/Account.js"
import * as SigningSecret from "../endpoints/SigningSecret.js"
import { Vault } from "../shared/Vault.js"
import type { Listener } from "./Listener.js"

/**
 * What signs for a listener that is no endpoint's: derived from the service's keys, so that it is stored nowhere and is the same
 * whenever this developer listens to this app, also after the line broke. One for each key that is accepted, newest first: after a
 * new key both sign.
 */
export const ownSecrets = Effect.fn("ownSecrets")(function* (
  { appId }: Pick<Listener, "appId">,
  { id }: Pick<Account, "id">
) {
  const vault = yield* Vault
  const keys = vault.keys.slice(0, SigningSecret.MAX_LIVE)
  const derived = yield* Effect.forEach(keys, (key) => vault.derive("listener-secret", key, `${appId} ${id}`))
  return derived.map((text) => `${SigningSecret.PREFIX}${text}`)
})
