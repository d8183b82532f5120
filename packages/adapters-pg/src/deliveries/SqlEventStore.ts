import { SqlClient } from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import { type EventKey, EventStore } from "@place-access/domain/deliveries"
import { Timestamp } from "@place-access/domain/shared"
import { Effect, Layer } from "effect"
import * as Batches from "../driver/Batches.js"
import { orStoreError } from "../Failures.js"
import * as Rows from "../driver/Rows.js"
import { isDistributed } from "../schema/isDistributed.js"
import { type AuthorisationQuestion, authorisationOf, authorisations } from "./authorisation.js"
import { readPending } from "./pendingEvents.js"

/**
 * Changes events that wait for their fan-out, by one index look-up for each event. Two unusual conditions force that
 * plan, whatever the planner knows about the backlog. `coalesce(…) = 'infinity'` stands for `fanned_out_at IS NULL`,
 * for which the planner would scan the index of all waiting events. `user_id = user_id || ''` is a comparison that the
 * planner cannot estimate, so it expects one row. Without this comparison, the planner would expect 200 rows and
 * read the whole table while the table is small.
 */
const changing = (sql: SqlClient, events: ReadonlyArray<EventKey>, change: Fragment, onCluster: boolean) => {
  const people = events.map(({ userId }) => userId)
  // Without a condition on `e.user_id` that Citus can read, the statement would go to every shard.
  const ofPeople = onCluster ? sql`AND e.user_id = ANY(${[...new Set(people)]}::text[])` : sql``
  return sql`UPDATE events e SET ${change}
      FROM (SELECT * FROM unnest(${people}::text[], ${events.map(({ id }) => id)}::text[])
              AS d (user_id, event_id) WHERE user_id = user_id || '') AS done
      WHERE e.user_id = done.user_id AND e.event_id = done.event_id AND coalesce(e.fanned_out_at, 'infinity') = 'infinity'
        ${ofPeople}`
}

export const marking = (sql: SqlClient, events: ReadonlyArray<EventKey>, at: Timestamp.Timestamp, onCluster = false) =>
  changing(sql, events, sql`fanned_out_at = ${Rows.at(at)}`, onCluster)

/** Events whose fan-out has ended, and when it ended. */
interface FannedOut {
  readonly events: ReadonlyArray<EventKey>
  readonly at: Timestamp.Timestamp
}

/**
 * The authorisation of a delivery is read before every attempt and never cached, because it may change at any time. On
 * a single server, while one statement reads authorisations, new questions wait, and the next statement answers all of
 * them. Events are marked as fanned out in the same way, many in one statement, on a cluster too. Otherwise each mark
 * would need a commit of its own.
 */
export const layer: Layer.Layer<EventStore, never, SqlClient> = Layer.scoped(
  EventStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const onCluster = isDistributed(sql)
    const inBatches = yield* Batches.make((questions: ReadonlyArray<AuthorisationQuestion>) =>
      authorisations(sql, questions)
    )
    const mark = yield* Batches.make((all: ReadonlyArray<FannedOut>) => {
      const events = all.flatMap((one) => one.events)
      const at = Timestamp.make(Math.max(...all.map((one) => one.at)))
      return Effect.flatMap(onCluster, (is) => marking(sql, events, at, is)).pipe(Effect.as(all), orStoreError)
    })

    return EventStore.of({
      pending: (buckets, limit, now, except = []) =>
        buckets.length === 0
          ? Effect.succeed({ events: [], unreadable: [] })
          : orStoreError(Effect.flatMap(onCluster, (is) => readPending(sql, { buckets, limit, now, except }, is))),

      postpone: (events, until) =>
        Effect.flatMap(onCluster, (is) => changing(sql, events, sql`fan_out_due_at = ${Rows.at(until)}`, is)).pipe(
          Effect.asVoid,
          orStoreError
        ),

      markFannedOut: (events, at) => Effect.asVoid(mark({ events, at })),

      authorisation: (userId, connectionId, ruleId, occurredAt) => {
        const question = { userId, connectionId, ruleId, occurredAt: occurredAt ?? null }
        return Effect.flatMap(orStoreError(onCluster), (is) =>
          is ? authorisationOf(sql, question) : inBatches(question)
        )
      }
    })
  })
)
