import { SqlClient } from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import { WorkSignal } from "@place-access/domain/events"
import { Clock, Duration, Effect, Layer, Option, Queue, Schedule, type Scope } from "effect"
import type pg from "pg"
import { DedicatedConnection } from "../driver/DedicatedConnection.js"

const CHANNEL = "place_access_work"
/**
 * This process sends at most one NOTIFY in this time. On a busy server, the time adds half of its length to the
 * latency of each webhook on average. A shorter time would send more statements, and a longer time would add latency.
 */
const QUIET = Duration.millis(5)
const HEARTBEAT = Duration.seconds(5)
const PATIENCE = Duration.seconds(4)
const RECONNECT = Schedule.exponential("100 millis").pipe(Schedule.union(Schedule.spaced("5 seconds")))

/**
 * A wake-up signal over NOTIFY: a process that has new work raises it, and a waiting worker of each process wakes. A
 * failure is only logged: workers also poll, so after a lost signal the work begins later.
 */
export const layer: Layer.Layer<WorkSignal, never, SqlClient | DedicatedConnection> = Layer.scoped(
  WorkSignal,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const dedicated = yield* DedicatedConnection
    const raised = yield* Queue.sliding<void>(1)
    const signaled = yield* Queue.sliding<void>(1)
    const subscribers = new Set<Queue.Queue<void>>([signaled])
    const ring = () => {
      for (const subscriber of subscribers) subscriber.unsafeOffer(undefined)
    }

    yield* Effect.forkScoped(notifyWhenRaised(sql, raised))
    yield* Effect.scoped(listen(dedicated, ring)).pipe(
      Effect.tapErrorCause((cause) => Effect.logDebug("listening for work signals was interrupted", cause)),
      Effect.retry(RECONNECT),
      onHostClock,
      Effect.forkScoped
    )

    return {
      raise: Effect.asVoid(Queue.offer(raised, undefined)),
      wait: waitAt(signaled),
      subscribe: Effect.acquireRelease(
        Effect.tap(Queue.sliding<void>(1), (own) => Effect.sync(() => subscribers.add(own))),
        (own) => Effect.sync(() => subscribers.delete(own))
      ).pipe(Effect.map(waitAt))
    }
  })
)

/** Connections run in real time, even when the program's `Clock` is a simulated one. */
const onHostClock = Effect.withClock(Clock.make())

/**
 * Sends the first signal immediately, and then pauses. Signals that are raised during the pause are sent as one signal
 * at the end of the pause.
 */
const notifyWhenRaised = (sql: SqlClient, raised: Queue.Dequeue<void>) =>
  Queue.take(raised).pipe(
    Effect.zipRight(sql`SELECT pg_notify(${CHANNEL}, '1')`),
    Effect.catchAllCause((cause) => Effect.logDebug("a work signal was not sent", cause)),
    Effect.zipRight(Effect.sleep(QUIET)),
    Effect.forever,
    onHostClock
  )

const waitAt = (queue: Queue.Dequeue<void>) => (atMost: Duration.Duration) =>
  Effect.asVoid(Effect.timeoutOption(Queue.take(queue), atMost))

/** Listens until the connection is lost, then fails. */
const listen = (
  dedicated: typeof DedicatedConnection.Service,
  ring: () => unknown
): Effect.Effect<never, SqlError, Scope.Scope> =>
  Effect.gen(function* () {
    const client = yield* dedicated.connect
    client.on("notification", ring)
    yield* query(client, `LISTEN ${CHANNEL}`)
    // Wakes the waiting workers once, because signals may have been raised while this process did not listen.
    yield* Effect.sync(ring)
    // A connection that a firewall has dropped looks alive until a statement is sent over it, so this process sends a
    // statement regularly.
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
