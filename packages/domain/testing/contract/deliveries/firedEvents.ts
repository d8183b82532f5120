import { Effect, Struct, TestClock } from "effect"
import { EventStore } from "../../../src/deliveries/EventStore.js"
import type { OutboxEvent } from "../../../src/events/Event.js"
import * as Bucket from "../../../src/leases/Bucket.js"
import type { EventId } from "../../../src/shared/Ids.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import * as Check from "../../Check.js"
import * as Rules from "../rules/ruleSamples.js"
import * as Uploads from "../fixes/uploadSamples.js"

/**
 * Stores a user whose rule fired `count` times. Each firing came from a separate upload, a millisecond after the upload
 * before.
 */
export const fired = (count: number) =>
  Effect.gen(function* () {
    const { connection, place } = yield* Rules.sharing()
    const rule = yield* Rules.rule(connection, Rules.onPlace(place))
    const phone = yield* Rules.device(connection.userId)
    const events: Array<OutboxEvent> = []
    for (let made = 0; made < count; made++) {
      const event = yield* Uploads.event(rule)
      Check.isTrue(yield* Uploads.commit(phone, { events: [event] }), "uploaded")
      events.push(event)
      yield* TestClock.adjust(1)
    }
    return { connection, events, phone, rule }
  })

/**
 * The events of the user that wait for fan-out, as a worker that leases `buckets` reads them. Events with an id in
 * `except` are left out.
 */
export const pending = (userId: OutboxEvent["userId"], buckets = Bucket.ALL, except: ReadonlyArray<EventId> = []) =>
  Effect.gen(function* () {
    const { events } = yield* (yield* EventStore).pending(buckets, 10_000, yield* Timestamp.now, except)
    return events.filter((event) => event.userId === userId).map(Struct.omit("storedAt"))
  })

export const mark = (events: ReadonlyArray<OutboxEvent>) =>
  Effect.gen(function* () {
    yield* (yield* EventStore).markFannedOut(events, yield* Timestamp.now)
  })
