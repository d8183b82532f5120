import type { SqlError } from "@effect/sql/SqlError"
import { Effect, type ParseResult } from "effect"

/** The largest number of expired rows that `swept` deletes in one call. */
export const SWEPT_AT_ONCE = 10

/**
 * Deletes rows of a table that nobody needs any more (expired rows, and sessions beyond `Session.MOST`), in a
 * transaction of its own, after the transaction that inserted a row into the same table. The tables `sessions`,
 * `sign_in_tries` and `passkey_challenges` are copied to every node of a cluster. There, an insert and a delete in one
 * transaction lock the whole table, first shared, then exclusive. So two people who sign in at the same time would
 * deadlock. A failed sweep does not fail the sign-in, because the next insert is followed by a sweep too.
 */
export const swept = (
  what: string,
  sweep: Effect.Effect<unknown, SqlError | ParseResult.ParseError>
): Effect.Effect<void> =>
  Effect.catchAll(Effect.asVoid(sweep), (error) => Effect.logWarning(`Not deleted: ${what}`, error.message))
