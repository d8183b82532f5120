// Checks which app a server belongs to, by the app's client secret (decision apps-8).
import { Option, Schema } from "effect"
import { AppId, Timestamp, Vault, program } from "../shared/index.js"
import { AppStore, type Registered } from "./AppStore.js"
import * as ClientSecret from "./ClientSecret.js"

/**
 * The app is unknown, or the secret is wrong or has expired; the answer does not say which. Wire: 401 `invalid_client`.
 */
export class InvalidClient extends Schema.TaggedError<InvalidClient>()("InvalidClient", {}) {
  override get message(): string {
    return "The app is unknown, or its secret is wrong"
  }
}

const decodeId = Schema.decodeUnknownOption(AppId)

/**
 * The app with the id that the client sent; none when there is no such app. `proveClient` then checks the client's
 * secret.
 */
export const findClient = program("findClient", function* (clientId: string | undefined) {
  const id = decodeId(clientId)
  const result: Option.Option<Registered> = Option.isNone(id)
    ? Option.none()
    : yield* (yield* AppStore).findRegistered(id.value)
  return result
})

/**
 * The app, if the secret is one of its client secrets and has not expired. Otherwise fails with `InvalidClient`. The
 * secret of a revoked app is accepted, and a later check answers `invalid_grant`: a 401 would wrongly say that the
 * secret is wrong (Spec §4.3).
 */
export const proveClient = program("proveClient", function* (found: Option.Option<Registered>, clientSecret: string) {
  if (Option.isNone(found)) return yield* new InvalidClient()
  const now = yield* Timestamp.now
  const vault = yield* Vault.Vault
  const presented = vault.sha256(clientSecret)
  // Every secret is compared, so that the response time does not show which secret matched.
  let matches = 0
  for (const secret of found.value.secrets) {
    if (vault.equal(secret.hash, presented) && ClientSecret.isLive(secret, now)) matches++
  }
  return matches === 0 ? yield* new InvalidClient() : found.value.app
})
