import { Token, Vault } from "@place-access/domain/shared"
import { Simulation } from "@place-access/domain/testing"
import { Effect, Option } from "effect"
import { type HttpAnswer, RefusedRequest } from "../Client.js"
import { type Handlers, number, numberOrNull, type Outside, text } from "./Handlers.js"

/** The requests from `GET /authorize` to the first tokens, and the requests that refresh or revoke tokens. */
export const oauth: Handlers<"consent" | "exchange" | "refresh" | "revoke"> = {
  consent: (
    { appId, earlier, externalUserId, places, requested, scopes, sensitiveDays, standardDays, userId },
    { client, registry }
  ) =>
    Effect.gen(function* () {
      const redirectUri = registry.apps.get(appId)?.redirectUri
      const opened = yield* client.send({ newcomer: userId }, "GET", "/authorize", {
        query: {
          client_id: appId,
          redirect_uri: redirectUri,
          scope: requested.join(" "),
          code_challenge: (yield* Vault.Vault).s256(Simulation.VERIFIER),
          code_challenge_method: "S256",
          state: "state-0123456789",
          external_user_id: externalUserId
        }
      })
      const page = new URL(opened.location ?? "", Simulation.ISSUER)
      // When the request is faulty, the service sends the user back to the app, with an error code in the address.
      const refused = page.searchParams.get("error")
      if (refused !== null) return yield* Effect.fail(new RefusedRequest(400, refused, {}))
      const id = /\/authorize\/([^/?&#]+)/.exec(decodeURIComponent(page.href))?.[1] ?? "none"
      const person = { person: userId }
      const mode = text(yield* client.send(person, "GET", `/v1/user/consent-requests/${id}`), "mode")
      const decided = yield* client.send(person, "POST", `/v1/user/consent-requests/${id}/decision`, {
        json: {
          decision: "allow",
          mode,
          scopes,
          places: places.map((place) => ({ id: place, include_earlier_visits: earlier.includes(place) })),
          standard_days: standardDays ?? "never",
          sensitive_days: sensitiveDays
        }
      })
      const callback = new URL(text(decided, "redirect_to")).searchParams
      const code = callback.get("code")
      if (code === null) return yield* Effect.fail(new RefusedRequest(400, callback.get("error") ?? "NoCode", {}))
      const connectionId = Option.match(Token.parse(code), { onNone: () => "", onSome: ({ route }) => route })
      return {
        mode: mode as "new" | "renew_sensitive" | "change",
        code: registry.secrets.alias("code", code),
        connectionId
      }
    }),

  exchange: ({ appId, client: right, code, redirectUri, verifier }, outside) => {
    const { client, registry } = outside
    return Effect.map(
      client.send({ app: appId }, "POST", "/v1/oauth/token", {
        json: {
          grantType: "authorization_code",
          ...credentials(outside, appId, right),
          code: registry.secrets.raw(code),
          codeVerifier: verifier === "right" ? Simulation.VERIFIER : `${Simulation.VERIFIER}-but-wrong`,
          redirectUri: redirectUri === "wrong" ? Simulation.WRONG_REDIRECT_URI : registry.apps.get(appId)?.redirectUri
        }
      }),
      (answer) => tokens(outside, answer)
    )
  },

  refresh: ({ appId, client: right, refreshToken }, outside) =>
    Effect.map(
      outside.client.send({ app: appId }, "POST", "/v1/oauth/token", {
        json: {
          grantType: "refresh_token",
          ...credentials(outside, appId, right),
          refreshToken: outside.registry.secrets.raw(refreshToken)
        }
      }),
      (answer) => tokens(outside, answer)
    ),

  revoke: ({ appId, client: right, token }, outside) =>
    Effect.as(
      outside.client.send({ app: appId }, "POST", "/v1/oauth/revoke", {
        json: { ...credentials(outside, appId, right), token: outside.registry.secrets.raw(token) }
      }),
      null
    )
}

const credentials = ({ registry }: Outside, appId: string, client: "right" | "wrong") => ({
  clientId: appId,
  clientSecret:
    client === "right"
      ? registry.secrets.raw(registry.apps.get(appId)?.clientSecret ?? "none")
      : "pa_cs_of_somebody_else"
})

const tokens = ({ registry: { secrets } }: Outside, answer: HttpAnswer): Simulation.TokenSet => ({
  accessToken: secrets.alias("access", text(answer, "access_token")),
  refreshToken: secrets.alias("refresh", text(answer, "refresh_token")),
  expiresInS: number(answer, "expires_in"),
  refreshTokenExpiresAt: numberOrNull(answer, "refresh_token_expires_at"),
  sensitiveScopesExpireAt: numberOrNull(answer, "sensitive_scopes_expire_at"),
  scopes: text(answer, "scope")
    .split(" ")
    .filter((scope) => scope !== ""),
  sub: text(answer, "sub")
})
