import { Effect } from "effect"

/**
 * Ends after one turn of the event loop, in which other work of this process runs. Long work pauses with it between its
 * statements: an embedded database answers at once, and other requests would not run until the work has ended.
 */
export const turn: Effect.Effect<void> = Effect.async((resume) => {
  const waiting = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(waiting))
})
