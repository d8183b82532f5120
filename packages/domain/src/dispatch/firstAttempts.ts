import { Cause, Effect, Option } from "effect"
import { REPEATS } from "../deliveries/beforeSending.js"
import type * as Delivery from "../deliveries/Delivery.js"
import { deliverFirst } from "../deliveries/deliver.js"
import { DeliveryStore } from "../deliveries/DeliveryStore.js"
import { EventStore } from "../deliveries/EventStore.js"
import type { WebhookEndpoint } from "../endpoints/WebhookEndpoint.js"
import type { WaitingEvent } from "../events/Event.js"
import type { Crew } from "../leases/holdLeases.js"
import type { EndpointId, EventId, UserId } from "../shared/Ids.js"
import { fn } from "../shared/Program.js"
import { retryTransient } from "../shared/Errors.js"
import * as Timestamp from "../shared/Timestamp.js"
import type { Flights } from "./flights.js"
import { reportFirings } from "./reportFirings.js"

/** How long an event waits in the outbox, in milliseconds, when its rows could not be written or it cannot be read. */
export const FAILED_WAIT = 30 * Timestamp.SECOND

/**
 * In milliseconds. An event that is older than this is sent directly only by a worker that leased the event's bucket
 * before the event was stored. A worker that leased the bucket later does not send the event directly, because the
 * event may have crashed the worker before. That worker stores the event's deliveries as rows instead. The store counts
 * the expired leases of rows, so the event cannot crash workers forever (decision deliveries-4).
 */
export const FRESH = 5 * Timestamp.SECOND

/**
 * Whether the event may be sent directly: it was stored within `FRESH` of now, or at least `FRESH` after `heldSince`.
 * `heldSince` is when this worker last took a lease; the worker has kept its leases since then. The distance of `FRESH`
 * from `heldSince` is needed because the clock of the server that stored the event may be a few seconds ahead.
 */
export const isFresh = (
  { storedAt }: Pick<WaitingEvent, "storedAt">,
  heldSince: Timestamp.Timestamp | null,
  now: Timestamp.Timestamp
): boolean =>
  storedAt - now <= FRESH && (now - storedAt <= FRESH || (heldSince !== null && storedAt - heldSince >= FRESH))

/** A worker remembers at most this many events whose first attempts could not be stored. */
const UNSTORED_MAX = 1_000

/** A delivery that is not stored yet, and its endpoint as it was read. */
export interface FirstAttempt {
  readonly row: Delivery.NewDelivery
  readonly endpoint: WebhookEndpoint
}

/** Sends events as soon as they are read from the outbox, and stores their deliveries afterwards. */
export interface FirstAttempts {
  /**
   * The events whose first attempts are in flight or wait in line. These events are still in the outbox, so the fan-out
   * must exclude them from its read (`EventStore.pending`).
   */
  readonly inHand: (now: Timestamp.Timestamp) => ReadonlyArray<EventId>
  /**
   * Begins the first attempts of an event at all its endpoints. The endpoints' data must not be used after `until`.
   * With a backlog, an attempt may wait in line until an earlier attempt at its endpoint ends. Returns false, and does
   * nothing, when one of the endpoints is failing or has no room, or when this worker must not send the event directly,
   * for example because of its age (`isFresh`). Then the caller stores the event's deliveries, which wait for a claim.
   */
  readonly launch: (
    event: WaitingEvent,
    attempts: ReadonlyArray<FirstAttempt>,
    until: Timestamp.Timestamp,
    isBacklog: boolean
  ) => Effect.Effect<boolean, never, Ports>
  /** Whether so few attempts wait in line that more events should be read. */
  readonly hasEnough: () => boolean
  /** Stores the deliveries in line at endpoints where no attempt began for `STUCK`. Then they wait for a claim. */
  readonly releaseStuck: Effect.Effect<void>
  /** Forgets the attempts in line, when the worker stops. Their events are still in the outbox. */
  readonly close: Effect.Effect<void>
}

/** When no attempt has begun at an endpoint for this time, in milliseconds, no attempt may wait in line there. */
const STUCK = Timestamp.make(200)

/** Never sends an event directly: every delivery is stored, and waits for a claim. */
export const none: FirstAttempts = {
  inHand: () => [],
  launch: () => Effect.succeed(false),
  hasEnough: () => true,
  releaseStuck: Effect.void,
  close: Effect.void
}

/**
 * All workers together may have `most` first attempts in flight at one endpoint. Returns the share of the worker at
 * `place` among `size` workers; the shares of all workers add up to `most`. With more workers than `most`, some shares
 * are 0. The endpoint's id decides which workers get 0, so that different workers get 0 at different endpoints.
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
  /** How many first attempts all workers together may have in flight at one endpoint. */
  readonly perEndpoint: number
  /** More events should be read when at most this many attempts wait in line. */
  readonly enough: number
  /** Runs when the number of attempts in line falls to `enough`. */
  readonly onEnough: () => void
  /** Runs when a delivery waits for its next attempt, or for a claim. */
  readonly onWait: () => void
}

