import { Effect } from "effect"
import { withPort } from "./Program.js"
import { type KeyUse, Vault } from "./Vault.js"

/**
 * Whether `mac` is what `Vault.derive` makes of `text` for this use with the key whose id is `keyId`. False when the
 * service no longer accepts this key. The comparison takes constant time (`Vault.equal`).
 */
export const isSigned = (
  use: KeyUse,
  { keyId, mac, text }: { readonly keyId: string; readonly mac: string; readonly text: string }
): Effect.Effect<boolean, never, Vault> =>
  withPort(Vault, (vault) => {
    const key = vault.keys.find((candidate) => candidate === keyId)
    if (key === undefined) return Effect.succeed(false)
    return Effect.match(vault.derive(use, key, text), {
      onFailure: () => false,
      onSuccess: (expected) => vault.equal(expected, mac)
    })
  })
