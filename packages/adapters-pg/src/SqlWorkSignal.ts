import { SqlClient } from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import { WorkSignal } from "@place-access/domain/deliveries"
import { Clock, Duration, Effect, Layer, Option, Queue, Schedule, type Scope } from "effect"
import type pg from "pg"
import { DedicatedConnection } from "./DedicatedConnection.js"

const CHANNEL = "place_access_work"
/**
 * At most one NOTIFY of this process in so much time: every webhook of a busy server waits for half of it, and a NOTIFY that comes
 * more often than workers look round costs commits for nothing.
 */
const QUIET = Duration.millis(5)
const HEARTBEAT = Duration.seconds(5)
const PATIENCE = Duration.seconds(4)
const RECONNECT = Schedule.exponential("100 millis").pipe(Schedule.union(Schedule.spaced("5 seconds")))

/**
 * Signals over NOTIFY, so that a worker in any process wakes. Whatever fails here is logged and left to the workers' poll:
 * a signal is never worth an error.
 */
export const layer: Layer.Layer<WorkSignal, never, SqlClient | DedicatedConnection> = Layer.scoped(
  WorkSignal,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const dedicated = yield* DedicatedConnection
    const raised = yield* Queue.sliding<void>(1)
    const heard = yield* Queue.sliding<void>(1)
    const subscribers = new Set<Queue.Queue<void>>([heard])
    const ring = () => {
      for (const subscriber of subscribers) subscriber.unsafeOffer(undefined)
    }

    // The first signal goes out at once; those that come while it is quiet go out together after it.
    yield* Queue.take(raised).pipe(
      Effect.zipRight(sql`SELECT pg_notify(${CHANNEL}, '1')`),
      Effect.catchAllCause((cause) => Effect.logDebug("a work signal was not sent", cause)),
      Effect.zipRight(Effect.sleep(QUIET)),
      Effect.forever,
      onHostClock,
      Effect.forkScoped
    )

    yield* Effect.scoped(listen(dedicated, ring)).pipe(
      Effect.tapErrorCause((cause) => Effect.logDebug("listening for work signals was interrupted", cause)),
      Effect.retry(RECONNECT),
      onHostClock,
      Effect.forkScoped
    )

    const waitAt = (queue: Queue.Queue<void>) => (atMost: Duration.Duration) =>
      Effect.asVoid(Effect.timeoutOption(Queue.take(queue), atMost))

    return {
      raise: Effect.asVoid(Queue.offer(raised, undefined)),
      wait: waitAt(heard),
      subscribe: Effect.acquireRelease(
        Effect.tap(Queue.sliding<void>(1), (own) => Effect.sync(() => subscribers.add(own))),
        (own) => Effect.sync(() => subscribers.delete(own))
      ).pipe(Effect.map(waitAt))
    }
  })
)

/** Connections run on the host's time, also when the program runs on another. */
const onHostClock = Effect.withClock(Clock.make())

/** Listens until the connection is lost, and then fails. */
const listen = (
  dedicated: typeof DedicatedConnection.Service,
  ring: () => unknown
): Effect.Effect<never, SqlError, Scope.Scope> =>
  Effect.gen(function* () {
    const client = yield* dedicated.connect
    client.on("notification", ring)
    yield* query(client, `LISTEN ${CHANNEL}`)
    // What was raised while nobody listened.
    yield* Effect.sync(ring)
    // A connection that a firewall forgot looks alive until something is asked of it.
    const beats = Effect.schedule(query(client, "SELECT 1"), Schedule.spaced(HEARTBEAT))
    return yield* Effect.raceFirst(lost(client), Effect.zipRight(beats, Effect.never))
  })

const query = (client: pg.Client, text: string): Effect.Effect<void, SqlError> =>
  Effect.tryPromise({
    try: () => client.query(text),
    catch: (cause) => new SqlError({ cause, message: "The listening connection does not answer" })
  }).pipe(
    Effect.timeoutOption(PATIENCE),
    Effect.flatMap((answer) => (Option.isSome(answer) ? Effect.void : gone("no answer in time")))
  )

const gone = (message: string): Effect.Effect<never, SqlError> => Effect.fail(new SqlError({ message }))

const lost = (client: pg.Client): Effect.Effect<never, SqlError> =>
  Effect.async((resume) => {
    const end = () => resume(gone("the listening connection ended"))
    client.once("end", end)
    return Effect.sync(() => client.off("end", end))
  })
