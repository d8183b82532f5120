import { SqlError } from "@effect/sql/SqlError"
import { Telemetry } from "@place-access/domain/shared"
import { Context, DefaultServices, Effect, type Fiber, FiberRef, GlobalValue, Predicate, Tracer } from "effect"
import type pg from "pg"

/** The tracer of a program that sets no tracer. This tracer records nothing. */
const NOBODY = Context.get(DefaultServices.liveServices, Tracer.Tracer)

/** Whether statements of this fiber get spans: a program has set a tracer, and the fiber is traced. */
export const isTraced = (fiber: Fiber.RuntimeFiber<unknown, unknown>): boolean =>
  fiber.currentTracer !== NOBODY && Telemetry.isTraced(fiber)

/** The part of an answer that the caller needs: only its rows, or the driver's whole result. */
export type Picked = "rows" | "result"

/**
 * Runs one statement outside of a transaction and returns its rows, or the driver's whole result. Call it only when the
 * statement should run, because the call may already choose the connection. Run the returned effect once.
 */
export type RunStatement = (
  text: string,
  params: ReadonlyArray<unknown>,
  picked: Picked
) => Effect.Effect<unknown, SqlError>

/**
 * Returns the part of an answer that `picked` names. A text with several statements gives one list of rows for each
 * statement.
 */
export const answered = (
  result: pg.QueryResult | ReadonlyArray<pg.QueryResult>,
  picked: Picked
): Effect.Effect<unknown> =>
  Effect.succeed(picked === "result" ? result : "rows" in result ? result.rows : result.map(({ rows }) => rows))

/** The error that `@effect/sql` raises for a failed statement. */
export const refused = (cause: unknown): Effect.Effect<never, SqlError> =>
  Effect.fail(new SqlError({ cause, message: "Failed to execute statement" }))

export const noConnection = (cause: unknown): Effect.Effect<never, SqlError> =>
  Effect.fail(new SqlError({ cause, message: "Failed to acquire connection" }))

/**
 * When transactions wait for each other in a circle, the server ends one of them, the *victim*, with the state 40P01,
 * and rolls it back completely. The other transactions continue. So the driver can run the victim once more, and the
 * victim's caller notices only a delay. Decision errors-2. This value is how many times a victim may run again. A
 * deadlock shows that two programs lock the same rows in different orders, which is a defect, so each repeat is logged.
 *
 * The tests that check the order of locks set 0, so that a deadlock fails them.
 */
export const deadlockRepeats: FiberRef.FiberRef<number> = GlobalValue.globalValue(
  Symbol.for("@place-access/adapters-pg/driver/Run/deadlockRepeats"),
  () => FiberRef.unsafeMake(1)
)

/** Whether the error, or one of its causes, has this SQLSTATE. */
const hasState = (state: string, error: unknown, depth = 5): boolean =>
  (Predicate.hasProperty(error, "code") && error.code === state) ||
  (depth > 0 && Predicate.hasProperty(error, "cause") && hasState(state, error.cause, depth - 1))

/** Whether the error says that the server ended this transaction because of a deadlock (40P01). */
export const isVictim = (error: unknown): boolean => hasState("40P01", error)

/**
 * Whether the error says that the server refused a write because it accepts none (25006). After a fail-over, a
 * connection may lead to the old server, which is a replica now. Such a connection never recovers, so it must be
 * closed: the pool then opens a new connection, which leads to the server that has taken over.
 */
export const isReadOnly = (error: unknown): boolean => hasState("25006", error)

/**
 * Runs the transaction `victim`, which a deadlock ended, once more if a repeat is left (`deadlockRepeats`); otherwise
 * fails with `failed`.
 */
export const repeated = <A, E, R>(
  failed: Effect.Effect<never, E>,
  victim: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.flatMap(FiberRef.get(deadlockRepeats), (left) =>
    left === 0
      ? failed
      : Effect.zipRight(
          Effect.logWarning("The database ended a transaction because of a deadlock. It runs once more"),
          Effect.locally(victim, deadlockRepeats, left - 1)
        )
  )
