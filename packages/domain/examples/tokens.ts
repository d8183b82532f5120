import { createServer, type IncomingMessage, type Server } from "node:http"
import { text } from "node:stream/consumers"
import { type Access, type AccessLogStore, countDeadCall, recordAccess } from "@place-access/domain/access-log"
import type { App } from "@place-access/domain/apps"
import { type LimitStore, Rate, Subject, takeCall } from "@place-access/domain/limits"
import {
  authenticateAccess,
  Caller,
  exchangeCode,
  refreshTokens,
  revokeToken,
  type TokenGrant,
  type TokenStore
} from "@place-access/domain/tokens"
import type { Entropy, StoreError, Vault } from "@place-access/domain/shared"
import { Effect, type ManagedRuntime, Option } from "effect"

/** Tokens need a store of codes and tokens, entropy and a vault. The endpoint `/me` also counts and logs its calls. */
export type Ports = TokenStore | Entropy.Entropy | Vault.Vault | LimitStore | AccessLogStore

interface Answer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
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
/** A missing, a malformed, an expired and a revoked token get the same answer. */
const INVALID: Answer = { status: 401, body: { error: "invalid_token" } }
const LIMITED: Answer = { status: 429, body: { error: "rate_limited" } }

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

/** An answer, and the owner of the call's entry in the access log. Without an owner, the call gets no entry. */
interface Called extends Answer, Partial<Pick<Access, "owner" | "repeat">> {}

/** Counts a call with a valid token. Beyond the limit, the call gets a 429, which is logged too. */
const counted = (owner: Access["owner"], rate: Rate.Rate, answer: Answer) =>
  Effect.map(takeCall(Subject.connection(owner.connectionId), rate), ({ isAdmitted }): Called => ({
    ...(isAdmitted ? answer : LIMITED),
    owner
  }))

/** Counts a call with a token that has stopped working. The answer is always the same, also beyond the limit. */
const refused = (owner: Access["owner"], rate: Rate.Rate) =>
  Effect.map(
    countDeadCall(owner.connectionId, "GET /me", rate),
    Option.match({ onNone: (): Called => INVALID, onSome: (repeat): Called => ({ ...INVALID, owner, repeat }) })
  )

/** Authenticates and counts the call, and writes its entry into the access log before the answer leaves. */
const me = (request: IncomingMessage, rate: Rate.Rate) =>
  authenticateAccess(/^Bearer (\S+)$/.exec(request.headers.authorization ?? "")?.[1] ?? "").pipe(
    Effect.flatMap((caller) =>
      counted(Caller.owner(caller), rate, { status: 200, body: { sub: caller.connection.sub } })
    ),
    Effect.catchTags({
      InvalidToken: ({ known }) => (known === null ? Effect.succeed<Called>(INVALID) : refused(known, rate)),
      Suspended: ({ known }) => (known === null ? Effect.succeed<Called>(ON_HOLD) : counted(known, rate, ON_HOLD))
    }),
    Effect.tap(({ body, owner, repeat, status }) => {
      const error = status === 200 ? null : String(body["error"])
      const entry = { endpoint: "GET /me", purpose: null, status, error, disclosed: null, repeat }
      return owner === undefined ? Effect.void : recordAccess({ owner, ...entry })
    }),
    Effect.catchTag("StoreError", failed)
  )

/**
 * `clientOf` checks the app's own credentials, in whatever form your protocol sends them. `rate` limits the calls of
 * each connection.
 */
export const tokenServer = (
  runtime: ManagedRuntime.ManagedRuntime<Ports, unknown>,
  clientOf: (form: URLSearchParams) => App.App | undefined,
  rate = Rate.perMinute(600)
): Server => {
  const answerTo = async (request: IncomingMessage): Promise<Answer> => {
    if (request.url === "/me") return runtime.runPromise(me(request, rate))
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
