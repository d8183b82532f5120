import { Effect, Option } from "effect"
import type { Account } from "../accounts/Account.js"
import { getApp } from "../apps/readApps.js"
import type { Connection } from "../connection/Connection.js"
import { ConnectionStore, type WithApp } from "../connection/ConnectionStore.js"
import * as EffectiveScopes from "../connection/EffectiveScopes.js"
import * as Pause from "../connection/Pause.js"
import { getHistoryChoice } from "../retention-choice/chooseHistory.js"
import * as History from "../retention-choice/History.js"
import type { HistoryStore } from "../retention-choice/HistoryStore.js"
import { Cursor, NotFound, program, type StoreError, Timestamp } from "../shared/index.js"
import type { AppId, ConnectionId, RuleId, UserId } from "../shared/Ids.js"
import type { PageRequest } from "../shared/Page.js"
import * as LiveRule from "./LiveRule.js"
import * as RecentEvaluations from "./RecentEvaluations.js"
import type { Rule } from "./Rule.js"
import * as RuleLife from "./RuleLife.js"
import { type RuleKind, RuleStore } from "./RuleStore.js"

/** A rule, with its state at the time of the answer. */
export type ListedRule = Rule & { readonly state: RuleLife.RuleState }

export interface RulesPage {
  readonly rules: ReadonlyArray<ListedRule>
  /** Null on the last page. A cursor is valid only for the list that returned it. */
  readonly nextCursor: string | null
}

/** The connection's rules of one kind, or of all kinds, oldest first (Spec §4.6), including finished ones. */
export const listRules = program(
  "listRules",
  function* (caller: Pick<Connection, "userId" | "id">, kind: RuleKind, query: PageRequest) {
    return yield* page(caller.userId, caller.id, kind, query)
  }
)

/**
 * All rules of the connection, for its user. The list is empty after the end of the connection, even if no worker has
 * stored the end yet (decision connection-3). Fails with `NotFound` for another user's connection.
 */
export const listRulesOfUser = program(
  "listRulesOfUser",
  function* (userId: UserId, connectionId: ConnectionId, query: PageRequest) {
    const found = yield* (yield* ConnectionStore).findOfUser(userId, connectionId)
    if (Option.isNone(found)) return yield* new NotFound({ what: "connection" })
    const none: RulesPage = { rules: [], nextCursor: null }
    return (yield* isLive(found.value)) ? yield* page(userId, connectionId, "all", query) : none
  }
)

const isLive = ({ app, connection }: WithApp) =>
  Effect.map(Timestamp.now, (now) => EffectiveScopes.isLive(connection, app, now))

const page = (userId: UserId, connectionId: ConnectionId, kind: RuleKind, request: PageRequest) =>
  Effect.gen(function* () {
    const rules = yield* RuleStore
    const { items, nextCursor } = yield* Cursor.page(`rules ${connectionId} ${kind}`, request, (limit, after) =>
      rules.list(userId, connectionId, kind, limit, after)
    )
    const now = yield* Timestamp.now
    const result: RulesPage = {
      rules: items.map((rule) => ({ ...rule, state: RuleLife.state(rule, now) })),
      nextCursor
    }
    return result
  })

/**
 * Deletes the rule. The rule's events that still wait for delivery are not sent (Spec §3.3, §6.3.5). Fails with
 * `NotFound` for a deleted rule, and for a rule of another connection or kind.
 */
export const removeRule = program(
  "removeRule",
  function* (caller: Pick<Connection, "userId" | "id">, id: RuleId, kind: RuleKind) {
    return yield* remove(caller.userId, caller.id, id, kind)
  }
)

/**
 * Deletes a place rule or a zone rule for the user, as `removeRule` does for an app. `connectionId` null: a rule of any
 * connection of the user.
 */
export const removeRuleOfUser = program(
  "removeRuleOfUser",
  function* (userId: UserId, connectionId: ConnectionId | null, id: RuleId) {
    return yield* remove(userId, connectionId, id, "all")
  }
)

const remove = (userId: UserId, connectionId: ConnectionId | null, id: RuleId, kind: RuleKind) =>
  Effect.gen(function* () {
    const removed = yield* (yield* RuleStore).remove(userId, connectionId, id, kind, yield* Timestamp.now)
    if (!removed) return yield* new NotFound({ what: "rule" })
  })

/** A rule and its last evaluations, the newest last. Evaluations that the reader may not see are left out. */
export interface EvaluatedRule<R extends Rule = Rule> {
  readonly rule: R
  readonly recent: RecentEvaluations.RecentEvaluations
}

/**
 * The last evaluations of a rule, which show the app why the rule fired or did not. Fails with `NotFound` for a deleted
 * rule and for a rule of another connection or kind.
 */
