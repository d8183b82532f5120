import { Effect } from "effect"
import { type Account, DisplayName, Email } from "../accounts/Account.js"
import { AccountStore } from "../accounts/AccountStore.js"
import { type App, Description, INITIAL, Name } from "../apps/App.js"
import { approved } from "../apps/AppProposal.js"
import { AppStore } from "../apps/AppStore.js"
import { RedirectUri } from "../apps/RedirectUri.js"
import { registerRedirectUris } from "../apps/registerRedirectUris.js"
import * as Purpose from "../purposes/Purpose.js"
import * as PurposeLife from "../purposes/PurposeLife.js"
import { PurposeStore } from "../purposes/PurposeStore.js"
import * as Entropy from "../shared/Entropy.js"
import { AppId, PurposeId, UserId } from "../shared/Ids.js"
import type { Conflict, NotFound } from "../shared/Invalid.js"
import * as Scope from "../shared/Scope.js"
import type { StoreError } from "../shared/StoreError.js"
import * as Timestamp from "../shared/Timestamp.js"
import type { Vault } from "../shared/Vault.js"

/**
 * What contract cases and tests begin with, stored through the ports. Ids and e-mails are fresh each time, so that cases
 * can share a database. Anything special goes into `overrides`.
 */

/** An account without roles. Its password is no password: nobody signs in as a fixture. */
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
      ...overrides
    }
    yield* Effect.catchTag(accounts.create(account, "no password"), "Conflict", Effect.die)
    return account
  })

export const user = userWith()

/**
 * A sandbox app that declares every scope and has one redirect URI and no client secret. One in production was approved with what
 * it has, unless `overrides` say otherwise.
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
      name: Name.make("Coffee Finder"),
      description: Description.make("Finds good coffee near where you are."),
      homepageUrl: null,
      declaredScopes: Scope.all,
      ...INITIAL,
      redirectUris: [RedirectUri.make("https://coffee.example/callback")],
      createdAt: yield* Timestamp.now,
      ...overrides
    }
    const made = base.status === "production" ? { ...approved(base), ...overrides } : base
    yield* apps.create(made)
    return made
  })

/** The same with a client secret, as `POST /v1/oauth/clients/{app_id}` gives it. */
export const registeredApp = (
  owner: Account,
  overrides: Partial<App> = {}
): Effect.Effect<
  { readonly app: App; readonly clientSecret: string },
  Conflict | NotFound | StoreError,
  AppStore | Entropy.Entropy | Vault
> =>
  Effect.gen(function* () {
    const { revokedAt = null, ...others } = overrides
    const made = yield* app(owner.id, others)
    const registered = yield* registerRedirectUris(owner, made.id, made.redirectUris)
    if (revokedAt === null) return registered
    // A revoked app is issued no secret, so it is revoked after that.
    const revoked = { ...registered.app, revokedAt }
    yield* (yield* AppStore).update(made.id, (before) => ({ outcome: 0, after: { ...before, app: revoked } }))
    return { ...registered, app: revoked }
  })

/** `archivedAt` archives what the rest makes. */
export type PurposeOverrides = Partial<Omit<Purpose.Live, "archivedAt">> & {
  readonly archivedAt?: Timestamp.Timestamp | undefined
}

/** A purpose with other fields than it was made with, archived when `archivedAt` says so. */
export const overridden = (
  made: Purpose.Live,
  { archivedAt, ...overrides }: PurposeOverrides
): Purpose.Live | Purpose.Archived => {
  const live = { ...made, ...overrides }
  return archivedAt === undefined ? live : PurposeLife.archive(live, archivedAt)
}

/** A draft for every sensitive scope, 10 calls a day. */
export const purpose = (
  appId: AppId,
  key: string,
  overrides: PurposeOverrides = {}
): Effect.Effect<Purpose.Purpose, StoreError, PurposeStore | Entropy.Entropy> =>
  Effect.gen(function* () {
    const id = PurposeId.make(yield* Entropy.id("pps"))
    const terms: Purpose.Terms = {
      description: `Finds coffee near you (${key})`,
      scopes: Scope.sensitive,
      expectedDailyVolume: 10
    }
    const made = overridden(Purpose.draft(appId, id, Purpose.Key.make(key), terms, yield* Timestamp.now), overrides)
    yield* Effect.catchTag((yield* PurposeStore).create(made), "Conflict", Effect.die)
    return made
  })
