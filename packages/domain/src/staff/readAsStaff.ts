import { Effect, Option } from "effect"
import { type Account, AccountStore } from "../accounts/index.js"
import { findAccounts } from "../accounts/findAccounts.js"
import { type App, AppStore } from "../apps/index.js"
import { nameApps } from "../apps/readApps.js"
import { type Purpose, PurposeStore } from "../purposes/index.js"
import * as Staff from "../reviews/Staff.js"
import { type AppId, Cursor, NotFound, type Page, program } from "../shared/index.js"
import { type Leaked, ReviewStore, type WaitingSubmission } from "./ReviewStore.js"

/** The holder of an app, with the fields that reviewers and admins see. */
export type Developer = Pick<Account.Account, "id" | "displayName" | "email">

export interface DevelopedApp {
  readonly app: App.App
  readonly developer: Developer
}

/**
 * Any app, with its developer and purposes. Fails with `Forbidden` for everybody except reviewers and admins, and with
 * `NotFound` for an unknown app.
 */
export const inspectApp = program("inspectApp", function* (account: Account.Account, id: AppId) {
  yield* Staff.requireReviewer(account)
  const unknown = () => new NotFound({ what: "app" })
  const app = yield* Effect.mapError(yield* (yield* AppStore).find(id), unknown)
  const developer = yield* Effect.mapError(yield* (yield* AccountStore).find(app.ownerId), unknown)
  const purposes = yield* (yield* PurposeStore).list(id)
  const inspected: DevelopedApp & { readonly purposes: ReadonlyArray<Purpose.Purpose> } = { app, developer, purposes }
  return inspected
})

/** All apps, newest first, for reviewers and admins. Fails with `Forbidden` for everybody else. */
export const listAllApps = program("listAllApps", function* (account: Account.Account, page: Page.PageRequest) {
  yield* Staff.requireReviewer(account)
  const { items, nextCursor } = yield* Cursor.page("everybody's apps", page, (yield* AppStore).list)
  const owners = yield* findAccounts(items.map(({ ownerId }) => ownerId))
  return {
    apps: items.flatMap((app): ReadonlyArray<DevelopedApp> => {
      const developer = owners.get(app.ownerId)
      return developer === undefined ? [] : [{ app, developer }]
    }),
    nextCursor
  }
})

/** A waiting submission, with its app's developer. */
export interface ReviewEntry extends WaitingSubmission, DevelopedApp {}

/**
 * Purposes and apps in review, longest waiting first, for reviewers and admins. Fails with `Forbidden` for everybody
 * else.
 */
export const listReviews = program("listReviews", function* (account: Account.Account, page: Page.PageRequest) {
  yield* Staff.requireReviewer(account)
  const { items, nextCursor } = yield* Cursor.page("reviews", page, (yield* ReviewStore).queue)
  const owners = yield* findAccounts(items.map(({ app }) => app.ownerId))
  return {
    reviews: items.flatMap((waiting): ReadonlyArray<ReviewEntry> => {
      const developer = owners.get(waiting.app.ownerId)
      return developer === undefined ? [] : [{ ...waiting, developer }]
    }),
    nextCursor
  }
})

/**
 * Decisions about an app and its purposes, newest first (decision P2). Fails with `Forbidden` for everybody except
 * reviewers and admins, and with `NotFound` for an unknown app.
 */
export const listDecisions = program(
  "listDecisions",
  function* (account: Account.Account, appId: AppId, page: Page.PageRequest) {
    yield* Staff.requireReviewer(account)
    if (Option.isNone(yield* (yield* AppStore).find(appId))) return yield* new NotFound({ what: "app" })
    const reviews = yield* ReviewStore
    const { items, nextCursor } = yield* Cursor.page(`decisions about ${appId}`, page, (limit, after) =>
      reviews.decisions(appId, limit, after)
    )
    const people = yield* findAccounts(items.map(({ by }) => by))
    return {
      decisions: items.map((decision) => ({
        ...decision,
        byName: people.get(decision.by)?.displayName ?? decision.by
      })),
      nextCursor
    }
  }
)

/** A leak, with its app's name. */
export interface ReadableLeak extends Leaked {
  readonly appName: string
}

/**
 * Connections with a leak, newest first: a spent refresh token or an exchanged code was presented again. Several leaks
 * of one app suggest that the app loses its tokens. For reviewers and admins; fails with `Forbidden` for everybody
 * else.
 */
export const listLeaks = program("listLeaks", function* (account: Account.Account, page: Page.PageRequest) {
  yield* Staff.requireReviewer(account)
  const { items, nextCursor } = yield* Cursor.page("leaks", page, (yield* ReviewStore).leaks)
  const names = yield* nameApps(items.map(({ appId }) => appId))
  return {
    leaks: items.map((leak): ReadableLeak => ({ ...leak, appName: names.get(leak.appId) ?? leak.appId })),
    nextCursor
  }
})
