import { SqlError } from "@effect/sql/SqlError"
import { Context, DefaultServices, Effect, Tracer } from "effect"
import type pg from "pg"

/** The tracer that is there when nobody asked for one: it keeps nothing. */
export const NOBODY = Context.get(DefaultServices.liveServices, Tracer.Tracer)

/** What of an answer is wanted. */
export type Picked = "rows" | "result"

/** Runs one statement outside a transaction: its rows, or all that the driver says of it. Asked for when it is to run, and run once. */
export type Run = (text: string, params: ReadonlyArray<unknown>, picked: Picked) => Effect.Effect<unknown, SqlError>

/** Of several statements in one text, a list of lists. */
export const answered = (
  result: pg.QueryResult | ReadonlyArray<pg.QueryResult>,
  picked: Picked
): Effect.Effect<unknown> =>
  Effect.succeed(picked === "result" ? result : "rows" in result ? result.rows : result.map(({ rows }) => rows))

/** As `@effect/sql` says it. */
export const refused = (cause: unknown): Effect.Effect<never, SqlError> =>
  Effect.fail(new SqlError({ cause, message: "Failed to execute statement" }))

export const noConnection = (cause: unknown): Effect.Effect<never, SqlError> =>
  Effect.fail(new SqlError({ cause, message: "Failed to acquire connection" }))
