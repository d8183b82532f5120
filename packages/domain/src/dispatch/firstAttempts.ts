import { Cause, Effect, Exit, Option } from "effect"
import { REPEATS } from "../deliveries/beforeSending.js"
import { deliverFirst, type FirstAttempt } from "../deliveries/deliver.js"
import { DeliveryStore } from "../deliveries/DeliveryStore.js"
import type { EventStore } from "../deliveries/EventStore.js"
import type { WaitingEvent } from "../events/Event.js"
import type { WorkerPosition } from "../leases/holdLeases.js"
import type { EndpointId, EventId, UserId } from "../shared/Ids.js"
import { fn } from "../shared/Program.js"
import { retryTransient } from "../shared/Errors.js"
import * as Timestamp from "../shared/Timestamp.js"
import { isFresh } from "./EventFreshness.js"
import * as Lines from "./firstAttemptLines.js"
import type { WaitingLine } from "./firstAttemptLines.js"
import type { Flights } from "./flights.js"
import * as OutboxMarks from "./outboxMarks.js"
import type { AttemptOutcome } from "./outboxMarks.js"

/** Sends events as soon as they are read from the outbox, and stores their deliveries afterwards. */
export interface FirstAttempts {
  /**
   * The events whose first attempts are in flight or wait in line, and events that the store has just failed to
   * postpone (`outboxMarks.ts`). These events are still in the outbox, so the fan-out must exclude them from its read
   * (`EventStore.pending`).
   */
  readonly inHand: (now: Timestamp.Timestamp) => ReadonlyArray<EventId>
  /**
   * Begins the first attempts of an event at all its endpoints. With a backlog, an attempt may wait in line until an
   * earlier attempt at its endpoint ends. Returns false, and does nothing, when one of the endpoints is failing or has
   * no room, or when this worker must not send the event directly, for example because of its age (`isFresh`). Then the
   * caller stores the event's deliveries, which wait for a claim.
   */
  readonly launch: (
    event: WaitingEvent,
    attempts: ReadonlyArray<FirstAttempt>,
    isBacklog: boolean
  ) => Effect.Effect<boolean, never, Ports>
  /** Whether so few attempts wait in line that more events should be read. */
  readonly hasFewInLine: () => boolean
  /**
   * Stores the deliveries in line at endpoints where no attempt began for `STUCK` (`firstAttemptLines.ts`). Then they
   * wait for a claim.
   */
  readonly releaseStuck: Effect.Effect<void>
  /** Forgets the attempts in line, when the worker stops. Their events are still in the outbox. */
  readonly close: Effect.Effect<void>
}

/**
 * The number of first attempts that one worker, at `place` among `size` workers, may have in flight at one endpoint.
 * The numbers of all workers add up to `most`. When there are more workers than `most`, some workers get 0. The
 * endpoint's id decides which workers get 0, so that these are not the same workers for every endpoint.
 */
export const shareOf = (
  most: number,
  { place, size }: Pick<WorkerPosition, "place" | "size">,
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
  readonly crew: () => WorkerPosition
  readonly using: <A, E, R>(person: UserId, work: Effect.Effect<A, E, R>) => Effect.Effect<Option.Option<A>, E, R>
}

export interface FirstAttemptOptions {
  readonly flights: Flights
  readonly leases: Leases
  /** How many first attempts all workers together may have in flight at one endpoint. */
  readonly perEndpoint: number
  /** More events should be read when at most this many attempts wait in line. */
  readonly enough: number
  /** Runs when the number of attempts in line falls to `enough`. */
  readonly onEnough: () => void
  /** Runs when a delivery begins to wait for its next attempt, or for a claim. */
  readonly onWait: () => void
}

/** An attempt that begins now or waits in line. `end` must be called exactly once, with the attempt's outcome. */
interface PlannedAttempt extends FirstAttempt {
  readonly event: WaitingEvent
  readonly end: (outcome: AttemptOutcome) => Effect.Effect<void>
}

type Line = WaitingLine<PlannedAttempt>

type Ports = Effect.Effect.Context<ReturnType<typeof deliverFirst>> | EventStore

/**
 * Makes first attempts. They use the same slots of the worker as claimed deliveries. An event is marked in the outbox
 * as fanned out when all its deliveries are stored. If this worker dies before that, another worker sends the event
 * again, under the same id. While this worker lives and stores its heartbeats, no other worker sends the event, because
 * this worker keeps the lease of the person's bucket during an attempt.
 *
 * With a backlog, attempts wait in line for their endpoint. When an attempt ends, its fiber makes the next attempt of
 * the line, in the same slot. When an attempt fails, when no attempt begins at the endpoint for `STUCK`, or when this
 * worker's share of the endpoint becomes 0 (`shareOf`), the deliveries in line become rows that wait for a claim.
 */
