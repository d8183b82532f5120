import { Effect, Option } from "effect"
import type { App } from "../apps/App.js"
import { InvalidGrant, InvalidToken, Suspended } from "../connection/Errors.js"
import { ConnectionId, Entropy, FamilyId, Timestamp, Token, Vault, program, retryTransient } from "../shared/index.js"
import * as Caller from "./Caller.js"
import * as CodeExchange from "./CodeExchange.js"
import * as RefreshDecision from "./RefreshDecision.js"
import * as Revocation from "./Revocation.js"
import type { RefreshToken, Rotation } from "./TokenFamily.js"
import * as TokenGrant from "./TokenGrant.js"
import { TokenStore } from "./TokenStore.js"

/**
 * Finds the caller of a bearer token (Spec §5). Fails with `InvalidToken` for a token that does not work. The error's
 * `known` is the connection if the token was once valid and is still stored, else null.
 */
export const authenticateAccess = program("authenticateAccess", function* (token: string) {
  const parsed = Option.getOrUndefined(Token.parse(token))
  if (parsed?.kind !== "at") return yield* new InvalidToken({ known: null })
  const hash = (yield* Vault.Vault).sha256(token)
  const found = yield* (yield* TokenStore).findByAccessToken(parsed.route as ConnectionId, hash)
  if (Option.isNone(found)) return yield* new InvalidToken({ known: null })
  return yield* Caller.admit(found.value, yield* Timestamp.now)
})

/**
 * Handles `POST /v1/oauth/revoke` of an authenticated client: ends the whole connection. The program succeeds for any
 * text. A token that is unknown, was revoked, is of an earlier family or belongs to another app has no effect (Spec
 * §4.3, RFC 7009 §2.2). Idempotent.
 */
export const revokeToken = program("revokeToken", function* (client: App, presented: string) {
  const token = Token.parse(presented)
  if (Option.isNone(token) || (token.value.kind !== "at" && token.value.kind !== "rt")) return
  const hash = (yield* Vault.Vault).sha256(presented)
  yield* (yield* TokenStore).change(
    ConnectionId.make(token.value.route),
    token.value.kind === "at" ? { access: hash } : { refresh: hash },
    (state, now) => Revocation.decide(client.id, state, now)
  )
})

export interface PresentedCode {
  readonly code: string
  readonly codeVerifier: string
  readonly redirectUri: string
  /**
   * The client's `Idempotency-Key`. With this key, the client can send the same request again within 30 s, and gets the
   * same refresh token (decision tokens-1). A second exchange after this time, with another key or without a key ends
   * the connection, with the exceptions of `CodeExchange.decide`.
   */
  readonly idempotencyKey?: string
}

/**
 * Handles `grant_type=authorization_code` of an authenticated client (Spec §4.3, decision O7). The refresh token is
 * derived from the code, so that the answer can be repeated although only hashes are stored.
 */
