import { Effect, Either, Option } from "effect"
import { type Account, AccountStore } from "../accounts/index.js"
import { AppId, type Conflict, Entropy, NotFound, Scope, Timestamp, Vault, program } from "../shared/index.js"
import { type App, type AppDescription, type HomepageUrl, INITIAL, type AppName } from "./App.js"
import * as AppLife from "./AppLife.js"
import { type AppChange, AppStore, type Registered } from "./AppStore.js"
import * as ClientSecret from "./ClientSecret.js"
import type * as RedirectUri from "./RedirectUri.js"

export interface NewApp {
  readonly name: AppName
  readonly description: AppDescription
  readonly homepageUrl: HomepageUrl | null
  readonly scopes: ReadonlyArray<Scope.Scope>
}

/** Creates a sandbox app without redirect URIs and secret. The first app makes the account a developer's. */
export const createApp = program("createApp", function* (account: Account.Account, input: NewApp) {
  const accounts = yield* AccountStore
  const apps = yield* AppStore
  // The role is stored first. A developer without apps does no harm; an app whose owner is not a developer would.
  yield* accounts.addRoles(account.id, ["developer"])
  const app: App = {
    id: AppId.make(yield* Entropy.id("app")),
    ownerId: account.id,
    name: input.name,
    description: input.description,
    homepageUrl: input.homepageUrl,
    declaredScopes: Scope.normalise(input.scopes),
    ...INITIAL,
    createdAt: yield* Timestamp.now
  }
  yield* apps.create(app)
  return app
})

/**
 * Changes the app's description and scopes, at once or after a review (`AppLife.edit`). `NotFound` for another
 * account's app; `Conflict` when the app is revoked, or when scopes are added during a review.
 */
export const updateApp = program("updateApp", function* (account: Account.Account, id: AppId, change: AppLife.AppEdit) {
  return yield* step(account, id, (app, now) => AppLife.edit(app, change, now))
})

/**
 * Replaces the app's redirect URIs and issues a new client secret, which is returned once. The previous secret works
 * for another 24 hours (Spec §4.3, decisions §4). In production, URIs with an origin that was never approved wait for a
 * reviewer (`AppProposal.pendingRedirectUris`). `NotFound` for another account's app, `Conflict` for a revoked app.
 */
export const registerRedirectUris = program(
  "registerRedirectUris",
  function* (account: Account.Account, id: AppId, redirectUris: RedirectUri.List) {
    const clientSecret = ClientSecret.format(yield* Entropy.secret)
    const hash = (yield* Vault.Vault).sha256(clientSecret)
    const outcome = yield* changeOwned(account, id, (before, now) => {
      const edited = AppLife.register(before.app, redirectUris, now)
      const next: ClientSecret.ClientSecret = { appId: id, hash, createdAt: now, expiresAt: null }
      const after = Either.map(edited, (app) => ({ app, secrets: ClientSecret.rotate(before.secrets, next, now) }))
      return { outcome: edited, after: Either.getOrNull(after) }
    })
    return { app: yield* outcome, clientSecret }
  }
)

/** Submits a sandbox app for review (Spec §5.4). `NotFound` for another account's, `Conflict` in another state. */
export const submitApp = program("submitApp", function* (account: Account.Account, id: AppId) {
  return yield* step(account, id, AppLife.submit)
})

/** Withdraws a production app's waiting change. `NotFound` for another account's, `Conflict` without a change. */
export const withdrawChange = program("withdrawChange", function* (account: Account.Account, id: AppId) {
  return yield* step(account, id, AppLife.withdraw)
})

/** One transition of the owner's app. The secrets stay. */
const step = (
  account: Account.Account,
  id: AppId,
  next: (app: App, now: Timestamp.Timestamp) => Either.Either<App, Conflict>
) =>
  Effect.flatten(
    changeOwned(account, id, (before, now) => {
      const outcome = next(before.app, now)
      return { outcome, after: Either.isLeft(outcome) ? null : { ...before, app: outcome.right } }
    })
  )

/** `AppStore.update`, for the app's owner only. The owner is checked under the lock. */
const changeOwned = <A>(
  account: Account.Account,
  id: AppId,
  decide: (before: Registered, now: Timestamp.Timestamp) => AppChange<A>
) =>
  Effect.gen(function* () {
    const apps = yield* AppStore
    const outcome = yield* apps.update(id, (before, now) => {
      if (before.app.ownerId !== account.id) return { outcome: Option.none<A>(), after: null }
      const { outcome, ...change } = decide(before, now)
      return { outcome: Option.some(outcome), ...change }
    })
    return yield* Effect.mapError(Option.flatten(outcome), () => new NotFound({ what: "app" }))
  })
