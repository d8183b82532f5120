import { Clock, Effect } from "effect"
import type pg from "pg"
import { answered, isReadOnly, isVictim, noConnection, refused, repeated, type RunStatement } from "./Run.js"

/** How long a cancelled statement may take to stop. After this time its connection is closed. */
const NOTICE_MILLIS = 1_000

/**
 * Runs each statement on its own connection. When the caller is interrupted, the statement is cancelled, and its
 * connection goes back to the pool once the statement has stopped and the cancel request has been answered. A cancel
 * request that is still on its way would stop the next statement of that connection.
 */
export const pooled = (pool: pg.Pool): RunStatement => {
  const run: RunStatement = (text, params, picked) =>
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
          // The pool itself drops a broken connection. `release(true)` also drops a connection that accepts no writes.
          found.release(isReadOnly(error))
          if (error === null) resume(answered(result, picked))
          else resume(isVictim(error) ? repeated(refused(error), run(text, params, picked)) : refused(error))
        })
      })
      return Effect.suspend(() => {
        left = true
        if (client === undefined || over) return Effect.void
        const own = client
        let isReleased = false
        let isCancelling = false
        const stopped = Effect.async<void>((resume) => {
          const look = () => {
            if (over && !isCancelling) resume(Effect.void)
          }
          whenOver = look
          look()
          sendCancel(pool, own, {
            begins: () => (isCancelling = !over && !isReleased),
            ends: () => {
              isCancelling = false
              look()
            }
          })
        })
        return stopped.pipe(
          Effect.interruptible,
          Effect.timeoutOption(NOTICE_MILLIS),
          // Connections run in real time, even when the program's `Clock` is a simulated one.
          Effect.withClock(Clock.make()),
          Effect.zipRight(
            Effect.sync(() => {
              isReleased = true
              own.release(!over || isCancelling)
            })
          )
        )
      })
    })
  return run
}

/** Asks the server, over another connection, to cancel the client's statement. A failure is ignored. */
export const cancel = (pool: pg.Pool, client: pg.ClientBase): Effect.Effect<void> =>
  Effect.async((resume) => sendCancel(pool, client, { begins: () => true, ends: () => resume(Effect.void) }))

/**
 * Asks the server, over another connection of the pool, to cancel the client's statement. `begins` is called when a
 * connection is free, and says whether the statement should still be cancelled. `ends` is called when the server has
 * answered the cancel request, when the request has failed, or when no request is sent, for example because `begins`
 * returned false.
 */
const sendCancel = (
  pool: pg.Pool,
  client: pg.ClientBase,
  { begins, ends }: { readonly begins: () => boolean; readonly ends: () => void }
): void => {
  const { processID } = client as unknown as { readonly processID: number | null }
  if (pool.ending || typeof processID !== "number") return ends()
  pool.connect((_, other) => {
    if (other === undefined) return ends()
    const end = () => {
      other.release()
      ends()
    }
    if (begins()) other.query(`SELECT pg_cancel_backend(${processID})`, end)
    else end()
  })
}
