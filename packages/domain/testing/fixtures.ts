import { Effect } from "effect"
import { type Account, DisplayName, Email } from "../src/accounts/Account.js"
import { AccountStore } from "../src/accounts/AccountStore.js"
import { type App, AppDescription, INITIAL, AppName } from "../src/apps/App.js"
import { approved } from "../src/apps/AppProposal.js"
import { AppStore } from "../src/apps/AppStore.js"
import { RedirectUri } from "../src/apps/RedirectUri.js"
import { registerRedirectUris } from "../src/apps/changeApp.js"
import { findClient, proveClient } from "../src/apps/proveClient.js"
import * as Purpose from "../src/purposes/Purpose.js"
import * as PurposeLife from "../src/purposes/PurposeLife.js"
import { PurposeStore } from "../src/purposes/PurposeStore.js"
import * as Entropy from "../src/shared/Entropy.js"
import { AppId, PurposeId, UserId } from "../src/shared/Ids.js"
import type { Conflict, Forbidden, NotFound, StoreError } from "../src/shared/Errors.js"
import * as Scope from "../src/shared/Scope.js"
import * as Timestamp from "../src/shared/Timestamp.js"
import type { Vault } from "../src/shared/Vault.js"

/**
 * The functions of this file store the users, apps and purposes with which contract cases and tests begin. Every object
 * gets a new id, and every user gets a new e-mail address, so that cases can share a database. `overrides` change
 * single fields.
 */

/**
 * The password hash of every account that `userWith` stores. No password has this hash, so nobody can sign in to these
 * accounts.
 */
export const NO_PASSWORD = "no password"

/** Stores a confirmed account without roles. */
export const userWith = (
  overrides: Partial<Account> = {}
): Effect.Effect<Account, StoreError, AccountStore | Entropy.Entropy> =>
  Effect.gen(function* () {
    const accounts = yield* AccountStore
    const id = UserId.make(yield* Entropy.id("usr"))
    const account: Account = {
      id,
      email: Email.make(`${id}@example.com`),
      displayName: DisplayName.make("Ada"),
      roles: [],
      createdAt: yield* Timestamp.now,
      suspendedAt: null,
      confirmedAt: yield* Timestamp.now,
      timeZone: null,
      language: null,
      browserLanguage: null,
      testOf: null,
      ...overrides
    }
    yield* Effect.catchTag(accounts.create(account, NO_PASSWORD), "Conflict", Effect.die)
    return account
  })

export const user = userWith()

/**
 * Stores an app in the sandbox that declares every scope, with one redirect URI and no client secret. If `overrides`
 * set the status `production`, the app's values count as approved by a reviewer.
 */
export const app = (
  ownerId: UserId,
  overrides: Partial<App> = {}
): Effect.Effect<App, StoreError, AppStore | Entropy.Entropy> =>
  Effect.gen(function* () {
    const apps = yield* AppStore
    const base: App = {
      id: AppId.make(yield* Entropy.id("app")),
      ownerId,
      name: AppName.make("Coffee Finder"),
      description: AppDescription.make("Finds good coffee near where you are."),
      homepageUrl: null,
      declaredScopes: Scope.all,
      ...INITIAL,
      redirectUris: [RedirectUri.make("https://coffee.example/callback")],
      createdAt: yield* Timestamp.now,
      ...overrides
    }
    const made = base.status === "production" ? { ...approved(base), ...overrides } : base
    const outcome = yield* apps.create(made)
    return outcome === "Made" ? made : yield* Effect.dieMessage(`the app was not stored: ${outcome}`)
  })

/**
 * Stores an app as the function `app` does. The app also gets a client secret, as an app does that calls `POST
 * /v1/oauth/clients/{app_id}`.
 */
export const registeredApp = (
  owner: Account,
  overrides: Partial<App> = {}
): Effect.Effect<
  { readonly app: App; readonly clientSecret: string },
  Conflict | Forbidden | NotFound | StoreError,
  AppStore | Entropy.Entropy | Vault
> =>
  Effect.gen(function* () {
    const { revokedAt = null, ...others } = overrides
    const made = yield* app(owner.id, others)
    const registered = yield* registerRedirectUris(owner, made.id, made.redirectUris, "assumed", "unchecked")
    if (revokedAt === null) return registered
    // A revoked app cannot get a client secret, so this function revokes the app only after the app got its secret.
    const revoked = { ...registered.app, revokedAt }
    yield* (yield* AppStore).update(made.id, (before) => ({ outcome: 0, after: { ...before, app: revoked } }))
    return { ...registered, app: revoked }
  })

/** Fields that differ from the default purpose. With `archivedAt` the purpose is archived at that time. */
export type PurposeOverrides = Partial<Omit<Purpose.Live, "archivedAt">> & {
  readonly archivedAt?: Timestamp.Timestamp | undefined
}

/** Returns the purpose `made` with the given fields. With `archivedAt` the purpose is archived at that time. */
export const overridden = (
  made: Purpose.Live,
  { archivedAt, ...overrides }: PurposeOverrides
): Purpose.Live | Purpose.Archived => {
  const live = { ...made, ...overrides }
  return archivedAt === undefined ? live : PurposeLife.archive(live, archivedAt)
}

/** Stores a purpose that covers all sensitive scopes and expects 10 calls a day. By default the purpose is a draft. */
export const purpose = (
  appId: AppId,
  key: string,
  overrides: PurposeOverrides = {}
): Effect.Effect<Purpose.Purpose, StoreError, PurposeStore | Entropy.Entropy> =>
  Effect.gen(function* () {
    const id = PurposeId.make(yield* Entropy.id("pps"))
    const terms: Purpose.PurposeTerms = {
      description: `Finds coffee near you (${key})`,
      scopes: Scope.sensitive,
      expectedDailyVolume: 10
    }
    const made = overridden(
      Purpose.draft(appId, id, Purpose.PurposeKey.make(key), terms, yield* Timestamp.now),
      overrides
    )
    yield* Effect.catchTag((yield* PurposeStore).create(made), "Conflict", Effect.die)
    return made
  })

/**
 * Returns the app if the secret is one of its client secrets, and fails with `InvalidClient` otherwise. In production,
 * the service counts the call between the two steps of this function: finding the app and checking the secret.
 */
export const authenticateClient = (clientId: string, clientSecret: string) =>
  Effect.flatMap(findClient(clientId), (found) => proveClient(found, clientSecret))