export const getEvaluations = program(
  "getEvaluations",
  function* (caller: Pick<Connection, "userId" | "id">, id: RuleId, kind: RuleKind) {
    const rule = yield* find(caller.userId, caller.id, id, kind)
    const [evaluated] = yield* forApp(caller, [rule])
    return evaluated ?? (yield* new NotFound({ what: "rule" }))
  }
)

/**
 * The last evaluations of a rule, for the user. Evaluations of fixes that are older than the history that the user
 * keeps are left out. Fails with `NotFound` for a deleted rule, for a rule of another connection, for another user's
 * connection, and for a connection that has ended.
 */
export const getEvaluationsOfUser = program(
  "getEvaluationsOfUser",
  function* (userId: UserId, connectionId: ConnectionId, id: RuleId) {
    const connection = yield* (yield* ConnectionStore).findOfUser(userId, connectionId)
    if (Option.isNone(connection) || !(yield* isLive(connection.value))) return yield* new NotFound({ what: "rule" })
    const rule = yield* find(userId, connectionId, id, "all")
    const evaluations = yield* (yield* RuleStore).evaluations(userId, connectionId, [id])
    const kept = yield* keptOf(userId)
    const state = RuleLife.state(rule, yield* Timestamp.now)
    const recent = kept(evaluations.get(id)?.recent ?? RecentEvaluations.none)
    return { rule: { ...rule, state }, recent } satisfies EvaluatedRule<ListedRule>
  }
)

/** The rules and evaluations of one connection, for the app's developer. */
export interface GrantEvaluations {
  readonly connection: Connection
  readonly rules: ReadonlyArray<EvaluatedRule<ListedRule>>
  readonly nextCursor: string | null
  /** Whether the user has paused the app. While the app is paused, no rule shows evaluations. */
  readonly isPaused: boolean
}

/**
 * The rules of a connection and their evaluations, oldest first, as the app could read them at this moment: only rules
 * whose scope is effective. Fails with `NotFound` for a connection of another app, for a connection that has ended, and
 * while the account of the person or of the app's holder is suspended. Fails as `getApp` does when `account` may not
 * develop the app.
 */
export const listEvaluationsOfGrant = program(
  "listEvaluationsOfGrant",
  function* (account: Account, appId: AppId, grantId: ConnectionId, query: PageRequest) {
    yield* getApp(account, appId, "develop")
    const found = yield* (yield* ConnectionStore).findOfApp(appId, grantId)
    const now = yield* Timestamp.now
    if (Option.isNone(found)) return yield* new NotFound({ what: "connection" })
    const { app, connection, isSuspended } = found.value
    if (isSuspended || !EffectiveScopes.isLive(connection, app, now)) return yield* new NotFound({ what: "connection" })
    const scopes = EffectiveScopes.effective(connection, app, now)
    const { nextCursor, rules } = yield* listRules(connection, "all", query)
    const readable = rules.filter(({ target }) => scopes.includes(LiveRule.neededScope(target)))
    const isPaused = Pause.isOn(connection.pause, now)
    const result: GrantEvaluations = { connection, rules: yield* forApp(connection, readable), nextCursor, isPaused }
    return result
  }
)

const find = (userId: UserId, connectionId: ConnectionId, id: RuleId, kind: RuleKind) =>
  Effect.gen(function* () {
    const rule = yield* (yield* RuleStore).find(userId, connectionId, id, kind)
    return yield* Effect.mapError(rule, () => new NotFound({ what: "rule" }))
  })

/**
 * The rules with the evaluations that the app may read. A rule is left out if somebody deleted it after the caller read
 * `rules`.
 */
const forApp = <R extends Rule>(
  { id, userId }: Pick<Connection, "userId" | "id">,
  rules: ReadonlyArray<R>
): Effect.Effect<ReadonlyArray<EvaluatedRule<R>>, StoreError, RuleStore | HistoryStore> =>
  Effect.gen(function* () {
    const evaluations = yield* (yield* RuleStore).evaluations(
      userId,
      id,
      rules.map((rule) => rule.id)
    )
    const kept = yield* keptOf(userId)
    return rules.flatMap((rule) => {
      const made = evaluations.get(rule.id)
      return made === undefined ? [] : [{ rule, recent: kept(RecentEvaluations.forApp(rule, made)) }]
    })
  })

/**
 * Returns a filter that leaves out evaluations of fixes that are older than the history that the user keeps. These
 * evaluations would show where the user was at times that the user wanted deleted.
 */
const keptOf = (userId: UserId) =>
  Effect.map(
    getHistoryChoice(userId),
    ({ cutoff }) =>
      (recent: RecentEvaluations.RecentEvaluations): RecentEvaluations.RecentEvaluations =>
        recent.filter(({ capturedAt }) => !History.isPast(capturedAt, cutoff))
  )
