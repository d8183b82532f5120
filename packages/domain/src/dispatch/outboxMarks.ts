// What a worker writes to the outbox about the events that it sends before their deliveries are stored.
import { type Cause, Effect } from "effect"
import { REPEATS } from "../deliveries/beforeSending.js"
import { EventStore } from "../deliveries/EventStore.js"
import type { WaitingEvent } from "../events/Event.js"
import { retryTransient } from "../shared/Errors.js"
import type { EventId } from "../shared/Ids.js"
import { fn } from "../shared/Program.js"
import * as Timestamp from "../shared/Timestamp.js"
import { FRESH } from "./EventFreshness.js"
import { reportFirings } from "./reportFirings.js"

/** How long an event waits in the outbox, in milliseconds, when its rows could not be written or it cannot be read. */
export const FAILED_WAIT = 30 * Timestamp.SECOND

/** A worker remembers at most this many events whose first attempts could not be stored. */
const UNSTORED_MAX = 1_000

/**
 * How a planned attempt ended. `stored`: the delivery is stored. `fannedOut`: the delivery is stored and is the event's
 * only one, and the event is marked as fanned out. `notStored`: the delivery could not be stored, mostly because the
 * store failed. `leaseLost`: nothing was done, because this worker no longer leases the person's bucket.
 */
export type AttemptOutcome = "stored" | "fannedOut" | "notStored" | "leaseLost"

/** Logs that an event stays in the outbox, and returns `notStored`. */
export const notStored = (event: WaitingEvent, cause: Cause.Cause<unknown>) =>
  Effect.as(Effect.logWarning("An event stays in the outbox", event.id, cause), "notStored" as const)

/**
 * Makes the functions by which a worker keeps track of the events whose first attempts it makes. When all first
 * attempts of an event have ended and all its deliveries are stored, `endEvent` marks the event in the outbox as fanned
 * out, unless the store has marked it already (`fannedOut`). When a delivery is not stored, the event stays in the
 * outbox, and a worker reads it again.
 */
export const make = Effect.map(EventStore, (events) => {
  /**
   * The events that this worker must not read from the outbox now. The value is the time from which the worker may read
   * the event again; `Infinity` until all first attempts of the event have ended.
   */
  const readAgainAt = new Map<EventId, number>()
  /**
   * Events with a delivery that could not be stored, and events that could not be marked as fanned out. When a worker
   * reads these events again, their deliveries become rows.
   */
  const unstored = new Set<EventId>()

  /** Adds an event to `unstored`. When there are more than `UNSTORED_MAX`, removes the event that was added first. */
  const noteUnstored = (id: EventId): void => {
    unstored.add(id)
    const [oldest] = unstored
    if (unstored.size > UNSTORED_MAX && oldest !== undefined) unstored.delete(oldest)
  }

  /**
   * Makes the event wait in the outbox for `FAILED_WAIT`. When the store cannot postpone the event, this worker reads
   * the event again after `FRESH`. The event's deliveries are stored as rows when a worker reads the event again.
   */
  const postpone = (event: WaitingEvent) =>
    Effect.flatMap(Timestamp.now, (now) => {
      noteUnstored(event.id)
      return Effect.matchEffect(events.postpone([event], Timestamp.plus(now, FAILED_WAIT)), {
        onSuccess: () => Effect.sync(() => readAgainAt.delete(event.id)),
        onFailure: () => Effect.sync(() => readAgainAt.set(event.id, now + FRESH))
      })
    })

  const mark = (event: WaitingEvent) =>
    Timestamp.nowWith((now) => retryTransient(REPEATS)(events.markFannedOut([event], now)))

  /** Marks the event as fanned out. Returns true when the store failed and the event is therefore not marked. */
  const isUnmarked = (event: WaitingEvent) =>
    Effect.matchCauseEffect(mark(event), {
      onSuccess: () => Effect.succeed(false),
      onFailure: (cause) => Effect.as(notStored(event, cause), true)
    })

  return {
    /**
     * The events that this worker must not read from the outbox now, because their first attempts are in flight or wait
     * in line, or because an attempt to postpone them has just failed.
     */
    inHand: (now: Timestamp.Timestamp): ReadonlyArray<EventId> => {
      for (const [id, until] of readAgainAt) if (until <= now) readAgainAt.delete(id)
      return [...readAgainAt.keys()]
    },
    begin: (id: EventId): void => void readAgainAt.set(id, Infinity),
    /**
     * Removes the event from `unstored`, and returns whether the event was there. If so, the caller stores the event's
     * deliveries as rows.
     */
    takeUnstored: (id: EventId): boolean => unstored.delete(id),
    /** Called when all attempts of an event have ended. */
    endEvent: fn(function* (event: WaitingEvent, outcomes: ReadonlyArray<AttemptOutcome>) {
      const isStored = outcomes.every((one) => one === "stored" || one === "fannedOut")
      const isMarked = outcomes.includes("fannedOut")
      const mustWait = isStored ? !isMarked && (yield* isUnmarked(event)) : outcomes.includes("notStored")
      if (mustWait) yield* postpone(event)
      else readAgainAt.delete(event.id)
      if (isStored && !mustWait) yield* reportFirings([event])
    })
  }
})
