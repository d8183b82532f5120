import { SqlError } from "@effect/sql/SqlError"
import { Context, DefaultServices, Effect, type Fiber, FiberRef, Tracer } from "effect"
import type pg from "pg"

/** The default tracer, which records nothing. */
const NOBODY = Context.get(DefaultServices.liveServices, Tracer.Tracer)

/** Whether statements of this fiber get spans. Below a span that the sampler left out, tracing is switched off. */
export const isTraced = (fiber: Fiber.RuntimeFiber<unknown, unknown>): boolean =>
  fiber.currentTracer !== NOBODY && fiber.getFiberRef(FiberRef.currentTracerEnabled)

/** Whether the caller wants only the rows of an answer, or the driver's whole result. */
export type Picked = "rows" | "result"

/**
 * Runs one statement outside of a transaction and returns its rows, or the driver's whole result. Call it only at the
 * moment when the statement should run, because the call may already choose the connection. Run its effect once.
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
