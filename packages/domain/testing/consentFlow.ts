import { Effect, Option } from "effect"
import type { Account } from "../src/accounts/Account.js"
import type { App } from "../src/apps/App.js"
import type { Parameters } from "../src/consent/AuthorizeRequest.js"
import type { ConsentChoices } from "../src/consent/ConsentChoices.js"
import { decideConsent, startConsent } from "../src/consent/askForConsent.js"
import { exchangeCode } from "../src/tokens/manageTokens.js"
import { ConnectionId } from "../src/shared/Ids.js"
import type { Scope } from "../src/shared/Scope.js"
import * as Token from "../src/shared/Token.js"
import { Vault } from "../src/shared/Vault.js"
import * as Check from "./Check.js"

/**
 * The functions of this file take the steps from `GET /authorize` to the tokens, for one user and one app. The
 * functions call the programs of the domain directly, without HTTP.
 */

export const ISSUER = "https://places.example"
export const VERIFIER = "a-verifier-of-the-app-that-is-long-enough-0123456789"
export const STATE = "state-0123456789"

/**
 * The parameters of a valid authorization request. A sensitive scope also needs a usable purpose (`Purpose.usable`).
 */
export const parameters = (
  app: App,
  scopes: ReadonlyArray<Scope>,
  overrides: Parameters = {}
): Effect.Effect<Parameters, never, Vault> =>
  Effect.map(Vault, (vault) => ({
    client_id: app.id,
    redirect_uri: app.redirectUris[0] ?? Check.fail("the app has a redirect URI"),
    scope: scopes.join(" "),
    code_challenge: vault.s256(VERIFIER),
    code_challenge_method: "S256",
    state: STATE,
    ...overrides
  }))

/**
 * The user's choices on the consent page. By default the user allows the request, for 30 days in each tier, and ticks
 * no scope and no place.
 */
export const choices = (overrides: Partial<ConsentChoices> = {}): ConsentChoices => ({
  decision: "allow",
  shown: undefined,
  scopes: [],
  places: [],
  earlier: [],
  standardDays: "30",
  sensitiveDays: "30",
  ...overrides
})

/** The query parameters of the redirect that goes back to the app. */
export const answer = (redirectTo: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    redirectTo
      .slice(redirectTo.indexOf("?") + 1)
      .split("&")
      .map((pair) => pair.split("=").map(decodeURIComponent))
  )

/**
 * Choices of the user that differ from `choices()`. `request` has the parameters of the app's request that differ from
 * `parameters()`.
 */
export type Overrides = Partial<ConsentChoices> & { readonly request?: Parameters }

/**
 * The app requests `scopes`. The user allows all of them, or only `overrides.scopes` if that field is set. Returns the
 * authorization code with its redirect, consent request and connection.
 */
export const approve = (app: App, user: Account, scopes: ReadonlyArray<Scope>, overrides: Overrides = {}) =>
  Effect.gen(function* () {
    const { request, ...chosen } = overrides
    const started = yield* startConsent(yield* parameters(app, scopes, request), ISSUER)
    const decided = yield* decideConsent(started.id, user, choices({ scopes, ...chosen }), ISSUER, "assumed")
    const code = answer(decided.redirectTo)["code"] ?? Check.fail("the answer carries a code")
    return { code, redirectTo: decided.redirectTo, requestId: started.id, connectionId: connectionOf(code) }
  })

/** Exchanges the authorization code as the app's server does. */
export const exchange = (app: App, code: string) =>
  exchangeCode(app, {
    code,
    codeVerifier: VERIFIER,
    redirectUri: app.redirectUris[0] ?? Check.fail("the app has a redirect URI")
  })

/** The user approves the app, and the app exchanges the code. Takes the same arguments as `approve`. */
export const connect = (app: App, user: Account, scopes: ReadonlyArray<Scope>, overrides: Overrides = {}) =>
  Effect.gen(function* () {
    const approved = yield* approve(app, user, scopes, overrides)
    return { ...approved, tokens: yield* exchange(app, approved.code) }
  })

/** The connection to which a code or token belongs. Apps must not parse tokens; tests may. */
export const connectionOf = (token: string): ConnectionId =>
  ConnectionId.make(Option.getOrElse(Token.parse(token), () => Check.fail("it is a token of ours")).route)
