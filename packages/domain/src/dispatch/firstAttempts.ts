import { Cause, Effect, Option } from "effect"
import { REPEATS } from "../deliveries/beforeSending.js"
import type * as Delivery from "../deliveries/Delivery.js"
import { deliverFirst } from "../deliveries/deliver.js"
import { EventStore } from "../deliveries/EventStore.js"
import type { WebhookEndpoint } from "../endpoints/WebhookEndpoint.js"
import type { WaitingEvent } from "../events/Event.js"
import type { Crew } from "../leases/holdLeases.js"
import type { EndpointId, EventId, UserId } from "../shared/Ids.js"
import { retryTransient } from "../shared/Errors.js"
import * as Timestamp from "../shared/Timestamp.js"
import type { Flights } from "./flights.js"

/** How long the events of an app wait whose rows could not be written, and an event that cannot be read. */
export const FAILED_WAIT = 30 * Timestamp.SECOND

/**
 * An event that waits for longer than this is not sent directly. It may be what crashed the workers before: as a row
 * that is claimed it is abandoned in the end (decision deliveries-4). It is also what makes an event, whose attempt
 * could not be stored, become a row.
 */
export const FRESH = 5 * Timestamp.SECOND

const isFresh = ({ storedAt }: WaitingEvent, now: Timestamp.Timestamp): boolean => Math.abs(now - storedAt) <= FRESH

/** A delivery that is not stored yet, and its endpoint as it was read. */
export interface FirstAttempt {
  readonly row: Delivery.NewDelivery
  readonly endpoint: WebhookEndpoint
}

/** Sends events directly after they were read from the outbox, and stores their deliveries afterwards. */
export interface FirstAttempts {
  /** The events whose attempts are in flight. They are still in the outbox. */
  readonly inHand: (now: Timestamp.Timestamp) => ReadonlyArray<EventId>
  /**
   * Begins the first attempts of an event at all its endpoints, which were read for use until `until`. False, and
   * nothing is done, when one of the endpoints fails or has no room, or the event is not fresh: then the event's
   * deliveries are stored, and wait for a claim.
   */
  readonly launch: (
    event: WaitingEvent,
    attempts: ReadonlyArray<FirstAttempt>,
    until: Timestamp.Timestamp
  ) => Effect.Effect<boolean>
}

/** Every delivery is stored, and waits for a claim. */
export const none: FirstAttempts = { inHand: () => [], launch: () => Effect.succeed(false) }

/**
 * The share of a worker of the `most` first attempts that all workers together may have in flight at one endpoint. The
 * shares add up to `most`. Each endpoint has another worker that comes first, so that with more than `most` workers not
 * always the same ones send nothing directly.
 */
export const shareOf = (
  most: number,
  { place, size }: Pick<Crew, "place" | "size">,
  endpointId: EndpointId
): number => {
  const turn = (place + sumOf(endpointId)) % size
  return Math.floor((most * (turn + 1)) / size) - Math.floor((most * turn) / size)
}

const sumOf = (text: string): number => {
  let sum = 0
  for (const letter of text) sum += letter.charCodeAt(0)
  return sum
}

interface Leases {
  readonly crew: () => Crew
  readonly using: <A, E, R>(person: UserId, work: Effect.Effect<A, E, R>) => Effect.Effect<Option.Option<A>, E, R>
}

export interface Means {
  readonly flights: Flights
  readonly leases: Leases
  /** The most first attempts of all workers in flight at one endpoint. */
  readonly perEndpoint: number
  /** Runs when a delivery waits for its next attempt. */
  readonly onWait: () => void
}

/** `missed`: the store failed. `left`: another worker has the person's events now. */
type Outcome = "stored" | "missed" | "left"

type Ports = Effect.Effect.Context<ReturnType<typeof deliverFirst>> | EventStore

/**
 * First attempts that share the worker's slots with its claims. An event is marked in the outbox when all its
 * deliveries are stored. Until then it stays there, so when this worker dies, another one sends it again under the same
 * id. The worker keeps the lease of the person's bucket meanwhile, so no living worker does.
 */
