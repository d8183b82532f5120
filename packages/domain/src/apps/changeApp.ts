import { Effect, Either } from "effect"
import { type Account, AccountStore } from "../accounts/index.js"
import { announceAudit, AuditEvent } from "../audit/index.js"
import * as AccountLimits from "../quotas/AccountLimits.js"
import * as Submission from "../reviews/Submission.js"
import {
  AppId,
  Conflict,
  Entropy,
  Forbidden,
  NotFound,
  Scope,
  type ShownState,
  Timestamp,
  Vault,
  program
} from "../shared/index.js"
import { type App, type AppDescription, type HomepageUrl, INITIAL, type AppName } from "./App.js"
import type { Logo, LogoPng } from "./AppLogo.js"
import * as AppLife from "./AppLife.js"
import { type AppChange, AppStore, type Registered } from "./AppStore.js"
import * as ClientSecret from "./ClientSecret.js"
import * as TeamRole from "../teams/Role.js"
import { admitUnderLock, getApp } from "./readApps.js"
import type * as RedirectUri from "./RedirectUri.js"

export interface NewApp {
  readonly name: AppName
  readonly description: AppDescription
  readonly homepageUrl: HomepageUrl | null
  readonly scopes: ReadonlyArray<Scope.Scope>
}

/**
 * Creates a sandbox app without redirect URIs and client secret, and gives the account the role of developer. Fails
 * with `Conflict` when the account has `AccountLimits.APPS` apps already. Fails with `NotFound` when the account was
 * deleted or suspended meanwhile.
 */
export const createApp = program("createApp", function* (account: Account.Account, input: NewApp) {
  const accounts = yield* AccountStore
  const apps = yield* AppStore
  // The role is stored first. If the second write fails, there is a developer without an app, but never an app whose
  // owner is no developer.
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
  const made = yield* apps.create(app)
  if (made === "NoOwner") return yield* new NotFound({ what: "account" })
  if (made === "Full") return yield* new Conflict({ reason: AccountLimits.APPS.refusal })
  return app
})

/**
 * Changes the app's fields, at once or after a review (`AppLife.edit`). Fails with:
 * - `NotFound` when the account is not in the app's team
 * - `Forbidden` when the account's role in the team does not allow changes
 * - `Forbidden` when the app would wait for a reviewer after the change, and the account's address does not count as
 *   confirmed by `rule`
 * - `Conflict` when the app is revoked, when scopes are added during a review, and when the form showed another
 *   revision (`shown`, as in `AppLife.edit`)
 */
export const updateApp = program(
  "updateApp",
  function* (
    account: Account.Account,
    id: AppId,
    change: AppChanges,
    rule: Account.AddressRule,
    shown: ShownState<number>
  ) {
    const { logo: png, ...fields } = change
    const digest = png === undefined || png === null ? png : (yield* Vault.Vault).sha256(png)
    const logo = typeof digest === "string" && typeof png === "string" ? { digest, png } : undefined
    const edit = (app: App, now: Timestamp.Timestamp) =>
      Either.flatMap(AppLife.edit(app, { ...fields, logo: digest }, now, shown), Submission.admit(account, rule, app))
    return yield* step(account, id, "develop", edit, logo)
  }
)

/**
 * The changes of `updateApp`: an `AppLife.AppEdit` with a PNG file in place of the logo's digest. `logo` null removes
 * it.
 */
export interface AppChanges extends Omit<AppLife.AppEdit, "logo"> {
  readonly logo?: LogoPng | null | undefined
}

/**
 * Replaces the app's redirect URIs and issues a new client secret, which is returned only here. The previous secret
 * works for another 24 hours (Spec §4.3, decisions §4). In production, URIs with an origin that was never approved wait
 * for a reviewer (`AppProposal.pendingRedirectUris`). A failed call issues no secret. Fails with:
 * - `NotFound` when the account is not in the app's team
 * - `Forbidden` when the account is not an owner of the app, or its address must be confirmed first, as in `updateApp`
 * - `Conflict` when the app is revoked, or the form showed another revision (`shown`, as in `updateApp`)
 */
