import { Rows } from "@place-access/adapters-pg"
import { SqlClient } from "@effect/sql/SqlClient"
import { EventStore } from "@place-access/domain/deliveries"
import { Bucket } from "@place-access/domain/leases"
import { EventId, Timestamp, UserId } from "@place-access/domain/shared"
import { Check } from "@place-access/domain/testing"
import { Effect, Logger, LogLevel } from "effect"

/**
 * An event that this version cannot read. This version never writes such an event. A newer version of the service may
 * have written it, or a person with access to the database.
 */
export const unreadableEvent = {
  name: "an event that cannot be read is named apart from the others, and can be postponed",
  run: Effect.gen(function* () {
    const sql = yield* SqlClient
    const store = yield* EventStore
    const now = yield* Timestamp.now
    const key = { userId: UserId.make("usr_unreadable"), id: EventId.make("evt_unreadable") }
    yield* sql`INSERT INTO events (user_id, event_id, connection_id, app_id, payload, occurred_at, created_at, fan_out_due_at)
      VALUES (${key.userId}, ${key.id}, 'con_1', 'app_1', '{"type": "place.sung"}', ${Rows.at(now)}, ${Rows.at(now)},
              ${Rows.at(now)})`
    const before = yield* store.pending(Bucket.ALL, 10_000, now)
    Check.equal(before.unreadable, [key], "named")
    Check.isTrue(!before.events.some(({ id }) => id === key.id), "not among the others")
    yield* store.postpone(before.unreadable, Timestamp.plus(now, 1))
    Check.equal((yield* store.pending(Bucket.ALL, 10_000, now)).unreadable, [], "postponed")
    Check.equal((yield* store.pending(Bucket.ALL, 10_000, Timestamp.plus(now, 1))).unreadable, [key], "due again")
    yield* store.markFannedOut([key], now)
  }).pipe(Logger.withMinimumLogLevel(LogLevel.None))
}
