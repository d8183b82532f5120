import { Clock, Effect } from "effect"
import type pg from "pg"
import { answered, noConnection, refused, type RunStatement } from "./Run.js"

/** An interrupted statement must stop within this time. Otherwise its connection is closed. */
const NOTICE_MILLIS = 1_000

/**
 * Runs each statement on a connection of its own. An interrupted statement is cancelled, and its connection goes back
 * to the pool when the statement has stopped.
 */
export const pooled =
  (pool: pg.Pool): RunStatement =>
  (text, params, picked) =>
    Effect.async((resume) => {
      let client: pg.PoolClient | undefined
      let left = false
      let over = false
      let whenOver = () => {}
      pool.connect((error, found) => {
        if (found === undefined) return resume(noConnection(error))
        if (left) return found.release()
        client = found
        found.query(text, params as Array<unknown>, (error: Error | null, result: pg.QueryResult) => {
          if (over) return
          over = true
          if (left) return whenOver()
          // The pool drops a connection that is broken.
          found.release()
          resume(error === null ? answered(result, picked) : refused(error))
        })
      })
      return Effect.suspend(() => {
        left = true
        if (client === undefined || over) return Effect.void
        const stopped = Effect.async<void>((resume) => {
          if (over) resume(Effect.void)
          whenOver = () => resume(Effect.void)
        })
        return cancel(pool, client).pipe(
          Effect.zipRight(stopped),
          Effect.interruptible,
          Effect.timeoutOption(NOTICE_MILLIS),
          // Connections run in real time, even when the program runs on another clock.
          Effect.withClock(Clock.make()),
          Effect.zipRight(Effect.sync(() => client?.release(!over)))
        )
      })
    })

/** Asks the server, over another connection, to cancel the client's statement. A failure is ignored. */
export const cancel = (pool: pg.Pool, client: pg.ClientBase): Effect.Effect<void> =>
  Effect.async((resume) => {
    const { processID } = client as unknown as { readonly processID: number | null }
    if (pool.ending || typeof processID !== "number") return resume(Effect.void)
    pool.query(`SELECT pg_cancel_backend(${processID})`, () => resume(Effect.void))
  })
