import { Context, type Effect, type Option } from "effect"
import type { ZoneQuestions } from "../limits/ZoneQuestions.js"
import type { ConnectionId, RuleId, UserId } from "../shared/Ids.js"
import type { Page } from "../shared/Page.js"
import type { StoreError } from "../shared/StoreError.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { RecentEvaluations } from "./RecentEvaluations.js"
import type { Rule } from "./Rule.js"

/** `all`: the user's view, which does not tell the kinds apart. */
export type Kind = "Place" | "Zone" | "all"

/** What uploads last made of a rule. */
export interface Evaluations {
  readonly recent: RecentEvaluations
  /**
   * For a zone rule: how many others of its connection, deleted ones too, became active in the hour up to its own beginning
   * (`RecentEvaluations.beginning`); of one instant those with a smaller id. 0 for a place rule.
   */
  readonly zonesBefore: number
}

/** Rules, with their states and what they did of late. */
export class RuleStore extends Context.Tag("@place-access/domain/rules/RuleStore")<
  RuleStore,
  {
    /**
     * Locks the connection, gives its rules that are neither deleted nor finished to `decide` and stores the rule that this
     * returns, if any. Two creations of one connection queue up here. None when the connection has ended or its standard tier has passed.
     */
    readonly create: <A>(
      userId: UserId,
      connectionId: ConnectionId,
      decide: (present: ReadonlyArray<Rule>, now: Timestamp) => { readonly outcome: A; readonly rule: Rule | null }
    ) => Effect.Effect<Option.Option<A>, StoreError>
    /**
     * The same for a zone rule, which is a question about its circle: under the same locks `decide` is also given what the person
     * and the app have asked about zones, and returns what counts afterwards, or null to keep what is there. In one transaction:
     * two creations, or a creation and a `LimitStore.ask`, never take the last question both.
     */
    readonly createZone: <A>(
      userId: UserId,
      connectionId: ConnectionId,
      decide: (
        present: ReadonlyArray<Rule>,
        now: Timestamp,
        asked: ZoneQuestions
      ) => { readonly outcome: A; readonly rule: Rule | null; readonly asked: ZoneQuestions | null }
    ) => Effect.Effect<Option.Option<A>, StoreError>
    /**
     * By creation, then id, from `after` on, a position of an earlier page; deleted ones and those of an ended connection are
     * left out, finished ones are not. Labels of places are those of now. So is
     * `disabledAt`: null while the rule stands, else since when it does not (decision L8): when its place was archived or
     * withdrawn; for a scope that was narrowed away, when that was first noticed.
     */
    readonly list: (
      userId: UserId,
      connectionId: ConnectionId,
      kind: Kind,
      limit: number,
      after: ReadonlyArray<string | number> | undefined
    ) => Effect.Effect<Page<Rule>, StoreError>
    /** One rule as `list` gives it; none when it is not of the connection and kind, or was deleted. */
    readonly find: (
      userId: UserId,
      connectionId: ConnectionId,
      id: RuleId,
      kind: Kind
    ) => Effect.Effect<Option.Option<Rule>, StoreError>
    /** Of those of `ids` that are the connection's and not deleted, whether or not they were ever evaluated. */
    readonly evaluations: (
      userId: UserId,
      connectionId: ConnectionId,
      ids: ReadonlyArray<RuleId>
    ) => Effect.Effect<ReadonlyMap<RuleId, Evaluations>, StoreError>
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
