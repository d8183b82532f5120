// One-time addresses at which the app on a phone fetches its settings, with the device token (decision devices-14).
import { Effect, Option } from "effect"
import { NotFound, program, Timestamp, Token, type UserId, Vault } from "../shared/index.js"
import { DeviceStore } from "./DeviceStore.js"

/**
 * How long a set-up link works, in milliseconds: long enough to install the phone's app. A person who needs more time
 * adds the phone again.
 */
const WORKS_FOR = 15 * Timestamp.MINUTE

/**
 * A new device token, and the key of a link at which the phone's app can fetch this token once. The token is derived
 * from the link's key with a key of the vault. So the service need not store the token: it stores the hash of the
 * link's key, and derives the token again when the app sends the link's key.
 */
export const withLink = (userId: UserId, now: Timestamp.Timestamp) =>
  Effect.gen(function* () {
    const vault = yield* Vault.Vault
    const key = yield* Token.fresh("ds", userId)
    const token = yield* Effect.orDie(derive(vault, vault.currentKey, userId, key))
    return { token, key, setupLink: { hash: vault.sha256(key), until: Timestamp.plus(now, WORKS_FOR) } }
  })

const derive = (vault: Vault.Vault["Type"], keyId: Vault.KeyId, userId: UserId, key: string) =>
  Effect.map(vault.derive("device-setup", keyId, key), (secret) => Token.format("dv", userId, secret))

/**
 * The device of a set-up link, with its token. Fails with `NotFound` when:
 * - the link was used, has expired, or is of a removed device
 * - the vault no longer has the key with which the token was derived
 * - the text is no key of a set-up link
 */
export const openSetupLink = program("openSetupLink", function* (key: string) {
  const parsed = Option.getOrUndefined(Token.parse(key))
  if (parsed?.kind !== "ds") return yield* new NotFound({ what: "link" })
  const vault = yield* Vault.Vault
  const userId = parsed.route as UserId
  const now = yield* Timestamp.now
  const taken = yield* (yield* DeviceStore).takeSetupLink(userId, vault.sha256(key), now)
  if (Option.isNone(taken)) return yield* new NotFound({ what: "link" })
  const device = taken.value
  // The keys of the vault may have been rotated since the link was made, so every key is tried.
  for (const keyId of vault.keys) {
    const token = yield* Effect.option(derive(vault, keyId, userId, key))
    if (Option.isSome(token) && vault.sha256(token.value) === device.tokenHash) return { device, token: token.value }
  }
  return yield* new NotFound({ what: "link" })
})
