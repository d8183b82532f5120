import { Effect, Either, Option } from "effect"
import type { Account } from "../accounts/Account.js"
import { type AppId, Cursor, NotFound, type Page, program } from "../shared/index.js"
import { requireReviewer } from "../reviews/Staff.js"
import * as AppLogo from "./AppLogo.js"
import { AppStore } from "./AppStore.js"

/** The account's own app, else `NotFound`. Every route below an app's id calls this first. */
export const getOwnedApp = program("getOwnedApp", function* (account: Account, id: AppId) {
  const apps = yield* AppStore
  const app = Option.filter(yield* apps.find(id), ({ ownerId }) => ownerId === account.id)
  return yield* Effect.mapError(app, () => new NotFound({ what: "app" }))
})

/** The account's own apps, oldest first. `Invalid` for a cursor of another list. */
export const listApps = program("listApps", function* (account: Account, page: Page.PageRequest) {
  const apps = yield* AppStore
  const { items, nextCursor } = yield* Cursor.page(`apps of ${account.id}`, page, (limit, after) =>
    apps.listOwnedBy(account.id, limit, after)
  )
  return { apps: items, nextCursor }
})

/** The present names of these apps, by id. A page often names one app many times: each is looked up once. */
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
 * A logo that a visitor may see. Everybody sees the logo in force of an app in production; its developer, reviewers and
 * admins (`account`) also see one that waits, and those of other apps. `NotFound` otherwise.
 */
export const findLogo = program(
  "findLogo",
  function* (id: AppId, digest: AppLogo.LogoDigest, account: Option.Option<Account>) {
    const apps = yield* AppStore
    const unknown = () => new NotFound({ what: "logo" })
    const app = yield* Effect.mapError(yield* apps.find(id), unknown)
    const isPublic = app.logo === digest && app.status === "production" && app.revokedAt === null
    const isTheirs = Option.exists(account, (one) => one.id === app.ownerId || Either.isRight(requireReviewer(one)))
    if (!isPublic && !isTheirs) return yield* unknown()
    return { isPublic, bytes: AppLogo.bytesOf(yield* Effect.mapError(yield* apps.findLogo(id, digest), unknown)) }
  }
)