export const exchangeCode = program("exchangeCode", function* (client: App, presented: PresentedCode) {
  const token = Option.filter(Token.parse(presented.code), ({ kind }) => kind === "ac")
  if (Option.isNone(token)) return yield* new InvalidGrant({ reason: "malformed" })
  const vault = yield* Vault.Vault
  const connectionId = ConnectionId.make(token.value.route)
  const accessToken = yield* Token.fresh("at", connectionId)
  const { idempotencyKey } = presented
  const nonce = idempotencyKey === undefined ? yield* Entropy.secret : vault.sha256(idempotencyKey)
  const exchange = { nonce, keyId: vault.currentKey }
  const refreshToken = yield* child(vault, connectionId, presented.code, exchange)
  const offer: CodeExchange.CodeOffer = {
    appId: client.id,
    redirectUri: presented.redirectUri,
    verifier: presented.codeVerifier,
    familyId: FamilyId.make(yield* Entropy.id("fam")),
    accessHash: vault.sha256(accessToken),
    refreshHash: vault.sha256(refreshToken),
    exchange: idempotencyKey === undefined ? null : exchange
  }
  // When the client repeats an exchange, the same refresh token is derived as in the first exchange. So the store finds
  // the chain of this token.
  const known = idempotencyKey === undefined ? {} : { refresh: offer.refreshHash }
  // If the database's answer to the commit was lost, the second try finds that the code was exchanged for the token
  // family of this offer, and answers with the tokens of the offer.
  const outcome = yield* (yield* TokenStore)
    .change(connectionId, { code: vault.sha256(presented.code), ...known }, (state, now) =>
      CodeExchange.decide(vault, offer, state, now)
    )
    .pipe(retryTransient(1))
  if (Option.isNone(outcome)) return yield* new InvalidGrant({ reason: "unknown" })
  if (outcome.value._tag === "Refused") {
    if (outcome.value.why === "suspended") return yield* new Suspended({ known: null })
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
  const { chain } = outcome.value
  const repeated = yield* child(vault, connectionId, presented.code, outcome.value.exchange)
  const newest = chain.length === 0 ? repeated : yield* head(vault, connectionId, repeated, chain)
  return TokenGrant.of(grant, { accessToken, refreshToken: newest }, at)
})

/**
 * Handles `grant_type=refresh_token` of an authenticated client (Spec §4.3, decision O6). Each token is derived from
 * the token before it. So a client that lost the answer can present the spent token again, and gets the head of the
 * same chain.
 */
export const refreshTokens = program("refreshTokens", function* (client: App, presented: string) {
  const token = Option.getOrUndefined(Token.parse(presented))
  if (token?.kind !== "rt") return yield* new InvalidGrant({ reason: "malformed" })
  const connectionId = token.route as ConnectionId
  const vault = yield* Vault.Vault
  const accessToken = yield* Token.fresh("at", connectionId)
  const rotation = { nonce: yield* Entropy.secret, keyId: vault.currentKey }
  const childToken = yield* child(vault, connectionId, presented, rotation)
  const offer: RefreshDecision.RefreshOffer = {
    appId: client.id,
    childHash: vault.sha256(childToken),
    rotation,
    accessHash: vault.sha256(accessToken)
  }
  const outcome = yield* (yield* TokenStore).change(connectionId, { refresh: vault.sha256(presented) }, (state, now) =>
    RefreshDecision.decide(offer, state, now)
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
      if (result.why === "suspended") return yield* new Suspended({ known: null })
      if (result.why === "leaked" || result.why === "of_another_app") {
        yield* Effect.logWarning("Refresh token refused", { why: result.why, connectionId, appId: client.id })
      }
      return yield* new InvalidGrant({ reason: result.why })
  }
})

/**
 * The refresh token that is derived from a code or from the refresh token before it (`parent`). Nobody can derive it
 * without the parent: the stored nonce and the service's key are not enough.
 */
const child = (
  vault: Vault.Vault["Type"],
  connectionId: ConnectionId,
  parent: string,
  { keyId, nonce }: Omit<Rotation, "at">
) =>
  Effect.map(vault.derive("refresh-token", keyId, `${nonce}.${parent}`), (secret) =>
    Token.format("rt", connectionId, secret)
  )

/** Derives the chain from the presented token to the head, and compares each derived token with its row. */
const head = (
  vault: Vault.Vault["Type"],
  connectionId: ConnectionId,
  presented: string,
  chain: ReadonlyArray<RefreshToken>
) =>
  Effect.gen(function* () {
    let text = presented
    for (const link of chain) {
      if (vault.sha256(text) !== link.hash) {
        return yield* new Vault.VaultError({ reason: "a refresh token's child is not what its parent derives" })
      }
      if (link.rotation === null) return text
      text = yield* child(vault, connectionId, text, link.rotation)
    }
    return yield* new Vault.VaultError({ reason: "a chain of refresh tokens has no head" })
  })
