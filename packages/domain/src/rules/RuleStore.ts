import { Context, type Option } from "effect"
import type { ZoneQuestions } from "../limits/ZoneQuestions.js"
import type { PlaceRef } from "../places/Place.js"
import type { ConnectionId, RuleId, StoreEffect, UserId } from "../shared/index.js"
import type { Page, PagePosition } from "../shared/Page.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { Suspension } from "../accounts/Account.js"
import type { RecentEvaluations } from "./RecentEvaluations.js"
import type { Rule } from "./Rule.js"

/**
 * Which rules a list contains. An app lists rules of one kind. The user and the app's developer list rules of all kinds
 * (`all`).
 */
export type RuleKind = "Place" | "Zone" | "all"

/** A place that the user shares with the app and has not archived, with its present label. */
export type VisiblePlace = Pick<PlaceRef, "id" | "label">

/** The last evaluations of a rule. */
export interface Evaluations {
  readonly recent: RecentEvaluations
  /**
   * For a zone rule, the number of other zone rules of its connection, deleted ones included, that began in the hour
   * before this rule began (`RecentEvaluations.beginning`). Of rules that began at the same instant, those with a
   * smaller id count. 0 for a place rule.
   */
  readonly zonesBefore: number
  /** The earliest capture time of a fix that may fire the rule (`LiveRule.firesFrom`), computed at the call. */
  readonly firesFrom: Timestamp
  /** The past suspensions of the person and of the app's holder, in any order; they may overlap. */
  readonly suspensions: ReadonlyArray<Suspension>
  /** Whether the app is paused by the user at the time of the call. */
  readonly isPaused: boolean
}

/** Stores rules with their states and last evaluations. */
export class RuleStore extends Context.Tag("@place-access/domain/rules/RuleStore")<
  RuleStore,
  {
    /**
     * Locks the connection, gives the rules that uploads evaluate and the shared places to `decide`, and stores the
     * rule that `decide` returns. Uploads evaluate rules that are not deleted, until `RuleEvaluation.LATE_UPLOAD` after
     * their windows ended. The lock makes concurrent creations of rules for one connection wait for each other, so that
     * the connection never has more than ten active rules. The places are read under the lock, so that no rule of a
     * place is stored after the user has withdrawn or archived it. None when the connection or its standard tier has
     * ended.
     */
    readonly create: <A>(
      userId: UserId,
      connectionId: ConnectionId,
      decide: (
        present: ReadonlyArray<Rule>,
        now: Timestamp,
        places: ReadonlyArray<VisiblePlace>
      ) => { readonly outcome: A; readonly rule: Rule | null }
    ) => StoreEffect<Option.Option<A>>
    /**
     * Like `create`, for a zone rule, which also spends one question about its circle (`ZoneQuestions`). `decide` also
     * gets the questions that count for the person and the app. It returns the questions that count afterwards, or null
     * to leave them unchanged. The check and all writes are one transaction under locks. Otherwise two creations, or a
     * creation and a `LimitStore.ask`, could both spend the last question.
     */
    readonly createZone: <A>(
      userId: UserId,
      connectionId: ConnectionId,
      decide: (
        present: ReadonlyArray<Rule>,
        now: Timestamp,
        questions: ZoneQuestions
      ) => { readonly outcome: A; readonly rule: Rule | null; readonly questions: ZoneQuestions | null }
    ) => StoreEffect<Option.Option<A>>
    /**
     * The rules after the position `after`, ordered by creation and then by id. Finished rules are included; deleted
     * rules and rules of an ended connection are not. Each place has its present label; a place that the user no longer
     * shares has the label from when the sharing ended. `disabledAt` is computed at each call: null while the rule
     * works, otherwise the time when its place was archived or withdrawn, or when the store first noted that the scope
     * is missing (decision L8).
     */
    readonly list: (
      userId: UserId,
      connectionId: ConnectionId,
      kind: RuleKind,
      limit: number,
      after: PagePosition | undefined
    ) => StoreEffect<Page<Rule>>
    /** A rule, with the fields that `list` returns. None when the connection has no rule with this id and kind. */
    readonly find: (
      userId: UserId,
      connectionId: ConnectionId,
      id: RuleId,
      kind: RuleKind
    ) => StoreEffect<Option.Option<Rule>>
    /**
     * A map from the id of each of these rules to its evaluations. A rule that was never evaluated has an entry too.
     * Deleted rules and rules of other connections are left out.
     */
    readonly evaluations: (
      userId: UserId,
      connectionId: ConnectionId,
      ids: ReadonlyArray<RuleId>
    ) => StoreEffect<ReadonlyMap<RuleId, Evaluations>>
    /**
     * Deletes a rule. Returns false when the connection has no such rule of this kind. `connectionId` null: a rule of
     * any connection of the user. A removal raises the version of the user's uploads (`UploadView.version`), so that an
     * upload in progress does not fire the deleted rule. A call that removes nothing does not raise the version.
     */
    readonly remove: (
      userId: UserId,
      connectionId: ConnectionId | null,
      id: RuleId,
      kind: RuleKind,
      at: Timestamp
    ) => StoreEffect<boolean>
  }
>() {}