/**
 * How a planned attempt ended. `stored`: the delivery is stored. `missed`: the delivery could not be stored, mostly
 * because the store failed. `left`: nothing was done, because this worker no longer leases the person's bucket.
 */
type Outcome = "stored" | "missed" | "left"

/** An attempt that begins now or waits in line. `end` must be called exactly once, with the attempt's outcome. */
interface Planned extends FirstAttempt {
  readonly event: WaitingEvent
  readonly until: Timestamp.Timestamp
  readonly end: (outcome: Outcome) => Effect.Effect<void>
}

/** The first attempts of this worker at one endpoint: some are in flight, others may wait. */
interface Line {
  /** How many fibers make attempts at the endpoint, at least one. Each fiber makes one attempt after the other. */
  fibers: number
  /** When the last attempt at the endpoint began. */
  movedAt: Timestamp.Timestamp
  readonly waiting: Array<Planned>
}

/** For each first attempt that may be in flight at an endpoint, this number of attempts may wait in line there. */
const LINE_FACTOR = 3
/**
 * The length of one endpoint's line is at most this fraction of `enough`. Otherwise one slow endpoint could stop the
 * reading of further events.
 */
const LINE_PART = 1 / 4

type Ports = Effect.Effect.Context<ReturnType<typeof deliverFirst>> | EventStore

/**
 * Makes first attempts. They use the same slots of the worker as claimed deliveries. An event is marked in the outbox
 * as fanned out when all its deliveries are stored. If this worker dies before that, another worker sends the event
 * again, under the same id. While this worker lives, no other worker sends the event, because this worker keeps the
 * lease of the person's bucket during an attempt.
 *
 * With a backlog, attempts wait in line for their endpoint. When an attempt ends, its fiber makes the next attempt of
 * the line, in the same slot. When an attempt fails, or no attempt begins at the endpoint for `STUCK`, the deliveries
 * in line become rows that wait for a claim.
 */
