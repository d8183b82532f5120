import type { SqlClient } from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import type { EventKey } from "@place-access/domain/deliveries"
import type { Timestamp } from "@place-access/domain/shared"
import * as Rows from "../driver/Rows.js"

/**
 * Changes events that wait for their fan-out, by one index look-up for each event. Two unusual conditions force that
 * plan, whatever the planner knows about the backlog. `coalesce(…) = 'infinity'` stands for `fanned_out_at IS NULL`,
 * for which the planner would scan the index of all waiting events. `user_id = user_id || ''` is a comparison that the
 * planner cannot estimate, so it expects one row. Without this comparison, the planner may expect one row for each
 * listed event (200 for a full batch of the fan-out), and read the whole table while the table is small.
 */
export const changingThese = (sql: SqlClient, these: Fragment, change: Fragment) =>
  sql`UPDATE events e SET ${change}
      FROM (SELECT * FROM (${these}) AS d WHERE user_id = user_id || '') AS done
      WHERE e.user_id = done.user_id AND e.event_id = done.event_id AND coalesce(e.fanned_out_at, 'infinity') = 'infinity'`

/** Changes those of the listed events that wait for their fan-out (`changingThese`). */
export const changing = (sql: SqlClient, events: ReadonlyArray<EventKey>, change: Fragment, onCluster: boolean) => {
  const people = events.map(({ userId }) => userId)
  // Without a condition on `e.user_id` that Citus can read, the statement would go to every shard.
  const ofPeople = onCluster ? sql`AND e.user_id = ANY(${[...new Set(people)]}::text[])` : sql``
  const these = sql`SELECT * FROM unnest(${people}::text[], ${events.map(({ id }) => id)}::text[])
                      AS d (user_id, event_id)`
  return sql`${changingThese(sql, these, change)} ${ofPeople}`
}

/** Marks the events as fanned out. */
export const marking = (sql: SqlClient, events: ReadonlyArray<EventKey>, at: Timestamp.Timestamp, onCluster = false) =>
  changing(sql, events, sql`fanned_out_at = ${Rows.at(at)}`, onCluster)
