import { Context, Effect, Option } from "effect"
import type { App } from "../apps/App.js"
import * as Entropy from "../shared/Entropy.js"
import type { ConnectionId } from "../shared/Ids.js"
import type { StoreError } from "../shared/StoreError.js"
import * as Telemetry from "../shared/Telemetry.js"
import * as Token from "../shared/Token.js"
import { type KeyId, Vault, VaultError } from "../shared/Vault.js"
import { ConnectionStore } from "./ConnectionStore.js"
import { InvalidGrant } from "./Errors.js"
import * as RefreshDecision from "./RefreshDecision.js"
import type { RefreshToken } from "./TokenFamily.js"
import * as TokenGrant from "./TokenGrant.js"

/**
 * `grant_type=refresh_token` of an authenticated client (Spec §4.3, decision O6). The child is derived from the presented
 * token, so that whoever presents it again inside the race window gets the head of the same chain although only hashes are
 * kept.
 */
export const refreshTokens = (
  client: App,
  presented: string
): Effect.Effect<
  TokenGrant.TokenGrant,
  InvalidGrant | StoreError | VaultError,
  ConnectionStore | Entropy.Entropy | Vault
> =>
  Telemetry.program("refreshTokens", (ports: Context.Context<ConnectionStore | Entropy.Entropy | Vault>) => {
    const token = Option.getOrUndefined(Token.parse(presented))
    return token?.kind === "rt"
      ? rotate(ports, client, presented, token.route as ConnectionId)
      : new InvalidGrant({ reason: "malformed" })
  })

const rotate = (
  ports: Context.Context<ConnectionStore | Entropy.Entropy | Vault>,
  client: App,
  presented: string,
  connectionId: ConnectionId
) =>
  Effect.gen(function* () {
    const vault = Context.get(ports, Vault)
    const entropy = Context.get(ports, Entropy.Entropy)
    const accessToken = Token.format("at", connectionId, yield* Entropy.secretFrom(entropy))
    const rotation = { nonce: yield* Entropy.secretFrom(entropy), keyId: vault.currentKey }
    const childToken = yield* child(vault, connectionId, presented, rotation)
    const offer: RefreshDecision.Offer = {
      appId: client.id,
      childHash: vault.sha256(childToken),
      rotation,
      accessHash: vault.sha256(accessToken)
    }
    const outcome = yield* Context.get(ports, ConnectionStore).change(
      connectionId,
      { refresh: vault.sha256(presented) },
      (state, now) => RefreshDecision.decide(offer, state, now)
    )
    if (Option.isNone(outcome)) return yield* new InvalidGrant({ reason: "unknown" })
    const result = outcome.value
    switch (result._tag) {
      case "Rotated":
        return TokenGrant.of(result.grant, { accessToken, refreshToken: childToken }, result.at)
      case "Raced": {
        const refreshToken = yield* head(vault, connectionId, presented, result.chain)
        return TokenGrant.of(result.grant, { accessToken, refreshToken }, result.at)
      }
      case "Refused":
        if (result.why === "leaked" || result.why === "of_another_app") {
          yield* Effect.logWarning("Refresh token refused", { why: result.why, connectionId, appId: client.id })
        }
        return yield* new InvalidGrant({ reason: result.why })
    }
  })

const child = (
  vault: Vault["Type"],
  connectionId: ConnectionId,
  parent: string,
  { keyId, nonce }: { readonly nonce: string; readonly keyId: KeyId }
): Effect.Effect<string, VaultError> =>
  Effect.map(vault.derive("refresh-token", keyId, `${nonce}.${parent}`), (secret) =>
    Token.format("rt", connectionId, secret)
  )

/** Walks from the presented token to the link that was not rotated, deriving each child and comparing it with its row. */
const head = (
  vault: Vault["Type"],
  connectionId: ConnectionId,
  presented: string,
  chain: ReadonlyArray<RefreshToken>
): Effect.Effect<string, VaultError> =>
  Effect.gen(function* () {
    let text = presented
    for (const link of chain) {
      if (vault.sha256(text) !== link.hash) {
        return yield* new VaultError({ reason: "a refresh token's child is not what its parent derives" })
      }
      if (link.rotation === null) return text
      text = yield* child(vault, connectionId, text, link.rotation)
    }
    return yield* new VaultError({ reason: "a chain of refresh tokens has no head" })
  })
