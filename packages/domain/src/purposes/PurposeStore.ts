import { Context, type Effect, type Option } from "effect"
import type { Recorded } from "../reviews/ReviewDecision.js"
import type { AppId, PurposeId } from "../shared/Ids.js"
import type { Conflict } from "../shared/Invalid.js"
import type { StoreError } from "../shared/StoreError.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { Purpose } from "./Purpose.js"

/** What a decision under the purpose's lock comes to. */
export interface PurposeChange<A> {
  readonly outcome: A
  /** Null changes nothing. */
  readonly after: Purpose | null
  /** Kept together with the change, or not at all. */
  readonly recorded?: Recorded | undefined
}

/** Apps' purposes, in every status. */
export class PurposeStore extends Context.Tag("@place-access/domain/purposes/PurposeStore")<
  PurposeStore,
  {
    /**
     * Counts and stores under one lock of the app. `Conflict` when the app has, or had, a purpose of that key, or has
     * `Purpose.MAX_PER_APP` of them, archived ones counted.
     */
    readonly create: (purpose: Purpose) => Effect.Effect<void, Conflict | StoreError>
    /** By key; archived ones included. */
    readonly list: (appId: AppId) => Effect.Effect<ReadonlyArray<Purpose>, StoreError>
    /** Whichever app's it is; archived ones included. */
    readonly find: (id: PurposeId) => Effect.Effect<Option.Option<Purpose>, StoreError>
    /**
     * Locks the purpose, then reads the clock, gives the present state to `decide` and stores what that returns as `after` and
     * what it `recorded`. Id, app, key and time of creation stay what they are. None when there is no such purpose. `decide`
     * is a plain function.
     */
    readonly update: <A>(
      id: PurposeId,
      decide: (before: Purpose, now: Timestamp) => PurposeChange<A>
    ) => Effect.Effect<Option.Option<A>, StoreError>
  }
>() {}
