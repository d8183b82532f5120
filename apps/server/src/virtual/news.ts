import { SqlClient } from "@effect/sql/SqlClient"
import { Rows } from "@place-access/adapters-pg"
import { Timestamp } from "@place-access/domain/shared"
import { Effect, Schema } from "effect"
import type { Happening } from "./Happening.js"

const EventRow = Schema.Struct({ event_id: Schema.String, type: Schema.String, occurred_at: Rows.At })
const MailRow = Schema.Struct({ user_id: Schema.String, dedupe_key: Schema.String, subject: Schema.String })

/**
 * Reads the events and then the mails that were written at the instant `at` of the test world's clock. Each of the two
 * lists has a fixed order.
 */
export const read = (at: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const instant = Rows.at(at)
    const events = yield* sql`SELECT event_id, payload->>'type' AS type, occurred_at FROM events
      WHERE created_at = ${instant} ORDER BY event_id`.pipe(Rows.all(EventRow))
    const mails = yield* sql`SELECT user_id, dedupe_key, subject FROM mail_outbox
      WHERE created_at = ${instant} ORDER BY user_id, dedupe_key`.pipe(Rows.all(MailRow))
    return [
      ...events.map(({ event_id, occurred_at, type }): Happening => ({
        at,
        what: "event",
        row: event_id,
        details: { type, event_id, occurred_at: Timestamp.toIso(occurred_at) }
      })),
      ...mails.map(({ dedupe_key, subject, user_id }): Happening => ({
        at,
        what: "mail",
        row: `${user_id} ${dedupe_key}`,
        details: { subject }
      }))
    ]
  })
