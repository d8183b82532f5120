import { Effect, Option } from "effect"
import type { App } from "../apps/App.js"
import * as Entropy from "../shared/Entropy.js"
import { ConnectionId, FamilyId } from "../shared/Ids.js"
import type { StoreError } from "../shared/StoreError.js"
import * as Telemetry from "../shared/Telemetry.js"
import * as Token from "../shared/Token.js"
import { Vault, type VaultError } from "../shared/Vault.js"
import * as CodeExchange from "./CodeExchange.js"
import { ConnectionStore } from "./ConnectionStore.js"
import { InvalidGrant } from "./Errors.js"
import type { Rotation } from "./TokenFamily.js"
import * as TokenGrant from "./TokenGrant.js"

export interface PresentedCode {
  readonly code: string
  readonly codeVerifier: string
  readonly redirectUri: string
}

/**
 * `grant_type=authorization_code` of an authenticated client (Spec §4.3, decision O7). The refresh token is derived from the code,
 * so that an answer that was lost can be given again although only hashes are kept.
 */
export const exchangeCode = (
  client: App,
  presented: PresentedCode
): Effect.Effect<
  TokenGrant.TokenGrant,
  InvalidGrant | StoreError | VaultError,
  ConnectionStore | Entropy.Entropy | Vault
> =>
  Effect.gen(function* () {
    const token = Option.filter(Token.parse(presented.code), ({ kind }) => kind === "ac")
    if (Option.isNone(token)) return yield* new InvalidGrant({ reason: "malformed" })
    const vault = yield* Vault
    const connectionId = ConnectionId.make(token.value.route)
    const accessToken = yield* Token.fresh("at", connectionId)
    const exchange = { nonce: yield* Entropy.secret, keyId: vault.currentKey }
    const refreshToken = yield* derived(presented.code, connectionId, exchange)
    const offer: CodeExchange.Offer = {
      appId: client.id,
      redirectUri: presented.redirectUri,
      verifier: presented.codeVerifier,
      familyId: FamilyId.make(yield* Entropy.id("fam")),
      accessHash: vault.sha256(accessToken),
      refreshHash: vault.sha256(refreshToken),
      exchange
    }
    const outcome = yield* (yield* ConnectionStore).change(
      connectionId,
      { code: vault.sha256(presented.code) },
      (state, now) => CodeExchange.decide(vault, offer, state, now)
    )
    if (Option.isNone(outcome)) return yield* new InvalidGrant({ reason: "unknown" })
    if (outcome.value._tag === "Refused") {
      if (outcome.value.why === "used" || outcome.value.why === "of_another_app") {
        yield* Effect.logWarning("Authorization code refused", {
          why: outcome.value.why,
          connectionId,
          appId: client.id
        })
      }
      return yield* new InvalidGrant({ reason: outcome.value.why })
    }
    const { at, grant } = outcome.value
    if (outcome.value._tag === "Issued") return TokenGrant.of(grant, { accessToken, refreshToken }, at)
    const again = yield* derived(presented.code, connectionId, outcome.value.exchange)
    return TokenGrant.of(grant, { accessToken, refreshToken: again }, at)
  }).pipe(Telemetry.span("exchangeCode"))

/** Only whoever has the code can have it again: nonce and key alone say nothing. */
const derived = (
  code: string,
  connectionId: ConnectionId,
  { keyId, nonce }: Omit<Rotation, "at">
): Effect.Effect<string, VaultError, Vault> =>
  Effect.flatMap(Vault, (vault) =>
    Effect.map(vault.derive("refresh-token", keyId, `${nonce}.${code}`), (secret) =>
      Token.format("rt", connectionId, secret)
    )
  )