export const make = ({
  enough,
  flights,
  leases,
  onEnough,
  onWait,
  perEndpoint
}: Means): Effect.Effect<FirstAttempts, never, EventStore | DeliveryStore> =>
  Effect.gen(function* () {
    const events = yield* EventStore
    const deliveries = yield* DeliveryStore
    /**
     * The events of `inHand`. The value is the time from which the event may be read again; `Infinity` during an
     * attempt.
     */
    const held = new Map<EventId, number>()
    /** Events whose first attempt could not be stored. When they are read again, their deliveries become rows. */
    const unstored = new Set<EventId>()
    const lines = new Map<EndpointId, Line>()
    let inLine = 0

    const mark = (event: WaitingEvent) =>
      Timestamp.nowWith((now) => retryTransient(REPEATS)(events.markFannedOut([event], now)))

    /**
     * Makes the event wait in the outbox for `FAILED_WAIT`. When the store cannot postpone the event, this worker reads
     * it again after `FRESH`. Then its deliveries become rows.
     */
    const postpone = (event: WaitingEvent) =>
      Effect.flatMap(Timestamp.now, (now) => {
        noteUnstored(unstored, event.id)
        return Effect.matchEffect(events.postpone([event], Timestamp.plus(now, FAILED_WAIT)), {
          onSuccess: () => Effect.sync(() => held.delete(event.id)),
          onFailure: () => Effect.sync(() => held.set(event.id, now + FRESH))
        })
      })

    const missed = (event: WaitingEvent, cause: Cause.Cause<unknown>) =>
      Effect.as(Effect.logWarning("An event stays in the outbox", event.id, cause), "missed" as const)

    const settle = fn(function* (event: WaitingEvent, outcomes: ReadonlyArray<Outcome>) {
      const isStored = outcomes.every((one) => one === "stored")
      const isMissed = isStored ? yield* isUnmarked(event) : outcomes.includes("missed")
      if (isMissed) yield* postpone(event)
      else held.delete(event.id)
      if (isStored && !isMissed) yield* reportFirings([event])
    })

    /** Marks the event as fanned out. Returns true when the store failed, so that the event is not marked. */
    const isUnmarked = (event: WaitingEvent) =>
      Effect.matchCauseEffect(mark(event), {
        onSuccess: () => Effect.succeed(false),
        onFailure: (cause) => Effect.as(missed(event, cause), true)
      })

    const attempt = ({ endpoint, event, row, until }: Planned) =>
      deliverFirst(row, endpoint, until).pipe(
        Effect.map((stored): Outcome => {
          if (flights.note(endpoint.id, stored)) onWait()
          return "stored"
        }),
        Effect.catchAllCause((cause) => (Cause.isInterruptedOnly(cause) ? Effect.interrupt : missed(event, cause)))
      )

    const begin = (planned: Planned) =>
      Effect.flatMap(
        leases.using(planned.event.userId, Effect.flatMap(attempt(planned), planned.end)),
        Option.match({ onNone: () => planned.end("left"), onSome: () => Effect.void })
      )

    const store = (waiting: ReadonlyArray<Planned>) =>
      retryTransient(REPEATS)(deliveries.insert(waiting.map(({ row }) => row))).pipe(
        Effect.tap(() => Effect.sync(onWait)),
        Effect.matchCauseEffect({
          onSuccess: () => Effect.forEach(waiting, ({ end }) => end("stored"), { discard: true }),
          onFailure: (cause) =>
            Effect.forEach(waiting, ({ end, event }) => Effect.flatMap(missed(event, cause), end), { discard: true })
        })
      )

    /** Takes up to `most` attempts out of a line. */
    const taken = ({ waiting }: Line, most: number): ReadonlyArray<Planned> => {
      const first = waiting.splice(0, most)
      const before = inLine
      inLine -= first.length
      if (before > enough && inLine <= enough) onEnough()
      return first
    }

    /** Stores the deliveries of the whole line as rows that wait for a claim. */
    const release = (line: Line) =>
      Effect.suspend(() => (line.waiting.length === 0 ? Effect.void : store(taken(line, Infinity))))

    const shareAt = ({ endpoint: { id } }: FirstAttempt): number => shareOf(perEndpoint, leases.crew(), id)

    /**
     * One fiber of an endpoint: makes an attempt, and then the attempts that wait in line, one after the other. The
     * fiber ends when the line is empty, or when the line has more fibers than this worker's share allows (`shareOf`).
     */
    const flying = fn(function* (first: Planned, line: Line) {
      const { id } = first.endpoint
      for (let planned: Planned | undefined = first; planned !== undefined;) {
        line.movedAt = yield* Timestamp.now
        yield* Effect.exit(begin(planned))
        if (flights.isFailing(id) || shareAt(planned) === 0) yield* release(line)
        planned = line.fibers > shareAt(planned) ? undefined : taken(line, 1)[0]
      }
      // While the last fiber stores the deliveries in line, further attempts may join the line. No other fiber would
      // make or store these attempts, so the loop goes on until the line is empty.
      while (line.fibers === 1 && line.waiting.length > 0) yield* release(line)
      line.fibers--
      if (line.fibers === 0) lines.delete(id)
      return false
    })

    const mayBegin = (one: FirstAttempt): boolean => flights.hasRoomForFirst(one.endpoint.id, shareAt(one))
    const mayWait = (one: FirstAttempt, now: Timestamp.Timestamp): boolean => {
      const line = lines.get(one.endpoint.id)
      return (
        line !== undefined &&
        !isStuck(line, now) &&
        !flights.isFailing(one.endpoint.id) &&
        line.waiting.length < Math.min(LINE_FACTOR * shareAt(one), Math.floor(LINE_PART * enough))
      )
    }

    const launchOne = (planned: Planned, now: Timestamp.Timestamp) => {
      const { id } = planned.endpoint
      const known = lines.get(id)
      if (known !== undefined && !mayBegin(planned)) {
        inLine++
        known.waiting.push(planned)
        return Effect.void
      }
      const line = known ?? { fibers: 0, movedAt: now, waiting: [] }
      line.fibers++
      lines.set(id, line)
      return flights.launch(id, flying(planned, line), "first")
    }

    const launch = fn(function* (
      event: WaitingEvent,
      attempts: ReadonlyArray<FirstAttempt>,
      until: Timestamp.Timestamp,
      isBacklog: boolean
    ) {
      const now = yield* Timestamp.now
      const { heldSince, isOver } = leases.crew()
      // `isOver`: the worker must give up leases and waits until no attempt uses them, so it begins nothing new.
      if (isOver || !isFresh(event, heldSince, now) || unstored.delete(event.id)) return false
      if (!attempts.every((one) => mayBegin(one) || (isBacklog && mayWait(one, now)))) return false
      const outcomes: Array<Outcome> = []
      const end = (outcome: Outcome) =>
        Effect.suspend(() => {
          outcomes.push(outcome)
          return outcomes.length === attempts.length ? settle(event, outcomes) : Effect.void
        })
      held.set(event.id, Infinity)
      for (const { endpoint, row } of attempts) yield* launchOne({ endpoint, row, event, until, end }, now)
      return true
    })

    return {
      inHand: (now) => {
        for (const [id, until] of held) if (until <= now) held.delete(id)
        return [...held.keys()]
      },
      launch: (...event) => Effect.uninterruptible(launch(...event)),
      hasEnough: () => inLine <= enough,
      releaseStuck: Effect.flatMap(Timestamp.now, (now) =>
        Effect.forEach(
          [...lines.values()].filter((line) => isStuck(line, now)),
          release,
          { discard: true }
        )
      ),
      close: Effect.sync(() => {
        for (const line of lines.values()) taken(line, Infinity)
      })
    }
  })

const isStuck = ({ movedAt }: Line, now: Timestamp.Timestamp): boolean => Math.abs(now - movedAt) > STUCK

/** Adds an event to `unstored`. When there are more than `UNSTORED_MAX`, removes the event that was added first. */
const noteUnstored = (unstored: Set<EventId>, id: EventId): void => {
  unstored.add(id)
  const [oldest] = unstored
  if (unstored.size > UNSTORED_MAX && oldest !== undefined) unstored.delete(oldest)
}
