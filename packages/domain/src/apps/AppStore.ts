import { Context, type Effect, type Option } from "effect"
import type { Recorded } from "../reviews/ReviewDecision.js"
import type { AppId, UserId } from "../shared/Ids.js"
import type { Page } from "../shared/Page.js"
import type { StoreError } from "../shared/StoreError.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { App } from "./App.js"
import type { ClientSecret } from "./ClientSecret.js"

/** An app with its secrets' hashes: what client authentication reads. */
export interface Registered {
  readonly app: App
  /** Newest first. */
  readonly secrets: ReadonlyArray<ClientSecret>
}

/** What a decision under the app's lock comes to. */
export interface AppChange<A> {
  readonly outcome: A
  /** Null changes nothing. */
  readonly after: Registered | null
  /** Kept together with the change, or not at all. */
  readonly recorded?: Recorded | undefined
}

/** Apps, with their redirect URIs and the hashes of their secrets. */
export class AppStore extends Context.Tag("@place-access/domain/apps/AppStore")<
  AppStore,
  {
    /** Without a client secret; `update` adds the first. */
    readonly create: (app: App) => Effect.Effect<void, StoreError>
    /** None when there is no such app. */
    readonly find: (id: AppId) => Effect.Effect<Option.Option<App>, StoreError>
    /** None when there is no such app. */
    readonly findRegistered: (id: AppId) => Effect.Effect<Option.Option<Registered>, StoreError>
    /** Oldest first, then by id; `after` is a position of an earlier page. */
    readonly listOwnedBy: (
      ownerId: UserId,
      limit: number,
      after: ReadonlyArray<string | number> | undefined
    ) => Effect.Effect<Page<App>, StoreError>
    /** Everybody's, newest first, then by id downwards. */
    readonly list: (
      limit: number,
      after: ReadonlyArray<string | number> | undefined
    ) => Effect.Effect<Page<App>, StoreError>
    /**
     * Locks the app, then reads the clock, gives the present state to `decide` and stores what that returns as `after`, both
     * app and secrets, and what it `recorded`. Id, owner and time of creation stay what they are. None when there is no such
     * app. `decide` is a plain function.
     */
    readonly update: <A>(
      id: AppId,
      decide: (before: Registered, now: Timestamp) => AppChange<A>
    ) => Effect.Effect<Option.Option<A>, StoreError>
  }
>() {}
