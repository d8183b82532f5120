import { Effect } from "effect"

/**
 * Waits for one turn of the event loop, in which other requests of this process run. Long work calls this between its
 * statements: the embedded database answers without a turn of the event loop, so other requests would otherwise wait
 * for the end of that work.
 */
export const turn: Effect.Effect<void> = Effect.async((resume) => {
  const waiting = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(waiting))
})
