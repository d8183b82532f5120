import { Context, type Option } from "effect"
import type { AuditEvent } from "../audit/AuditEvent.js"
import type { RecordedDecision } from "../reviews/ReviewDecision.js"
import type * as AppReview from "./AppReview.js"
import type { AppId, StoreEffect, UserId } from "../shared/index.js"
import type { Page, PagePosition } from "../shared/Page.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { Member } from "../teams/Team.js"
import type { App } from "./App.js"
import type { Logo, LogoDigest, LogoPng } from "./AppLogo.js"
import type { ClientSecret } from "./ClientSecret.js"

/** An app, with the hashes of the client secrets by which the app's server proves its identity. */
export interface Registered {
  readonly app: App
  /** The client secrets of the app, newest first. */
  readonly secrets: ReadonlyArray<ClientSecret>
}

/** The result of the function `decide` that the caller passes to `AppStore.update`. */
export interface AppChange<A> {
  readonly outcome: A
  /** The state to store; null changes nothing. */
  readonly after: Registered | null
  /** The picture of a new logo that `after` names, in force or proposed. The store saves it together with `after`. */
  readonly logo?: Logo | undefined
  /** The decision of a reviewer or an admin, committed together with the change. */
  readonly recorded?: RecordedDecision<AppReview.AppUnderReview> | undefined
  /** The audit event of a change that the team made, such as a new client secret. */
  readonly audit?: AuditEvent | undefined
}

/** A member of an app's team, with the fields that this module needs. */
export type TeamMember = Pick<Member, "userId" | "role">

/**
 * Whether something that belongs to an app, such as an endpoint, may be added or changed: a plain function of the app
 * and its members whose accounts are not suspended. A store calls it under the lock of the app.
 */
export type AdmitsChange = (
  app: Pick<App, "ownerId" | "suspendedAt" | "revokedAt">,
  members: ReadonlyArray<TeamMember>
) => boolean

/** Stores apps, with their redirect URIs and the hashes of their client secrets. */
export class AppStore extends Context.Tag("@place-access/domain/apps/AppStore")<
  AppStore,
  {
    /**
     * Locks the account of the holder (`App.ownerId`) and stores an app without client secret and logo, which `update`
     * adds later. Returns `Full`, and stores nothing, when the holder has `AccountLimits.APPS` apps already. Returns
     * `NoOwner`, and stores nothing, when the holder's account was deleted or is suspended.
     */
    readonly create: (app: App) => StoreEffect<"Made" | "Full" | "NoOwner">
    readonly find: (id: AppId) => StoreEffect<Option.Option<App>>
    readonly findRegistered: (id: AppId) => StoreEffect<Option.Option<Registered>>
    /** The members of the app's team other than its holder (`App.ownerId`), longest membership first, then by id. */
    readonly members: (id: AppId) => StoreEffect<ReadonlyArray<TeamMember>>
    /**
     * The apps in whose team the account is, oldest first, then by id. `after` is the position at which the previous
     * page ended.
     */
    readonly listOf: (userId: UserId, limit: number, after: PagePosition | undefined) => StoreEffect<Page<App>>
    /** All apps, newest first, then by descending id. */
    readonly list: (limit: number, after: PagePosition | undefined) => StoreEffect<Page<App>>
    /**
     * A logo that the app names, in force or proposed. The store keeps no other logos: `update` deletes a logo that the
     * app no longer names.
     */
    readonly findLogo: (id: AppId, digest: LogoDigest) => StoreEffect<Option.Option<LogoPng>>
    /**
     * Locks the app, and reads its present state and its members (in the order of `members`, without members whose
     * accounts are suspended). Passes both to `decide`, a plain function, and stores what `decide` returns: `after`
     * (app and secrets), `logo`, `recorded` and `audit`. `id`, `ownerId`, `suspendedAt` and `createdAt` must not change
     * (`TeamStore` changes `ownerId`, `StaffStore` changes `suspendedAt`). None when there is no such app.
     */
    readonly update: <A>(
      id: AppId,
      decide: (before: Registered, now: Timestamp, members: ReadonlyArray<TeamMember>) => AppChange<A>
    ) => StoreEffect<Option.Option<A>>
  }
>() {}
