import { Effect } from "effect"
import type { Vault } from "../../../src/shared/Vault.js"
import * as MemoryVault from "../../memory/vault/MemoryVault.js"
import type { Secrets } from "../trace/Secrets.js"

export interface RotatingVault {
  readonly vault: typeof Vault.Service
  /** Adds a new key, makes it the current key and returns its id. Values that older keys encrypted stay readable. */
  readonly rotate: () => string
}

/**
 * A vault whose keys can be rotated while the programs run. All programs get the new key at the same instant. In
 * production, an operator first adds the new key to every program, behind the old key, and then makes the new key the
 * current key. In both cases, every program has every key with which a value is encrypted. The vault reports to
 * `secrets` every signing secret that it encrypts, so that the trace can name the secret that signed a POST.
 */
export const make = (secrets: Secrets): RotatingVault => {
  let ids: [string, ...Array<string>] = ["k1"]
  let present = MemoryVault.make(ids)
  const { equal, s256, sha256 } = present
  return {
    vault: {
      equal,
      s256,
      sha256,
      get currentKey() {
        return present.currentKey
      },
      get keys() {
        return present.keys
      },
      derive: (...args) => Effect.suspend(() => present.derive(...args)),
      seal: (plaintext, context) =>
        Effect.suspend(() => {
          if (plaintext.startsWith("whsec_")) secrets.alias("signing-secret", plaintext)
          return present.seal(plaintext, context)
        }),
      unseal: (...args) => Effect.suspend(() => present.unseal(...args)),
      sealBytes: (...args) => Effect.suspend(() => present.sealBytes(...args)),
      unsealBytes: (...args) => Effect.suspend(() => present.unsealBytes(...args))
    },
    rotate: () => {
      const id = `k${ids.length + 1}`
      ids = [id, ...ids]
      present = MemoryVault.make(ids)
      return id
    }
  }
}