export const registerRedirectUris = program(
  "registerRedirectUris",
  function* (
    account: Account.Account,
    id: AppId,
    redirectUris: RedirectUri.List,
    rule: Account.AddressRule,
    shown: ShownState<number>
  ) {
    const clientSecret = ClientSecret.format(yield* Entropy.secret)
    const hash = (yield* Vault.Vault).sha256(clientSecret)
    let committed: AuditEvent.AuditEvent | undefined
    const register = registering(account, redirectUris, rule, shown)
    const outcome = yield* changeAs(account, id, "secrets", (before, now) => {
      const edited = register(before.app, now)
      const next: ClientSecret.ClientSecret = { appId: id, hash, createdAt: now, expiresAt: null }
      const after = Either.map(edited, (app) => ({ app, secrets: ClientSecret.rotate(before.secrets, next, now) }))
      // The first secret of an app replaces no other secret, so it makes no audit event.
      committed =
        Either.isRight(edited) && before.secrets.length > 0 ? audited("secret_rotated", account, id, now) : undefined
      return { outcome: edited, after: Either.getOrNull(after), audit: committed }
    })
    if (committed !== undefined) yield* announceAudit(committed)
    return { app: yield* outcome, clientSecret }
  }
)

/** Replaces the app's redirect URIs and leaves its client secrets as they are. Fails like `registerRedirectUris`. */
export const changeRedirectUris = program(
  "changeRedirectUris",
  function* (
    account: Account.Account,
    id: AppId,
    redirectUris: RedirectUri.List,
    rule: Account.AddressRule,
    shown: ShownState<number>
  ) {
    return yield* step(account, id, "secrets", registering(account, redirectUris, rule, shown))
  }
)

const registering =
  (account: Account.Account, redirectUris: RedirectUri.List, rule: Account.AddressRule, shown: ShownState<number>) =>
  (app: App, now: Timestamp.Timestamp) =>
    Either.flatMap(AppLife.register(app, redirectUris, now, shown), Submission.admit(account, rule, app))

/**
 * Issues a new client secret, which is returned only here, and immediately ends every other secret. An owner does this
 * when somebody else may know the secret. Tokens and connections stay valid, but the app's servers cannot refresh
 * tokens until they have the new secret. Fails with:
 * - `NotFound` when the account is not in the app's team
 * - `Forbidden` when the account is not an owner of the app
 * - `Conflict` when the app is revoked or has no secret
 */
export const replaceClientSecret = program("replaceClientSecret", function* (account: Account.Account, id: AppId) {
  const clientSecret = ClientSecret.format(yield* Entropy.secret)
  const hash = (yield* Vault.Vault).sha256(clientSecret)
  const app = yield* changeSecrets(account, id, (_, now) => [{ appId: id, hash, createdAt: now, expiresAt: null }])
  return { app, clientSecret }
})

/**
 * Immediately ends every client secret except the newest. Without this call, a replaced secret works for 24 hours after
 * its replacement. Idempotent. Fails like `replaceClientSecret`.
 */
export const endPreviousClientSecrets = program(
  "endPreviousClientSecrets",
  function* (account: Account.Account, id: AppId) {
    yield* changeSecrets(account, id, ClientSecret.endPrevious)
  }
)

/**
 * The client secrets that work, newest first; none for a revoked app. Fails with `NotFound` when the account is not in
 * the app's team. Fails with `Forbidden` when the account is not an owner of the app.
 */
export const listClientSecrets = program("listClientSecrets", function* (account: Account.Account, id: AppId) {
  yield* getApp(account, id, "secrets")
  const found = yield* (yield* AppStore).findRegistered(id)
  const { app, secrets } = yield* Effect.mapError(found, () => new NotFound({ what: "app" }))
  return app.revokedAt === null ? ClientSecret.live(secrets, yield* Timestamp.now) : []
})

const NO_SECRET = "the app has no client secret yet: register redirect URIs first"

