import { Effect, Option } from "effect"
import { AccessLogStore } from "../access-log/AccessLogStore.js"
import type { Account } from "../accounts/Account.js"
import { publicLogo } from "../apps/App.js"
import type { LogoDigest } from "../apps/AppLogo.js"
import { getApp } from "../apps/readApps.js"
import { PlaceStore } from "../places/PlaceStore.js"
import type { LoggedPurpose } from "../purposes/describePurposes.js"
import * as Purpose from "../purposes/Purpose.js"
import { PurposeStore } from "../purposes/PurposeStore.js"
import { Cursor, NotFound, Page, program, Timestamp } from "../shared/index.js"
import type { AppId, ConnectionId, UserId } from "../shared/Ids.js"
import { ConnectionStore, type WithApp } from "./ConnectionStore.js"
import * as ConnectionView from "./ConnectionView.js"
import * as ConsentHistory from "./ConsentHistory.js"
import * as EffectiveScopes from "./EffectiveScopes.js"
import * as Uses from "./Uses.js"

/** The user's connections, newest first, including ended ones. */
export const listConnections = program("listConnections", function* (userId: UserId) {
  return yield* viewed(userId, yield* (yield* ConnectionStore).listOfUser(userId))
})

export interface ConnectionPage {
  readonly connections: ReadonlyArray<ConnectionView.UserConnection>
  /** The cursor of the next page; null on the last page. It is valid only for the same user. */
  readonly nextCursor: string | null
}

/**
 * One page of the user's connections, newest first, ended ones included. Fails with `Invalid` when the page's limit is
 * not a whole number from 1 to 500, or the cursor is not of this user's list.
 */
export const pageConnections = program("pageConnections", function* (userId: UserId, page: Page.PageRequest) {
  yield* Page.checkLimit(page.limit)
  const store = yield* ConnectionStore
  // The cursor has the time and the id of the last connection. The program does not look this connection up, because
  // the connection may be deleted meanwhile. For example, an app that is not in production and its connections are
  // deleted with the account of the app's holder, unless another member becomes the holder.
  const { items, nextCursor } = yield* Cursor.page(JSON.stringify(["connections", userId]), page, (limit, after) =>
    Effect.map(store.listOfUser(userId), (all) => {
      const rest = all.filter(({ connection }) => Page.isOlder(connection.connectedAt, connection.id, after))
      return Page.of(rest, limit, ({ connection }) => [connection.connectedAt, connection.id])
    })
  )
  const result: ConnectionPage = { connections: yield* viewed(userId, items), nextCursor }
  return result
})

/** One of the user's connections, live or ended. Fails with `NotFound` when the user has no connection of this id. */
export const getConnection = program("getConnection", function* (userId: UserId, id: ConnectionId) {
  const found = yield* (yield* ConnectionStore).findOfUser(userId, id)
  const [connection] = yield* viewed(userId, Option.toArray(found))
  return connection ?? (yield* new NotFound({ what: "connection" }))
})

/**
 * The maximum number of entries of a consent history that a page shows. A user who pauses and resumes an app every day
 * reaches this number after half a year.
 */
const HISTORY_LIMIT = 400

/**
 * What the user agreed to in a connection and when, newest first, at most `limit` changes. Fails with `NotFound` when
 * the user has no such connection.
 */
export const listConsentHistory = program(
  "listConsentHistory",
  function* (userId: UserId, id: ConnectionId, limit: number = HISTORY_LIMIT) {
    const connection = yield* getConnection(userId, id)
    const stored = yield* (yield* ConnectionStore).history(userId, id, limit + 1)
    const own = yield* (yield* PlaceStore).list(userId)
    return ConsentHistory.of(connection, stored, own, limit)
  }
)

const viewed = (userId: UserId, connections: ReadonlyArray<WithApp>) =>
  Effect.gen(function* () {
    if (connections.length === 0) return []
    const own = yield* (yield* PlaceStore).list(userId)
    const last = yield* (yield* AccessLogStore).lastAnswered(
      userId,
      connections.map(({ connection }) => ({
        connectionId: connection.id,
        appId: connection.appId,
        until: connection.endedAt
      }))
    )
    const now = yield* Timestamp.now
    return connections.map((one) => ConnectionView.forUser(one, own, last.get(one.connection.id) ?? null, now))
  })

/**
 * The answer of `GET /v1/me`. An app may read it with every live access token, whatever the token's scopes are (Spec
 * §5.8).
 */
export const describeConnection = program("describeConnection", function* (caller: WithApp) {
  return ConnectionView.describe(caller, yield* Timestamp.now)
})

/**
 * How many answers the app got about the user in the last 90 days, by purpose. Earlier connections of this app count
 * too. Fails with `NotFound` when the user has no connection of this id.
 */
export const listUses = program("listUses", function* (userId: UserId, id: ConnectionId) {
  const found = yield* (yield* ConnectionStore).findOfUser(userId, id)
  if (Option.isNone(found)) return yield* new NotFound({ what: "connection" })
  const { app, connection } = found.value
  const now = yield* Timestamp.now
  const counted = yield* (yield* AccessLogStore).countUses(userId, app.id, Uses.since(now))
  const purposes = yield* (yield* PurposeStore).list(app.id)
  const heldScopes = EffectiveScopes.isLive(connection, app, now) ? EffectiveScopes.held(connection, app, now) : []
  return Uses.of(counted, purposes, app, heldScopes, now)
})

/**
 * An app's connections, newest first, ended ones included. Fails with:
 * - `NotFound` when the app does not exist, or the account is not in its team
 * - `Forbidden` when the account's role only allows reading
 * - `Invalid` when the cursor comes from another list
 */
export const listAppUsers = program("listAppUsers", function* (account: Account, appId: AppId, page: Page.PageRequest) {
  const app = yield* getApp(account, appId, "develop")
  const connections = yield* ConnectionStore
  const { items, nextCursor } = yield* Cursor.page(`users of ${app.id}`, page, (limit, after) =>
    connections.listOfApp(app.id, limit, after)
  )
  const now = yield* Timestamp.now
  return {
    users: items.map((connection) => ConnectionView.forDeveloper({ app, connection }, now)),
    nextCursor
  }
})

/** An app that the user's access log may mention, with its purposes. */
export interface LoggedApp {
  readonly id: AppId
  readonly name: string
  /** The logo that everybody may see (`App.publicLogo`). */
  readonly logo: LogoDigest | null
  readonly purposes: ReadonlyArray<LoggedPurpose>
}

/**
 * Every app that the user ever connected, newest connection first. The access log page offers these apps as filters.
 */
export const listLoggedApps = program("listLoggedApps", function* (userId: UserId) {
  const connections = yield* (yield* ConnectionStore).listOfUser(userId)
  const apps = new Map(connections.map(({ app }) => [app.id, app]))
  const purposes = yield* PurposeStore
  const result: ReadonlyArray<LoggedApp> = yield* Effect.forEach(apps.values(), (app) =>
    Effect.map(purposes.list(app.id), (list) => ({
      id: app.id,
      name: app.name,
      logo: publicLogo(app),
      purposes: list.map((purpose) => ({ id: purpose.id, description: Purpose.wording(purpose) }))
    }))
  )
  return result
})
