import { Effect, Option } from "effect"
import type { App } from "../apps/App.js"
import * as Entropy from "../shared/Entropy.js"
import { ConnectionId, FamilyId } from "../shared/Ids.js"
import type { StoreError } from "../shared/StoreError.js"
import * as Telemetry from "../shared/Telemetry.js"
import * as Token from "../shared/Token.js"
import { Vault } from "../shared/Vault.js"
import * as CodeExchange from "./CodeExchange.js"
import { ConnectionStore } from "./ConnectionStore.js"
import { InvalidGrant } from "./Errors.js"
import * as TokenGrant from "./TokenGrant.js"

export interface PresentedCode {
  readonly code: string
  readonly codeVerifier: string
  readonly redirectUri: string
}

/** `grant_type=authorization_code` of an authenticated client (Spec §4.3, decision O7). */
export const exchangeCode = (
  client: App,
  presented: PresentedCode
): Effect.Effect<TokenGrant.TokenGrant, InvalidGrant | StoreError, ConnectionStore | Entropy.Entropy | Vault> =>
  Effect.gen(function* () {
    const token = Option.filter(Token.parse(presented.code), ({ kind }) => kind === "ac")
    if (Option.isNone(token)) return yield* new InvalidGrant({ reason: "malformed" })
    const vault = yield* Vault
    const connectionId = ConnectionId.make(token.value.route)
    const accessToken = yield* Token.fresh("at", connectionId)
    const refreshToken = yield* Token.fresh("rt", connectionId)
    const offer: CodeExchange.Offer = {
      appId: client.id,
      redirectUri: presented.redirectUri,
      verifier: presented.codeVerifier,
      familyId: FamilyId.make(yield* Entropy.id("fam")),
      accessHash: vault.sha256(accessToken),
      refreshHash: vault.sha256(refreshToken)
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
    return TokenGrant.of(outcome.value.grant, { accessToken, refreshToken }, outcome.value.at)
  }).pipe(Telemetry.span("exchangeCode"))
