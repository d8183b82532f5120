import { Effect, Option } from "effect"
import type { Account } from "../accounts/Account.js"
import type { AppStore } from "../apps/AppStore.js"
import { getOwnedApp } from "../apps/getOwnedApp.js"
import type { Connection } from "../connection/Connection.js"
import { ConnectionStore } from "../connection/ConnectionStore.js"
import * as EffectiveScopes from "../connection/EffectiveScopes.js"
import { getHistoryChoice } from "../history/getHistoryChoice.js"
import * as History from "../history/History.js"
import type { HistoryStore } from "../history/HistoryStore.js"
import type { AppId, ConnectionId, RuleId, UserId } from "../shared/Ids.js"
import { type Invalid, NotFound } from "../shared/Invalid.js"
import type { StoreError } from "../shared/StoreError.js"
import * as Timestamp from "../shared/Timestamp.js"
import type { Vault, VaultError } from "../shared/Vault.js"
import { type ListedRule, listRules, type RulesQuery } from "./listRules.js"
import * as LiveRule from "./LiveRule.js"
import * as RecentEvaluations from "./RecentEvaluations.js"
import type { Rule } from "./Rule.js"
import { type Kind, RuleStore } from "./RuleStore.js"

/** A rule with those of its last evaluations that the reader may see, the newest last. */
export interface EvaluatedRule<R extends Rule = Rule> {
  readonly rule: R
  readonly recent: RecentEvaluations.RecentEvaluations
}

/** Why a rule of the app fired or did not. `NotFound` for another connection's, one of another kind, or a deleted one. */
export const getEvaluations = (
  caller: Pick<Connection, "userId" | "id">,
  id: RuleId,
  kind: Kind
): Effect.Effect<EvaluatedRule, NotFound | StoreError, RuleStore | HistoryStore> =>
  Effect.gen(function* () {
    const rule = yield* find(caller.userId, caller.id, id, kind)
    const [evaluated] = yield* forApp(caller, [rule])
    return evaluated ?? (yield* new NotFound({ what: "rule" }))
  }).pipe(Effect.withSpan("getEvaluations"))

/** The same for the user, from whom nothing is kept back: it is about them. */
export const getEvaluationsOfUser = (
  userId: UserId,
  connectionId: ConnectionId,
  id: RuleId
): Effect.Effect<EvaluatedRule, NotFound | StoreError, RuleStore | HistoryStore> =>
  Effect.gen(function* () {
    const rule = yield* find(userId, connectionId, id, "all")
    const evaluations = yield* (yield* RuleStore).evaluations(userId, connectionId, [id])
    const kept = yield* keptOf(userId)
    return { rule, recent: kept(evaluations.get(id)?.recent ?? RecentEvaluations.none) }
  }).pipe(Effect.withSpan("getEvaluationsOfUser"))

/** One connection of an app, for its developer. */
export interface GrantEvaluations {
  readonly connection: Connection
  readonly rules: ReadonlyArray<EvaluatedRule<ListedRule>>
  readonly nextCursor: string | null
}

/**
 * The rules of a connection, oldest first, with what the app itself could read of them at this moment, if it had a token: only
 * rules whose scope is effective. `NotFound` for another app's connection and for one that is not live.
 */
export const listEvaluationsOfGrant = (
  account: Account,
  appId: AppId,
  grantId: ConnectionId,
  query: RulesQuery
): Effect.Effect<
  GrantEvaluations,
  Invalid | NotFound | StoreError | VaultError,
  AppStore | ConnectionStore | RuleStore | HistoryStore | Vault
> =>
  Effect.gen(function* () {
    const app = yield* getOwnedApp(account, appId)
    const found = yield* (yield* ConnectionStore).findOfApp(app.id, grantId)
    const now = yield* Timestamp.now
    if (Option.isNone(found) || !EffectiveScopes.isLive(found.value, app, now)) {
      return yield* new NotFound({ what: "connection" })
    }
    const connection = found.value
    const scopes = EffectiveScopes.effective(connection, app, now)
    const { nextCursor, rules } = yield* listRules(connection, "all", query)
    const readable = rules.filter(({ target }) => scopes.includes(LiveRule.neededScope(target)))
    return { connection, rules: yield* forApp(connection, readable), nextCursor }
  }).pipe(Effect.withSpan("listEvaluationsOfGrant"))

const find = (userId: UserId, connectionId: ConnectionId, id: RuleId, kind: Kind) =>
  Effect.gen(function* () {
    const rule = yield* (yield* RuleStore).find(userId, connectionId, id, kind)
    return yield* Effect.mapError(rule, () => new NotFound({ what: "rule" }))
  })

/** What was deleted between the two reads is left out. */
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

/** Leaves out what is past the user's choice: it tells where they were. */
const keptOf = (userId: UserId) =>
  Effect.map(
    getHistoryChoice(userId),
    ({ cutoff }) =>
      (recent: RecentEvaluations.RecentEvaluations): RecentEvaluations.RecentEvaluations =>
        recent.filter(({ capturedAt }) => !History.isPast(capturedAt, cutoff))
  )
