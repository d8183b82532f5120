import { Effect, Layer, Option, Struct } from "effect"
import * as Account from "../../../src/accounts/Account.js"
import type { Authorisation } from "../../../src/deliveries/Authorisation.js"
import { EventStore, type PendingEvents, READ_AHEAD_MAX } from "../../../src/deliveries/EventStore.js"
import { type OutboxEvent, ruleIdOf, type WaitingEvent } from "../../../src/events/Event.js"
import type { Connection } from "../../../src/connection/Connection.js"
import * as Erasure from "../../../src/retention-choice/Erasure.js"
import type { RuleId } from "../../../src/shared/Ids.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import { isSuspended } from "../connection/MemoryConnections.js"
import { MemoryDatabase, type Tables } from "../MemoryDatabase.js"
import { bucketOf } from "../leases/buckets.js"
import { ground } from "../rules/MemoryRules.js"
import { markFannedOut } from "./MemoryDeliveryStore.js"
import { listOf } from "./MemoryEndpointStore.js"
import { receiversOf } from "./MemoryLegacyStore.js"
import { liveOf } from "./MemoryListenerStore.js"

const ruleStands = (
  tables: Tables,
  connection: Connection,
  ruleId: RuleId | null,
  now: Timestamp.Timestamp
): boolean => {
  if (ruleId === null) return true
  const rule = tables.rules.get(ruleId)
  return (
    rule !== undefined &&
    rule.connectionId === connection.id &&
    rule.deletedAt === null &&
    ground(tables, connection, rule, now) !== undefined
  )
}

/** Whether the time `at` lies in a suspension of the person or of the app, past or present. */
const wasSuspended = (
  { accounts, apps, pastSuspensions }: Tables,
  { appId, userId }: Pick<Connection, "appId" | "userId">,
  at: Timestamp.Timestamp | undefined
): boolean => {
  if (at === undefined) return false
  const since = [accounts.get(userId)?.account.suspendedAt, apps.get(appId)?.app.suspendedAt]
  return (
    [userId, appId].some((id) => Account.wasSuspended(pastSuspensions.get(id) ?? [], at)) ||
    since.some((from) => from !== null && from !== undefined && from <= at)
  )
}

interface Question extends Pick<OutboxEvent, "userId" | "connectionId"> {
  readonly ruleId: RuleId | null
  readonly occurredAt: Timestamp.Timestamp | undefined
}

const authorisationOf = (tables: Tables, question: Question, now: Timestamp.Timestamp) =>
  Option.gen(function* () {
    const { connectionId, occurredAt, ruleId, userId } = question
    const connection = yield* Option.fromNullable(tables.connections.get(connectionId))
    if (connection.userId !== userId) return yield* Option.none()
    const registered = yield* Option.fromNullable(tables.apps.get(connection.appId))
    const webhookUrl = ruleId === null ? null : (tables.rules.get(ruleId)?.webhookUrl ?? null)
    const found: Authorisation = {
      connection,
      app: registered.app,
      ruleStands: ruleStands(tables, connection, ruleId, now),
      ...(occurredAt !== undefined && Erasure.isErased(occurredAt, tables.erasures.get(userId) ?? [])
        ? { isErased: true as const }
        : {}),
      ...(isSuspended(tables, connection, registered.app) ? { isSuspended: true as const } : {}),
      ...(wasSuspended(tables, connection, occurredAt) ? { wasSuspended: true as const } : {}),
      ...(webhookUrl === null ? {} : { webhookUrl })
    }
    return found
  })

/**
 * Reads ahead the data that the first attempts of events need (`ReadAhead`), as a store does whose tables are on one
 * server.
 */
const readAhead = (
  tables: Tables,
  events: ReadonlyArray<WaitingEvent>,
  now: Timestamp.Timestamp
): PendingEvents["ahead"] =>
  new Map(
    events.length > READ_AHEAD_MAX
      ? []
      : events.flatMap((event) => {
          if (liveOf(tables, event.appId, now).length > 0 || receiversOf(tables, event).length > 0) return []
          const question = { ...event, ruleId: ruleIdOf(event.payload) }
          const endpoints = listOf(tables, event.appId)
          return Option.toArray(authorisationOf(tables, question, now)).map(
            (authorisation) => [event.id, { endpoints, authorisation }] as const
          )
        })
  )

export const layer: Layer.Layer<EventStore, never, MemoryDatabase> = Layer.effect(
  EventStore,
  Effect.gen(function* () {
    const tables = yield* MemoryDatabase
    return EventStore.of({
      pending: (buckets, limit, now, except = []) =>
        Effect.sync(() => {
          const wanted = new Set(buckets)
          const left = new Set(except)
          const due = [...tables.events.values()]
            .filter(
              (event) =>
                event.fannedOutAt === null &&
                event.fanOutDueAt <= now &&
                wanted.has(bucketOf(event.userId)) &&
                !left.has(event.id)
            )
            .sort((a, b) => a.fanOutDueAt - b.fanOutDueAt || a.occurredAt - b.occurredAt || (a.id < b.id ? -1 : 1))
            .slice(0, limit)
          const events = due.map((event): WaitingEvent => ({
            ...Struct.omit(event, "fanOutDueAt", "fannedOutAt"),
            storedAt: event.storedAt ?? event.fanOutDueAt,
            ...(wasSuspended(tables, event, event.occurredAt) ? { wasSuspended: true as const } : {})
          }))
          return { events, ahead: readAhead(tables, events, now), unreadable: [] }
        }),
      postpone: (events, until) =>
        Effect.sync(() => {
          for (const { id, userId } of events) {
            const event = tables.events.get(id)
            if (event === undefined || event.userId !== userId || event.fannedOutAt !== null) continue
            tables.events.set(id, { ...event, fanOutDueAt: until, storedAt: event.storedAt ?? event.fanOutDueAt })
          }
        }),
      markFannedOut: (events, at) =>
        Effect.sync(() => {
          for (const event of events) markFannedOut(tables, event, at)
        }),
      authorisation: (userId, connectionId, ruleId, occurredAt) =>
        Effect.map(Timestamp.now, (now) => authorisationOf(tables, { userId, connectionId, ruleId, occurredAt }, now))
    })
  })
)
