import { Effect } from "effect"

/**
 * Ends when everything has run that waits for this process. Long work pauses with it between its statements: an
 * embedded database answers at once, and other requests would not run until the work has ended.
 */
export const turn: Effect.Effect<void> = Effect.async((resume) => {
  const waiting = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(waiting))
})
