import { Context, type Option } from "effect"
import type { RecordedDecision } from "../reviews/ReviewDecision.js"
import type * as AppReview from "./AppReview.js"
import type { AppId, StoreEffect, UserId } from "../shared/index.js"
import type { Page, PagePosition } from "../shared/Page.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { App } from "./App.js"
import type { ClientSecret } from "./ClientSecret.js"

/** An app with the hashes of its secrets, for client authentication. */
export interface Registered {
  readonly app: App
  /** Newest first. */
  readonly secrets: ReadonlyArray<ClientSecret>
}

/** The result of a decision under the app's lock. */
export interface AppChange<A> {
  readonly outcome: A
  /** The state to store; null changes nothing. */
  readonly after: Registered | null
  /** Committed together with the change. */
  readonly recorded?: RecordedDecision<AppReview.AppUnderReview> | undefined
}

/** Apps, with their redirect URIs and the hashes of their secrets. */
export class AppStore extends Context.Tag("@place-access/domain/apps/AppStore")<
  AppStore,
  {
    /** Stores an app without a client secret; `update` adds the first one. */
    readonly create: (app: App) => StoreEffect<void>
    readonly find: (id: AppId) => StoreEffect<Option.Option<App>>
    readonly findRegistered: (id: AppId) => StoreEffect<Option.Option<Registered>>
    /** The account's apps, oldest first, then by id. `after` is the position of an earlier page. */
    readonly listOwnedBy: (ownerId: UserId, limit: number, after: PagePosition | undefined) => StoreEffect<Page<App>>
    /** All apps, newest first, then by descending id. */
    readonly list: (limit: number, after: PagePosition | undefined) => StoreEffect<Page<App>>
    /**
     * Locks the app, gives the present state to `decide`, a plain function, and stores its `after` (app and secrets)
     * and `recorded`. Id, owner and creation time must not change. None when there is no such app.
     */
    readonly update: <A>(
      id: AppId,
      decide: (before: Registered, now: Timestamp) => AppChange<A>
    ) => StoreEffect<Option.Option<A>>
  }
>() {}
