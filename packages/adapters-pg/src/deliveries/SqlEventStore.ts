import { SqlClient } from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import { type EventKey, EventStore } from "@place-access/domain/deliveries"
import type { Timestamp } from "@place-access/domain/shared"
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
 * planner cannot estimate, so it expects one row. Without it, the planner would expect 200 rows and read the whole
 * table while the table is small.
 */
const changing = (sql: SqlClient, events: ReadonlyArray<EventKey>, change: Fragment) =>
  sql`UPDATE events e SET ${change}
      FROM (SELECT * FROM unnest(${events.map(({ userId }) => userId)}::text[], ${events.map(({ id }) => id)}::text[])
              AS d (user_id, event_id) WHERE user_id = user_id || '') AS done
      WHERE e.user_id = done.user_id AND e.event_id = done.event_id AND coalesce(e.fanned_out_at, 'infinity') = 'infinity'`

export const marking = (sql: SqlClient, events: ReadonlyArray<EventKey>, at: Timestamp.Timestamp) =>
  changing(sql, events, sql`fanned_out_at = ${Rows.at(at)}`)

/**
 * The authorisation of a delivery is read before every attempt and never cached, because it may change at any time. On
 * a single server, questions that arrive while a statement runs wait for its end. Then one statement reads them all.
 */
export const layer: Layer.Layer<EventStore, never, SqlClient> = Layer.scoped(
  EventStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const onCluster = isDistributed(sql)
    const inBatches = yield* Batches.make((asked: ReadonlyArray<AuthorisationQuestion>) => authorisations(sql, asked))

    return EventStore.of({
      pending: (buckets, limit, now) =>
        buckets.length === 0
          ? Effect.succeed({ events: [], unreadable: [] })
          : orStoreError(readPending(sql, buckets, limit, now)),

      postpone: (events, until) =>
        changing(sql, events, sql`fan_out_due_at = ${Rows.at(until)}`).pipe(Effect.asVoid, orStoreError),

      markFannedOut: (events, at) => marking(sql, events, at).pipe(Effect.asVoid, orStoreError),

      authorisation: (userId, connectionId, ruleId) => {
        const question = { userId, connectionId, ruleId }
        return Effect.flatMap(orStoreError(onCluster), (is) =>
          is ? authorisationOf(sql, question) : inBatches(question)
        )
      }
    })
  })
)
