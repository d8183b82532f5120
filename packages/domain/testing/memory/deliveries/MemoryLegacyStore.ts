import { Effect, Either, Layer, Option } from "effect"
import { EndpointUrl } from "../../../src/endpoints/EndpointUrl.js"
import type { Connection } from "../../../src/connection/Connection.js"
import { ruleIdOf } from "../../../src/events/Event.js"
import { LegacyStore } from "../../../src/legacy/LegacyStore.js"
import * as Receiver from "../../../src/legacy/Receiver.js"
import type { RuleImportFacts } from "../../../src/legacy/RuleImport.js"
import type { OutboxEvent } from "../../../src/events/Event.js"
import * as Tier from "../../../src/tiers/Tier.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import { MemoryDatabase, type Tables } from "../MemoryDatabase.js"
import * as MemoryRules from "../rules/MemoryRules.js"

export const layer: Layer.Layer<LegacyStore, never, MemoryDatabase> = Layer.effect(
  LegacyStore,
  Effect.map(MemoryDatabase, (tables) => {
    const { connections, ownSecrets, rules, subscriptions } = tables
    return LegacyStore.of({
      subscribe: (subscription) =>
        Effect.map(Timestamp.now, (now) => {
          const connection = connections.get(subscription.connectionId)
          if (connection?.userId !== subscription.userId || connection.endedAt !== null) return "ended"
          if (!Tier.standardIsLive(connection, now)) return "ended"
          if (ofConnection(tables, subscription).length >= Receiver.MAX_PER_CONNECTION) return "full"
          subscriptions.set(subscription.id, subscription)
          return "created"
        }),
      unsubscribe: (userId, connectionId, id) =>
        Effect.sync(() => {
          const isTheirs = ofConnection(tables, { userId, connectionId }).some((one) => one.id === id)
          return isTheirs && subscriptions.delete(id)
        }),
      subscriptions: (userId, connectionId) => Effect.sync(() => ofConnection(tables, { userId, connectionId })),
      isSubscribed: (userId, connectionId, id) =>
        Effect.sync(() => ofConnection(tables, { userId, connectionId }).some((one) => one.id === id)),
      receivers: (events) => Effect.sync(() => new Map(events.map((event) => [event.id, receiversOf(tables, event)]))),

      findOwner: (name) =>
        Effect.sync(() =>
          Option.fromNullable(
            "connectionId" in name
              ? connections.get(name.connectionId)
              : [...connections.values()]
                  .filter(({ appId, sub }) => appId === name.appId && sub === name.sub)
                  .sort(
                    (a, b) => Number(a.endedAt !== null) - Number(b.endedAt !== null) || b.connectedAt - a.connectedAt
                  )[0]
          ).pipe(Option.map(({ appId, id, userId }) => ({ appId, id, userId })))
        ),
      importRules: (requested, decide) =>
        Effect.map(Timestamp.now, (now) => {
          const state: RuleImportFacts = {
            connections: [...connections.values()]
              .filter(({ id }) => requested.some(({ owner }) => owner.id === id))
              .map((connection) => stateOf(tables, connection)),
            known: [...rules.values()]
              .filter((rule) => requested.some(({ id, owner }) => rule.id === id && rule.userId === owner.userId))
              .map((rule) => MemoryRules.relabelled(tables, rule))
          }
          const decided = decide(state, now)
          if (Either.isRight(decided)) {
            for (const { rule, sealed } of decided.right) {
              rules.set(rule.id, { ...rule, deletedAt: null })
              ownSecrets.set(rule.id, sealed)
            }
          }
          return decided
        })
    })
  })
)

/** The subscriptions of a connection, oldest first. */
const ofConnection = (
  { subscriptions }: Tables,
  { connectionId, userId }: Pick<Receiver.Subscription, "userId" | "connectionId">
): ReadonlyArray<Receiver.Subscription> =>
  [...subscriptions.values()]
    .filter((one) => one.userId === userId && one.connectionId === connectionId)
    .sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))

/** The legacy receivers of an event. */
export const receiversOf = (tables: Tables, event: OutboxEvent): ReadonlyArray<Receiver.LegacyReceiver> => {
  const ruleId = ruleIdOf(event.payload)
  if (ruleId === null) return []
  const rule = tables.rules.get(ruleId)
  const sealed = tables.ownSecrets.get(ruleId)
  if (rule?.userId === event.userId && rule.webhookUrl !== null && sealed !== undefined) {
    return [{ _tag: "Rule", id: ruleId, url: EndpointUrl.make(rule.webhookUrl), sealed }]
  }
  return event.webhookUrl !== null
    ? []
    : ofConnection(tables, event).map(({ id, sealed, url }) => ({ _tag: "Subscription", id, url, sealed }))
}

const stateOf = (tables: Tables, connection: Connection): RuleImportFacts["connections"][number] => ({
  ...connection,
  places: connection.places.flatMap(({ placeId }) => {
    const place = tables.places.get(placeId)
    return place === undefined || place.archivedAt !== null ? [] : [{ id: place.id, label: place.label }]
  }),
  rules: MemoryRules.ofConnection(tables, connection.id).map((rule) => MemoryRules.relabelled(tables, rule))
})
