import { Effect, Layer, Option } from "effect"
import type { Rule } from "../../rules/Rule.js"
import { type Kind, RuleStore } from "../../rules/RuleStore.js"
import * as Tier from "../../tiers/Tier.js"
import * as Timestamp from "../../shared/Timestamp.js"
import { MemoryDatabase } from "./MemoryDatabase.js"
import * as MemoryRules from "./MemoryRules.js"

export const layer: Layer.Layer<RuleStore, never, MemoryDatabase> = Layer.effect(
  RuleStore,
  Effect.map(MemoryDatabase, (tables) => {
    const { connections, rules, ruleStates } = tables

    return RuleStore.of({
      create: (userId, connectionId, decide) =>
        Effect.map(Timestamp.now, (now) => {
          const connection = connections.get(connectionId)
          if (connection?.userId !== userId || connection.endedAt !== null) return Option.none()
          if (!Tier.standardIsLive(connection, now)) return Option.none()
          const present = [...MemoryRules.ofConnection(tables, connectionId)].sort(byCreation)
          const { outcome, rule } = decide(
            present.map((one) => MemoryRules.relabelled(tables, one)),
            now
          )
          if (rule !== null) rules.set(rule.id, { ...rule, deletedAt: null })
          return Option.some(outcome)
        }),

      list: (userId, connectionId, kind) =>
        Effect.map(Timestamp.now, (now) => {
          const connection = connections.get(connectionId)
          if (connection?.userId !== userId || connection.endedAt !== null) return []
          return MemoryRules.ofConnection(tables, connectionId)
            .filter((rule) => isOf(kind, rule))
            .map((rule) => MemoryRules.notice(tables, connection, rule, now))
            .sort(byCreation)
            .map((rule) => MemoryRules.relabelled(tables, rule))
        }),

      remove: (userId, connectionId, id, kind, at) =>
        Effect.sync(() => {
          const rule = rules.get(id)
          if (rule?.userId !== userId || rule.deletedAt !== null || !isOf(kind, rule)) return false
          if (connectionId !== null && rule.connectionId !== connectionId) return false
          rules.set(id, { ...rule, deletedAt: at })
          ruleStates.delete(id)
          return true
        })
    })
  })
)

const isOf = (kind: Kind, { target }: Rule): boolean => kind === "all" || target._tag === kind

const byCreation = (a: Rule, b: Rule): number => a.createdAt - b.createdAt || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)
