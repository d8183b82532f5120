import type { SqlClient } from "@effect/sql/SqlClient"
import type { Event } from "@place-access/domain/events"
import type { Timestamp } from "@place-access/domain/shared"
import * as Rows from "../driver/Rows.js"

/** Queues an event in the caller's transaction, which also stores the change that the event reports. */
export const queue = (sql: SqlClient, event: Event.OutboxEvent, now: Timestamp.Timestamp) =>
  sql`INSERT INTO events (user_id, event_id, connection_id, app_id, payload, occurred_at, webhook_url, max_event_age_s,
        created_at, fan_out_due_at)
      VALUES (${event.userId}, ${event.id}, ${event.connectionId}, ${event.appId}, ${Rows.json(event.payload)}::jsonb,
        ${Rows.at(event.occurredAt)}, ${event.webhookUrl}, ${event.maxEventAgeS}, ${Rows.at(now)}, ${Rows.at(now)})`