export const make = ({ flights, leases, onWait, perEndpoint }: Means): Effect.Effect<FirstAttempts, never, Ports> =>
  Effect.gen(function* () {
    const ports = yield* Effect.context<Ports>()
    const events = yield* EventStore
    /** When each event may be read again at the latest. */
    const held = new Map<EventId, number>()

    const mark = (event: WaitingEvent) =>
      Effect.flatMap(Timestamp.now, (now) => retryTransient(REPEATS)(events.markFannedOut([event], now)))

    /** An event that cannot be postponed either is read again when it is fresh no more, and becomes a row. */
    const postpone = (event: WaitingEvent) =>
      Effect.flatMap(Timestamp.now, (now) => events.postpone([event], Timestamp.plus(now, FAILED_WAIT))).pipe(
        Effect.zipRight(Effect.sync(() => held.delete(event.id))),
        Effect.catchAll(() => Effect.sync(() => held.set(event.id, event.storedAt + FRESH + 1)))
      )

    const missed = (event: WaitingEvent, cause: Cause.Cause<unknown>) =>
      Effect.as(Effect.logWarning("An event stays in the outbox", event.id, cause), "missed" as const)

    const settle = (event: WaitingEvent, outcomes: ReadonlyArray<Outcome>) => {
      const isMarked = outcomes.every((one) => one === "stored")
        ? mark(event).pipe(
            Effect.as("stored" as const),
            Effect.catchAllCause((cause) => missed(event, cause))
          )
        : Effect.succeed(outcomes.includes("missed") ? ("missed" as const) : ("left" as const))
      return Effect.flatMap(isMarked, (outcome) =>
        outcome === "missed" ? postpone(event) : Effect.sync(() => held.delete(event.id))
      )
    }

    const attempt = (event: WaitingEvent, { endpoint, row }: FirstAttempt, until: Timestamp.Timestamp) =>
      deliverFirst(row, endpoint, until).pipe(
        Effect.map((how) => {
          const waits = flights.note(endpoint.id, how)
          if (waits) onWait()
          return { outcome: "stored" as Outcome, waits }
        }),
        Effect.catchAllCause((cause) =>
          Cause.isInterruptedOnly(cause)
            ? Effect.interrupt
            : Effect.map(missed(event, cause), (outcome) => ({ outcome, waits: false }))
        )
      )

    return {
      inHand: (now) => {
        for (const [id, until] of held) if (until <= now) held.delete(id)
        return [...held.keys()]
      },
      launch: (event, attempts, until) =>
        Effect.gen(function* () {
          const crew = leases.crew()
          // A worker that has to give leases up waits until nothing of them is in flight.
          if (crew.isOver || !isFresh(event, yield* Timestamp.now)) return false
          const hasRoom = ({ endpoint: { id } }: FirstAttempt) =>
            flights.hasRoomForFirst(id, shareOf(perEndpoint, crew, id))
          if (!attempts.every(hasRoom)) return false
          const outcomes: Array<Outcome> = []
          const end = (outcome: Outcome) =>
            Effect.suspend(() => {
              outcomes.push(outcome)
              return outcomes.length === attempts.length ? settle(event, outcomes) : Effect.void
            })
          held.set(event.id, Infinity)
          for (const one of attempts) {
            const work = Effect.flatMap(attempt(event, one, until), ({ outcome, waits }) =>
              Effect.as(end(outcome), waits)
            )
            const flight = Effect.flatMap(
              leases.using(event.userId, work),
              Option.match({
                onNone: () => Effect.as(end("left"), false),
                onSome: (waits) => Effect.succeed(waits)
              })
            )
            // Not under the span of the fan-out: an attempt is a trace of its own, and ends later.
            const apart: Effect.Effect<boolean> = Effect.mapInputContext(flight, () => ports)
            yield* flights.launch(one.endpoint.id, apart, "first")
          }
          return true
        }).pipe(Effect.uninterruptible)
    }
  })