const changeSecrets = (account: Account.Account, id: AppId, change: SecretChange) =>
  Effect.gen(function* () {
    let committed: AuditEvent.AuditEvent | undefined
    const outcome = yield* changeAs<App, Conflict>(account, id, "secrets", ({ app, secrets }, now) => {
      const reason = app.revokedAt !== null ? AppLife.REVOKED : secrets.length === 0 ? NO_SECRET : undefined
      if (reason !== undefined) return { outcome: Either.left(new Conflict({ reason })), after: null }
      const after = { app, secrets: change(secrets, now) }
      const endsSome = secrets.some((one) => ClientSecret.isLive(one, now) && !after.secrets.includes(one))
      committed = endsSome ? audited("secret_ended", account, id, now) : undefined
      return { outcome: Either.right(app), after, audit: committed }
    })
    if (committed !== undefined) yield* announceAudit(committed)
    return yield* outcome
  })

type SecretChange = (
  before: ReadonlyArray<ClientSecret.ClientSecret>,
  now: Timestamp.Timestamp
) => ReadonlyArray<ClientSecret.ClientSecret>

const audited = (
  kind: "secret_rotated" | "secret_ended",
  { id }: Account.Account,
  appId: AppId,
  at: Timestamp.Timestamp
) => AuditEvent.byOwner(id, at, { kind, secret: "client", appId, endpointId: null })

/**
 * Submits a sandbox app for review (Spec §5.4). Fails with `Conflict` when the app is not in the sandbox, when the app
 * is revoked, and when the form showed another revision (`shown`, as in `updateApp`). Fails with `NotFound` and
 * `Forbidden` as `updateApp` does.
 */
export const submitApp = program(
  "submitApp",
  function* (account: Account.Account, id: AppId, rule: Account.AddressRule, shown: ShownState<number>) {
    return yield* step(account, id, "develop", (app, now) =>
      Either.flatMap(AppLife.submit(app, now, shown), Submission.admit(account, rule, app))
    )
  }
)

/**
 * Withdraws the waiting change of a production app. Fails with:
 * - `NotFound` as `updateApp` does
 * - `Forbidden` when the account's role in the team does not allow to withdraw the change (`AppLife.actionToWithdraw`)
 * - `Conflict` when no change waits, when the app is revoked, and when the form showed another revision (`shown`, as in
 *   `updateApp`)
 */
export const withdrawChange = program(
  "withdrawChange",
  function* (account: Account.Account, id: AppId, shown: ShownState<number>) {
    return yield* step(account, id, "develop", (app, _, role) =>
      Either.filterOrLeft(
        AppLife.withdraw(app, shown),
        () => TeamRole.can(role, AppLife.actionToWithdraw(app)),
        () => new Forbidden({ reason: AppLife.OWNERS_WITHDRAW })
      )
    )
  }
)

/** Makes one transition of the app, and leaves its client secrets as they are. */
const step = <E>(
  account: Account.Account,
  id: AppId,
  action: TeamRole.Action,
  next: (app: App, now: Timestamp.Timestamp, role: TeamRole.TeamRole) => Either.Either<App, E>,
  logo?: Logo
) =>
  Effect.flatten(
    changeAs(account, id, action, (before, now, role) => {
      const outcome = next(before.app, now, role)
      return { outcome, after: Either.isLeft(outcome) ? null : { ...before, app: outcome.right }, logo }
    })
  )

/**
 * Runs `AppStore.update` for a member of the app's team whose role allows the action. Fails with:
 * - `NotFound` for an account outside of the team, and for an account that was suspended meanwhile (decision staff-1)
 * - `Forbidden` for a member whose role does not allow the action, even if the role allowed it when the request began
 *   (decision teams-1)
 */
const changeAs = <A, E>(
  account: Account.Account,
  id: AppId,
  action: TeamRole.Action,
  decide: (before: Registered, now: Timestamp.Timestamp, role: TeamRole.TeamRole) => AppChange<Either.Either<A, E>>
) =>
  Effect.gen(function* () {
    // This check keeps somebody without the right role from locking the app. The role may change before the app is
    // locked, so the function that decides under the lock checks the role again.
    yield* getApp(account, id, action)
    type Outcome = Either.Either<A, E | NotFound | Forbidden>
    const outcome = yield* (yield* AppStore).update(id, (before, now, members): AppChange<Outcome> => {
      const role = admitUnderLock(account, before.app, members, action)
      return Either.isLeft(role) ? { outcome: Either.left(role.left), after: null } : decide(before, now, role.right)
    })
    return yield* Effect.mapError(outcome, () => new NotFound({ what: "app" }))
  })
