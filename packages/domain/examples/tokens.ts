import { createServer, type IncomingMessage, type Server } from "node:http"
import { text } from "node:stream/consumers"
import type { App } from "@place-access/domain/apps"
import {
  authenticateAccess,
  exchangeCode,
  refreshTokens,
  revokeToken,
  type TokenGrant,
  type TokenStore
} from "@place-access/domain/tokens"
import type { Entropy, StoreError, Vault } from "@place-access/domain/shared"
import { Effect, type ManagedRuntime } from "effect"

/** The ports that tokens need: a store of codes and tokens, entropy and a vault. */
export type Ports = TokenStore | Entropy.Entropy | Vault.Vault

interface Answer {
  readonly status: number
  readonly body: unknown
}

const granted = ({ accessToken, expiresIn, refreshToken, scopes, sub }: TokenGrant.TokenGrant): Answer => ({
  status: 200,
  body: {
    access_token: accessToken,
    token_type: "Bearer",
    expires_in: expiresIn,
    refresh_token: refreshToken,
    scope: scopes.join(" "),
    sub
  }
})

/** A failure of the store. Trying again may help (503), or it is a bug (500). */
const failed = ({ transient }: StoreError) =>
  Effect.succeed<Answer>(
    transient ? { status: 503, body: { error: "unavailable" } } : { status: 500, body: { error: "internal_error" } }
  )
/** The account of the user or of the app's developer is suspended. The app keeps its tokens: they work again later. */
const ON_HOLD: Answer = { status: 503, body: { error: "connection_on_hold" } }

/**
 * Handles the token request of an app that has authenticated. `InvalidGrant` has a reason, which you can log but must
 * not send to the app.
 */
const token = (client: App.App, form: URLSearchParams) => {
  const field = (name: string) => form.get(name) ?? ""
  const grant =
    field("grant_type") === "refresh_token"
      ? refreshTokens(client, field("refresh_token"))
      : exchangeCode(client, {
          code: field("code"),
          codeVerifier: field("code_verifier"),
          redirectUri: field("redirect_uri")
        })
  return grant.pipe(
    Effect.map(granted),
    Effect.catchTags({
      InvalidGrant: () => Effect.succeed<Answer>({ status: 400, body: { error: "invalid_grant" } }),
      Suspended: () => Effect.succeed(ON_HOLD),
      StoreError: failed
    })
  )
}

const revoke = (client: App.App, form: URLSearchParams) =>
  revokeToken(client, form.get("token") ?? "").pipe(
    Effect.as<Answer>({ status: 200, body: {} }),
    Effect.catchTag("StoreError", failed)
  )

/** A missing, a malformed, an expired and a revoked token get the same answer. */
const me = (request: IncomingMessage) =>
  authenticateAccess(/^Bearer (\S+)$/.exec(request.headers.authorization ?? "")?.[1] ?? "").pipe(
    Effect.map(({ connection }): Answer => ({ status: 200, body: { sub: connection.sub } })),
    Effect.catchTags({
      InvalidToken: () => Effect.succeed<Answer>({ status: 401, body: { error: "invalid_token" } }),
      Suspended: () => Effect.succeed(ON_HOLD),
      StoreError: failed
    })
  )

/** `clientOf` checks the app's own credentials, in whatever form your protocol sends them. */
export const tokenServer = (
  runtime: ManagedRuntime.ManagedRuntime<Ports, unknown>,
  clientOf: (form: URLSearchParams) => App.App | undefined
): Server => {
  const answerTo = async (request: IncomingMessage): Promise<Answer> => {
    if (request.url === "/me") return runtime.runPromise(me(request))
    const form = new URLSearchParams(await text(request))
    const client = clientOf(form)
    if (client === undefined) return { status: 401, body: { error: "invalid_client" } }
    return runtime.runPromise(request.url === "/revoke" ? revoke(client, form) : token(client, form))
  }
  return createServer((request, response) => {
    answerTo(request).then(
      ({ body, status }) =>
        response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body)),
      () => response.writeHead(500).end()
    )
  })
}
