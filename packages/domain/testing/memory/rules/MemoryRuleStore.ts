import { Effect, Layer, Option } from "effect"
import * as Pause from "../../../src/connection/Pause.js"
import * as ZoneQuestions from "../../../src/limits/ZoneQuestions.js"
import * as RecentEvaluations from "../../../src/rules/RecentEvaluations.js"
import type { Rule } from "../../../src/rules/Rule.js"
import * as RuleEvaluation from "../../../src/rules/RuleEvaluation.js"
import { type RuleKind, RuleStore } from "../../../src/rules/RuleStore.js"
import * as Tier from "../../../src/tiers/Tier.js"
import * as Page from "../../../src/shared/Page.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import { isNewer } from "../isNewer.js"
import { MemoryDatabase } from "../MemoryDatabase.js"
import * as MemoryLimitStore from "../MemoryLimitStore.js"
import * as MemoryRules from "./MemoryRules.js"

export const layer: Layer.Layer<RuleStore, never, MemoryDatabase> = Layer.effect(
  RuleStore,
  Effect.map(MemoryDatabase, (tables) => {
    const { connections, recentEvaluations, rules, ruleStates, streamVersions, zoneQuestions } = tables

    const create: RuleStore["Type"]["createZone"] = (userId, connectionId, decide) =>
      Effect.map(Timestamp.now, (now) => {
        const connection = connections.get(connectionId)
        if (connection?.userId !== userId || connection.endedAt !== null) return Option.none()
        if (!Tier.standardIsLive(connection, now)) return Option.none()
        const present = MemoryRules.ofConnection(tables, connectionId)
          .filter(({ window }) => !RuleEvaluation.isOver(window, now))
          .sort(byCreation)
        const key = MemoryLimitStore.keyOf(connection)
        const { outcome, questions, rule } = decide(
          present.map((one) => MemoryRules.relabelled(tables, one)),
          now,
          zoneQuestions.get(key) ?? ZoneQuestions.none
        )
        if (questions !== null) zoneQuestions.set(key, questions)
        if (rule !== null) rules.set(rule.id, { ...rule, deletedAt: null })
        return Option.some(outcome)
      })

    return RuleStore.of({
      create: (userId, connectionId, decide) =>
        create(userId, connectionId, (present, now) => {
          const shared = connections.get(connectionId)?.places ?? []
          const places = shared.flatMap(({ placeId }) => tables.places.get(placeId) ?? [])
          const visible = places.filter(({ archivedAt }) => archivedAt === null)
          return { ...decide(present, now, visible), questions: null }
        }),

      createZone: create,

      list: (userId, connectionId, kind, limit, after) =>
        Effect.map(Timestamp.now, (now) => {
          const connection = connections.get(connectionId)
          if (connection?.userId !== userId || connection.endedAt !== null) return Page.of([], limit, () => [])
          const rules = MemoryRules.ofConnection(tables, connectionId)
            .filter((rule) => isOf(kind, rule) && isNewer(rule.createdAt, rule.id, after))
            .map((rule) => MemoryRules.notice(tables, connection, rule, now))
            .sort(byCreation)
            .map((rule) => MemoryRules.relabelled(tables, rule))
          return Page.of(rules, limit, (last) => [last.createdAt, last.id])
        }),

      find: (userId, connectionId, id, kind) =>
        Effect.map(Timestamp.now, (now) => {
          const connection = connections.get(connectionId)
          if (connection?.userId !== userId || connection.endedAt !== null) return Option.none()
          return Option.fromNullable(
            MemoryRules.ofConnection(tables, connectionId).find((rule) => rule.id === id && isOf(kind, rule))
          ).pipe(
            Option.map((rule) => MemoryRules.relabelled(tables, MemoryRules.notice(tables, connection, rule, now)))
          )
        }),

      evaluations: (userId, connectionId, ids) =>
        Effect.map(Timestamp.now, (now) => {
          const connection = connections.get(connectionId)
          if (connection?.userId !== userId) return new Map()
          const own = MemoryRules.ofConnection(tables, connectionId).filter((rule) => ids.includes(rule.id))
          return new Map(
            own.map((rule) => [
              rule.id,
              {
                recent: recentEvaluations.get(rule.id) ?? RecentEvaluations.none,
                zonesBefore: zonesBefore([...rules.values()], rule),
                firesFrom: MemoryRules.firesFrom(tables, connection, rule, now),
                suspensions: [userId, connection.appId].flatMap((id) => tables.pastSuspensions.get(id) ?? []),
                isPaused: Pause.isOn(connection.pause, now)
              }
            ])
          )
        }),

      remove: (userId, connectionId, id, kind, at) =>
        Effect.sync(() => {
          const rule = rules.get(id)
          if (rule?.userId !== userId || rule.deletedAt !== null || !isOf(kind, rule)) return false
          if (connectionId !== null && rule.connectionId !== connectionId) return false
          // The new version prevents an upload in flight from storing a state of the deleted rule: the upload read the
          // rules with the old version, so it cannot commit, and reads the rules again.
          streamVersions.set(userId, (streamVersions.get(userId) ?? 0) + 1)
          rules.set(id, { ...rule, deletedAt: at })
          ruleStates.delete(id)
          recentEvaluations.delete(id)
          return true
        })
    })
  })
)

const isOf = (kind: RuleKind, { target }: Rule): boolean => kind === "all" || target._tag === kind

const zonesBefore = (rules: ReadonlyArray<Rule>, rule: Rule): number => {
  if (rule.target._tag === "Place") return 0
  const at = RecentEvaluations.beginning(rule)
  return rules.filter((other) => {
    if (other.connectionId !== rule.connectionId || other.target._tag === "Place") return false
    const before = at - RecentEvaluations.beginning(other)
    return before < RecentEvaluations.PERIOD && (before > 0 || (before === 0 && other.id < rule.id))
  }).length
}

const byCreation = (a: Rule, b: Rule): number => a.createdAt - b.createdAt || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)
