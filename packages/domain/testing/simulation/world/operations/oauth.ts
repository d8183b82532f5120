import { Effect, Option } from "effect"
import type { App } from "../../../../src/apps/App.js"
import { findClient, proveClient } from "../../../../src/apps/proveClient.js"
import { decideConsent, reviewConsent, startConsent } from "../../../../src/consent/askForConsent.js"
import { exchangeCode, refreshTokens, revokeToken } from "../../../../src/tokens/manageTokens.js"
import type { TokenGrant } from "../../../../src/tokens/TokenGrant.js"
import * as Token from "../../../../src/shared/Token.js"
import { Vault } from "../../../../src/shared/Vault.js"
import type { TokenSet } from "../../Operations.js"
import type { Registry } from "../Registry.js"
import { account, app, type Handlers, ISSUER, VERIFIER, WRONG_REDIRECT_URI } from "./Handlers.js"

/** What happens between `GET /authorize` and the tokens, and what apps do with tokens. */
export const oauth: Handlers<"consent" | "exchange" | "refresh" | "revoke"> = {
  consent: (
    { userId, appId, requested, scopes, places, earlier, standardDays, sensitiveDays, externalUserId },
    registry
  ) =>
    Effect.gen(function* () {
      const user = yield* account(registry, userId)
      const { redirectUri } = yield* app(registry, appId)
      const request = yield* startConsent(
        {
          client_id: appId,
          redirect_uri: redirectUri,
          scope: requested.join(" "),
          code_challenge: (yield* Vault).s256(VERIFIER),
          code_challenge_method: "S256",
          state: "state-0123456789",
          ...(externalUserId === null ? {} : { external_user_id: externalUserId })
        },
        ISSUER
      )
      const { mode } = yield* reviewConsent(request.id, user)
      const { redirectTo } = yield* decideConsent(
        request.id,
        user,
        {
          decision: "allow",
          shown: mode,
          scopes,
          places,
          earlier,
          standardDays: standardDays === null ? "never" : String(standardDays),
          sensitiveDays: String(sensitiveDays)
        },
        ISSUER,
        "assumed"
      )
      const code = parameter(redirectTo, "code")
      if (code === undefined) return yield* Effect.fail({ _tag: parameter(redirectTo, "error") ?? "NoCode" })
      const connectionId = Option.match(Token.parse(code), { onNone: () => "", onSome: ({ route }) => route })
      return { mode, code: registry.secrets.alias("code", code), connectionId }
    }),

  exchange: ({ appId, code, verifier, client, redirectUri }, registry) =>
    Effect.gen(function* () {
      const registered = yield* app(registry, appId)
      const authenticated = yield* authenticate(registry, appId, client)
      const grant = yield* exchangeCode(authenticated, {
        code: registry.secrets.raw(code),
        codeVerifier: verifier === "right" ? VERIFIER : `${VERIFIER}-but-wrong`,
        redirectUri: redirectUri === "wrong" ? WRONG_REDIRECT_URI : registered.redirectUri
      })
      return toTokenSet(registry, grant)
    }),

  refresh: ({ appId, refreshToken, client }, registry) =>
    Effect.gen(function* () {
      const authenticated = yield* authenticate(registry, appId, client)
      return toTokenSet(registry, yield* refreshTokens(authenticated, registry.secrets.raw(refreshToken)))
    }),

  revoke: ({ appId, token, client }, registry) =>
    Effect.gen(function* () {
      yield* revokeToken(yield* authenticate(registry, appId, client), registry.secrets.raw(token))
      return null
    })
}

const authenticate = (registry: Registry, appId: string, client: "right" | "wrong") =>
  Effect.gen(function* () {
    const { clientSecret = "none" } = yield* app(registry, appId)
    const authenticated: App = yield* proveClient(
      yield* findClient(appId),
      client === "right" ? registry.secrets.raw(clientSecret) : "pa_cs_of_somebody_else"
    )
    return authenticated
  })

const toTokenSet = ({ secrets }: Registry, grant: TokenGrant): TokenSet => ({
  accessToken: secrets.alias("access", grant.accessToken),
  refreshToken: secrets.alias("refresh", grant.refreshToken),
  expiresInS: grant.expiresIn,
  refreshTokenExpiresAt: grant.refreshTokenExpiresAt,
  sensitiveScopesExpireAt: grant.sensitiveScopesExpireAt,
  scopes: grant.scopes,
  sub: grant.sub
})

const parameter = (uri: string, name: string): string | undefined =>
  uri
    .slice(uri.indexOf("?") + 1)
    .split("&")
    .map((pair) => pair.split("=").map(decodeURIComponent))
    .find(([key]) => key === name)?.[1]
