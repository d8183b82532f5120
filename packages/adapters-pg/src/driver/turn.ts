import { Effect } from "effect"

/**
 * Waits for one turn of the event loop, in which other requests of this process run. Long work waits so between its
 * statements. The embedded database answers without a turn of the event loop, so otherwise other requests would not run
 * until the work has ended.
 */
export const turn: Effect.Effect<void> = Effect.async((resume) => {
  const waiting = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(waiting))
})