export const make = ({
  enough,
  flights,
  leases,
  onEnough,
  onWait,
  perEndpoint
}: FirstAttemptOptions): Effect.Effect<FirstAttempts, never, EventStore | DeliveryStore> =>
  Effect.gen(function* () {
    const deliveries = yield* DeliveryStore
    const marks = yield* OutboxMarks.make
    const lines = Lines.make<PlannedAttempt>(enough, onEnough)

    const attempt = (planned: PlannedAttempt) =>
      deliverFirst(planned).pipe(
        Effect.map(({ isFannedOut, stored }): AttemptOutcome => {
          // When `stored` is undefined, the row of the delivery has no result of this attempt, and may wait for a
          // claim.
          if (flights.note(planned.endpoint.id, stored) || stored === undefined) onWait()
          return isFannedOut ? "fannedOut" : "stored"
        }),
        Effect.catchAllCause((cause) =>
          Cause.isInterruptedOnly(cause) ? Effect.interrupt : OutboxMarks.notStored(planned.event, cause)
        )
      )

    const begin = (planned: PlannedAttempt) =>
      Effect.flatMap(
        leases.using(planned.event.userId, Effect.flatMap(attempt(planned), planned.end)),
        Option.match({ onNone: () => planned.end("leaseLost"), onSome: () => Effect.void })
      )

    /** Stores deliveries as rows, which wait for a claim. */
    const storeAsRows = (waiting: ReadonlyArray<PlannedAttempt>) =>
      retryTransient(REPEATS)(deliveries.insert(waiting.map(({ row }) => row))).pipe(
        Effect.tap(() => Effect.sync(onWait)),
        Effect.matchCauseEffect({
          onSuccess: () => Effect.forEach(waiting, ({ end }) => end("stored"), { discard: true }),
          onFailure: (cause) =>
            Effect.forEach(waiting, ({ end, event }) => Effect.flatMap(OutboxMarks.notStored(event, cause), end), {
              discard: true
            })
        })
      )

    /** Stores the deliveries of the whole line as rows that wait for a claim. */
    const release = (line: Line) =>
      Effect.suspend(() => (line.waiting.length === 0 ? Effect.void : storeAsRows(lines.takeFromLine(line, Infinity))))

    const shareAt = ({ endpoint: { id } }: FirstAttempt): number => shareOf(perEndpoint, leases.crew(), id)

    /**
     * One fiber of an endpoint: makes an attempt, and then the attempts that wait in line, one after the other. The
     * fiber ends when the line is empty, or when this worker has more fibers at the endpoint than `shareOf` allows.
     */
    const runFiber = fn(function* (first: PlannedAttempt, line: Line) {
      const { id } = first.endpoint
      for (let planned: PlannedAttempt | undefined = first; planned !== undefined;) {
        line.movedAt = yield* Timestamp.now
        const exit = yield* Effect.exit(begin(planned))
        // This fiber still runs, so nobody has interrupted the fiber itself. An interruption happened inside the
        // store's effect, so the attempt counts as not stored.
        if (Exit.isFailure(exit)) yield* Effect.flatMap(OutboxMarks.notStored(planned.event, exit.cause), planned.end)
        if (flights.isFailing(id) || shareAt(planned) === 0) yield* release(line)
        planned = line.fibers > shareAt(planned) ? undefined : lines.takeFromLine(line, 1)[0]
      }
      // While the last fiber stores the deliveries in line, further attempts may join the line. No other fiber would
      // make or store these attempts, so the loop goes on until the line is empty.
      while (line.fibers === 1 && line.waiting.length > 0) yield* release(line)
      lines.removeFiber(id, line)
      return false
    })

    const mayBegin = (one: FirstAttempt, others = 0): boolean =>
      flights.hasRoomForFirst(one.endpoint.id, shareAt(one), others)
    const mayWait = (one: FirstAttempt, now: Timestamp.Timestamp): boolean => {
      const line = lines.find(one.endpoint.id)
      return line !== undefined && !flights.isFailing(one.endpoint.id) && lines.mayJoin(line, shareAt(one), now)
    }

    const launchOne = (planned: PlannedAttempt, now: Timestamp.Timestamp) => {
      const { id } = planned.endpoint
      const line = lines.find(id)
      if (line !== undefined && !mayBegin(planned)) {
        // Joins the line synchronously and not in an effect: the line could end between its look-up and an effect.
        lines.join(line, planned)
        return Effect.void
      }
      return flights.launch(id, runFiber(planned, lines.addFiber(id, now)), "first")
    }

    const launch = fn(function* (event: WaitingEvent, attempts: ReadonlyArray<FirstAttempt>, isBacklog: boolean) {
      const now = yield* Timestamp.now
      const { heldSince, hasSurplus } = leases.crew()
      // `hasSurplus`: the worker keeps more leases than its share, because attempts use the leases that it should give
      // up. So it begins no new attempts.
      if (hasSurplus || !isFresh(event, heldSince, now) || marks.takeUnstored(event.id)) return false
      // Either all attempts of the event begin, or none of them begins. So there must be room for each attempt in
      // addition to the event's attempts before it.
      if (!attempts.every((one, before) => mayBegin(one, before) || (isBacklog && mayWait(one, now)))) return false
      const outcomes: Array<AttemptOutcome> = []
      const end = (outcome: AttemptOutcome) =>
        Effect.suspend(() => {
          outcomes.push(outcome)
          return outcomes.length === attempts.length ? marks.endEvent(event, outcomes) : Effect.void
        })
      marks.begin(event.id)
      for (const one of attempts) yield* launchOne({ ...one, event, end }, now)
      return true
    })

    return {
      inHand: marks.inHand,
      launch: (...event) => Effect.uninterruptible(launch(...event)),
      hasFewInLine: lines.hasFewInLine,
      releaseStuck: Effect.flatMap(Timestamp.now, (now) =>
        Effect.forEach(lines.stuck(now), release, { discard: true })
      ),
      close: Effect.sync(lines.forgetWaiting)
    }
  })
