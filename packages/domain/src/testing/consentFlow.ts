import { Effect, Option } from "effect"
import type { Account } from "../accounts/Account.js"
import type { App } from "../apps/App.js"
import type { Parameters } from "../connection/AuthorizeRequest.js"
import type { ConsentChoices } from "../connection/ConsentChoices.js"
import { decideConsent } from "../connection/decideConsent.js"
import { exchangeCode } from "../connection/exchangeCode.js"
import { startConsent } from "../connection/startConsent.js"
import { ConnectionId } from "../shared/Ids.js"
import type { Scope } from "../shared/Scope.js"
import * as Token from "../shared/Token.js"
import { Vault } from "../shared/Vault.js"
import * as Check from "./Check.js"

/** The way from `GET /authorize` to tokens, as one user and one app go it, through the programs. */

export const ISSUER = "https://places.example"
export const VERIFIER = "a-verifier-of-the-app-that-is-long-enough-0123456789"
export const STATE = "state-0123456789"

/** Of a well-formed request; standard scopes need nothing of the app, sensitive ones a purpose. */
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

/** Every box ticked that the page would need to be, 30 days each. */
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

/** What came back to the app in the address that the browser was sent to. */
export const answer = (redirectTo: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    redirectTo
      .slice(redirectTo.indexOf("?") + 1)
      .split("&")
      .map((pair) => pair.split("=").map(decodeURIComponent))
  )

/** What the user chose differently, and parameters that the app sent differently. */
export type Overrides = Partial<ConsentChoices> & { readonly request?: Parameters }

/** Allows `scopes`, all of them unless `overrides` says less, and gives the code. */
export const approve = (app: App, user: Account, scopes: ReadonlyArray<Scope>, overrides: Overrides = {}) =>
  Effect.gen(function* () {
    const { request, ...chosen } = overrides
    const started = yield* startConsent(yield* parameters(app, scopes, request), ISSUER)
    const decided = yield* decideConsent(started.id, user, choices({ scopes, ...chosen }), ISSUER)
    const code = answer(decided.redirectTo)["code"] ?? Check.fail("the answer carries a code")
    return { code, redirectTo: decided.redirectTo, requestId: started.id, connectionId: connectionOf(code) }
  })

/** Exchanges the code as the app's server does. */
export const exchange = (app: App, code: string) =>
  exchangeCode(app, {
    code,
    codeVerifier: VERIFIER,
    redirectUri: app.redirectUris[0] ?? Check.fail("the app has a redirect URI")
  })

/** Approves and exchanges. */
export const connect = (app: App, user: Account, scopes: ReadonlyArray<Scope>, overrides: Overrides = {}) =>
  Effect.gen(function* () {
    const approved = yield* approve(app, user, scopes, overrides)
    return { ...approved, tokens: yield* exchange(app, approved.code) }
  })

/** The connection that a code or token is of: tests may know what apps must not parse. */
export const connectionOf = (token: string): ConnectionId =>
  ConnectionId.make(Option.getOrElse(Token.parse(token), () => Check.fail("it is a token of ours")).route)
