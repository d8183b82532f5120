import { Clock, Effect } from "effect"
import type pg from "pg"
import { answered, noConnection, refused, type Run } from "./Run.js"

/** So long an interrupted statement may take to notice; then its connection is closed. */
const NOTICE_MILLIS = 1_000

/** Each statement on a connection of its own. An interrupted one is cancelled, and its connection given back when it has stopped. */
export const pooled =
  (pool: pg.Pool): Run =>
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
          // A broken one leaves the pool.
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
          // Connections run on the host's time, also when the program runs on another.
          Effect.withClock(Clock.make()),
          Effect.zipRight(Effect.sync(() => client?.release(!over)))
        )
      })
    })

/** Best effort, over another connection. */
export const cancel = (pool: pg.Pool, client: pg.ClientBase): Effect.Effect<void> =>
  Effect.async((resume) => {
    const { processID } = client as unknown as { readonly processID: number | null }
    if (pool.ending || typeof processID !== "number") return resume(Effect.void)
    pool.query(`SELECT pg_cancel_backend(${processID})`, () => resume(Effect.void))
  })
