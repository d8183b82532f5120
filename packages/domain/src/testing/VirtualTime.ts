import type { Effect, Exit } from "effect"
import { Engine, START } from "./simulation/engine/Engine.js"

export { START } from "./simulation/engine/Engine.js"
export { VirtualClock } from "./simulation/engine/VirtualClock.js"

/**
 * Runs `program` to its end on virtual time: a sleeping fiber is woken by moving the clock. Nothing real is waited for, so days take
 * milliseconds, and the same program runs the same way every time. Throws when it waits for something outside virtual time (a
 * promise, a socket) or for a fiber that waits for it.
 */
export const runVirtual = <A, E>(program: Effect.Effect<A, E>, startMillis = START): Exit.Exit<A, E> =>
  new Engine({ startMillis }).run(program)
