import { Effect, Either, Option } from "effect"
import type { Account } from "../accounts/Account.js"
import { type AppId, Conflict, Cursor, NotFound, type Page, program, type UserId } from "../shared/index.js"
import { requireReviewer } from "../reviews/Staff.js"
import * as TeamRole from "../teams/Role.js"
import * as Team from "../teams/Team.js"
import { type App, publicLogo } from "./App.js"
import * as AppLife from "./AppLife.js"
import * as AppLogo from "./AppLogo.js"
import { type AdmitsChange, AppStore, type TeamMember } from "./AppStore.js"

/**
 * The app, for an action of a team member. Fails with `NotFound` when the account is not in the app's team, and with
 * `Forbidden` when the member's role does not allow the action (decision teams-1).
 */
export const getApp = program("getApp", function* (account: Account, id: AppId, action: TeamRole.Action) {
  return (yield* getAppWithRole(account, id, action)).app
})

/**
 * Like `getApp`, for a member who will change something that belongs to the app, such as a webhook endpoint. Fails with
 * `Conflict` when the app was revoked (decision apps-2).
 */
export const getAppToChange = program("getAppToChange", function* (account: Account, id: AppId) {
  const app = yield* getApp(account, id, "develop")
  return app.revokedAt === null ? app : yield* new Conflict({ reason: AppLife.REVOKED })
})

/**
 * Why the account may not change what belongs to the app; null when it may. The check is that of `getAppToChange`, on
 * an app and members that a store read under the lock of the app (`AdmitsChange`). A program checks again under the
 * lock because the account's role may have changed since the call of `getAppToChange`.
 */
export const refusalToChange = (account: Pick<Account, "id">, ...[app, members]: Parameters<AdmitsChange>) =>
  Option.match(Either.getLeft(admitUnderLock(account, app, members, "develop")), {
    onSome: (refused) => refused,
    onNone: () => (app.revokedAt === null ? null : new Conflict({ reason: AppLife.REVOKED }))
  })

/**
 * The account's role, if it allows the action. A suspended account has no role: `members` lacks suspended accounts, and
 * the app's holder is suspended when `suspendedAt` is set. So a request that waited for the app's lock while the
 * account was suspended changes nothing (decision staff-1).
 */
export const admitUnderLock = (
  { id }: Pick<Account, "id">,
  { ownerId, suspendedAt }: Pick<App, "ownerId" | "suspendedAt">,
  members: ReadonlyArray<TeamMember>,
  action: TeamRole.Action
) => {
  const isSuspended = id === ownerId && suspendedAt !== null
  return TeamRole.admit(isSuspended ? undefined : Team.roleOf({ holderId: ownerId, members }, id), action)
}

/** Like `getApp`, but also returns the account's role in the app's team. */
export const getAppWithRole = program(
  "getAppWithRole",
  function* (account: Account, id: AppId, action: TeamRole.Action) {
    const apps = yield* AppStore
    const app = yield* Effect.mapError(yield* apps.find(id), () => new NotFound({ what: "app" }))
    return { app, role: yield* TeamRole.admit(yield* roleIn(app, account.id), action) }
  }
)

/** The account's role in the app's team; undefined: the account is not in the team. */
export const roleIn = program("roleIn", function* (app: Pick<App, "id" | "ownerId">, userId: UserId) {
  if (userId === app.ownerId) return "owner"
  return (yield* (yield* AppStore).members(app.id)).find((member) => member.userId === userId)?.role
})

/**
 * The people who get the mails about the app: its holder (`App.ownerId`), and the members with one of these roles
 * (decision teams-5).
 */
export const readersOf = program(
  "readersOf",
  function* ({ id, ownerId }: Pick<App, "id" | "ownerId">, roles: ReadonlyArray<TeamRole.TeamRole>) {
    const members = (yield* (yield* AppStore).members(id)).filter(({ role }) => roles.includes(role))
    return [ownerId, ...members.map(({ userId }) => userId)]
  }
)

/** All accounts in the app's team. The first is the account in whose name the app is registered (`App.ownerId`). */
export const teamOf = program("teamOf", function* (app: Pick<App, "id" | "ownerId">) {
  return yield* readersOf(app, TeamRole.TeamRole.literals)
})

/** The apps in whose team the account is, oldest first. Fails with `Invalid` for a cursor of another list. */
export const listApps = program("listApps", function* (account: Account, page: Page.PageRequest) {
  const apps = yield* AppStore
  const { items, nextCursor } = yield* Cursor.page(`apps of ${account.id}`, page, (limit, after) =>
    apps.listOf(account.id, limit, after)
  )
  return { apps: items, nextCursor }
})

/**
 * A map from these ids to the present names of the apps, without unknown ids. A page often names one app many times, so
 * each id is looked up once.
 */
export const nameApps = (ids: Iterable<AppId>) =>
  Effect.gen(function* () {
    const apps = yield* AppStore
    const names = new Map<AppId, string>()
    for (const id of new Set(ids)) {
      const app = yield* apps.find(id)
      if (Option.isSome(app)) names.set(id, app.value.name)
    }
    return names
  })

/**
 * A logo that a visitor may see. Everybody sees the logo in force of an app in production that is not revoked. A
 * visitor whose `account` is in the app's team, a reviewer or an admin sees every logo of the app, even a logo that
 * waits for a reviewer. In all other cases the program fails with `NotFound`.
 */
export const findLogo = program(
  "findLogo",
  function* (id: AppId, digest: AppLogo.LogoDigest, account: Option.Option<Account>) {
    const apps = yield* AppStore
    const unknown = () => new NotFound({ what: "logo" })
    const app = yield* Effect.mapError(yield* apps.find(id), unknown)
    const isPublic = publicLogo(app) === digest
    if (!isPublic && !(yield* isTheirs(app, account))) return yield* unknown()
    return { isPublic, bytes: AppLogo.bytesOf(yield* Effect.mapError(yield* apps.findLogo(id, digest), unknown)) }
  }
)

const isTheirs = (app: App, account: Option.Option<Account>) =>
  Effect.gen(function* () {
    if (Option.isNone(account)) return false
    const { id } = account.value
    if (id === app.ownerId || Either.isRight(requireReviewer(account.value))) return true
    return (yield* roleIn(app, id)) !== undefined
  })
