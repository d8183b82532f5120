import { Context, type Effect, type Option } from "effect"
import type { ConnectionId, RuleId, UserId } from "../shared/Ids.js"
import type { StoreError } from "../shared/StoreError.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { Rule } from "./Rule.js"

/** `all`: the user's view, which does not tell the kinds apart. */
export type Kind = "Place" | "Zone" | "all"

export class RuleStore extends Context.Tag("@place-access/domain/rules/RuleStore")<
  RuleStore,
  {
    /**
     * Locks the connection, gives its rules that are not deleted to `decide` and stores the rule that this returns, if any.
     * Two creations of one connection queue up here. None when the connection has ended or its standard tier has passed.
     */
    readonly create: <A>(
      userId: UserId,
      connectionId: ConnectionId,
      decide: (present: ReadonlyArray<Rule>, now: Timestamp) => { readonly outcome: A; readonly rule: Rule | null }
    ) => Effect.Effect<Option.Option<A>, StoreError>
    /**
     * By creation, then id; deleted ones and those of an ended connection left out. Labels of places are those of now. So is
     * `disabledAt`: null while the rule stands, else since when it does not (decision L8): when its place was archived or
     * withdrawn; for a scope that was narrowed away, when that was first noticed.
     */
    readonly list: (
      userId: UserId,
      connectionId: ConnectionId,
      kind: Kind
    ) => Effect.Effect<ReadonlyArray<Rule>, StoreError>
    /**
     * False when there is no such rule of the connection and kind, or it was deleted before. `connectionId` null: whichever
     * connection of the user.
     */
    readonly remove: (
      userId: UserId,
      connectionId: ConnectionId | null,
      id: RuleId,
      kind: Kind,
      at: Timestamp
    ) => Effect.Effect<boolean, StoreError>
  }
>() {}
