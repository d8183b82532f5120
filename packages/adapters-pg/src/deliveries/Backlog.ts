import { SqlClient } from "@effect/sql/SqlClient"
import { program, Telemetry, type Timestamp } from "@place-access/domain/shared"
import { QUEUES, SERVICE_COUNTED_MAX as COUNTED_MAX } from "@place-access/domain/staff"
import { Effect, Schema } from "effect"
import * as Failures from "../Failures.js"
import * as Rows from "../driver/Rows.js"
import { waits } from "./transitions.js"

const rows = Telemetry.gauge("place_access.backlog.rows", {
  description: "What waits for a worker, also mail between attempts, in the whole database; not counted beyond 100,000",
  labels: { queue: QUEUES }
})
const oldest = Telemetry.gauge("place_access.backlog.oldest_due_age", {
  unit: "s",
  description:
    "For how long the first has waited since it was first due, an import since its upload, in the whole database",
  labels: { queue: QUEUES }
})
const later = Telemetry.gauge("place_access.deliveries.retrying", {
  description: "Deliveries whose next attempt is not due yet, in the whole database; not counted beyond 100,000"
})

const Waiting = Schema.Struct({ queue: Schema.Literal(...QUEUES), rows: Rows.Bigint, oldest: Rows.NullableAt })
const Retrying = Schema.Struct({ rows: Rows.Bigint })

const WAITS = waits("state")

/**
 * Counts the due rows of each queue, up to `COUNTED_MAX`, and finds the earliest due time of these rows (of imports:
 * the earliest time of upload). If more are due, older deliveries or imports may be left out. The result has the order
 * of `QUEUES`. A person's files are read one after the other, so an import is due when no other file of its owner is
 * being read. A mail whose attempt failed counts as due since it was written, even while it waits for its next attempt:
 * otherwise no figure would show that the mail server takes no mail.
 */
export const read = (sql: SqlClient, now: Timestamp.Timestamp) =>
  counted(sql, Rows.at(now)).pipe(
    Effect.map((found) =>
      QUEUES.map((queue) => {
        const row = found.find((one) => one.queue === queue)
        return { queue, rows: row?.rows ?? 0, oldestDueAt: row?.oldest ?? null }
      })
    )
  )

const counted = (sql: SqlClient, at: ReturnType<typeof Rows.at>) =>
  sql`
      SELECT 'outbox' AS queue, count(*) AS rows, min(due_at) AS oldest FROM (
        SELECT fan_out_due_at AS due_at FROM events WHERE fanned_out_at IS NULL AND fan_out_due_at <= ${at}
        ORDER BY fan_out_due_at LIMIT ${COUNTED_MAX}) due
      UNION ALL
      SELECT 'deliveries', count(*), min(due_at) FROM (
        SELECT due_at FROM deliveries WHERE ${sql.literal(WAITS)} AND due_at <= ${at}
          AND (leased_until IS NULL OR leased_until <= ${at}) LIMIT ${COUNTED_MAX}) due
      UNION ALL
      SELECT 'mail', count(*), min(created_at) FROM (
        SELECT created_at FROM mail_outbox WHERE sent_at IS NULL AND given_up_at IS NULL
          AND (due_at <= ${at} OR attempts > 0) ORDER BY due_at LIMIT ${COUNTED_MAX}) due
      UNION ALL
      SELECT 'imports', count(*), min(uploaded_at) FROM (
        SELECT uploaded_at FROM imports AS waiting WHERE state = 'waiting' AND NOT EXISTS (
          SELECT 1 FROM imports AS other WHERE other.user_id = waiting.user_id AND other.leased_until > ${at})
        LIMIT ${COUNTED_MAX}) due`.pipe(Rows.all(Waiting))

/**
 * Records the backlog of each queue and the number of deliveries that wait for a retry. It reads up to `COUNTED_MAX`
 * rows of each queue's index, so only a program that exports metrics calls it.
 */
export const measure = program(
  "Backlog.measure",
  function* (now: Timestamp.Timestamp) {
    const sql = yield* SqlClient
    const at = Rows.at(now)
    const waiting = yield* read(sql, now)
    const retrying = yield* sql`SELECT count(*) AS rows FROM (
        SELECT 1 FROM deliveries WHERE ${sql.literal(WAITS)} AND due_at > ${at} LIMIT ${COUNTED_MAX}) due`.pipe(
      Rows.all(Retrying)
    )
    for (const queue of waiting) {
      rows.record(queue.rows, { queue: queue.queue })
      oldest.record(queue.oldestDueAt === null ? 0 : Math.max(0, now - queue.oldestDueAt) / 1_000, {
        queue: queue.queue
      })
    }
    for (const one of retrying) later.record(one.rows, {})
  },
  Failures.orStoreError
)
