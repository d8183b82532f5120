import type { Effect, Exit } from "effect"
import { Engine, START } from "./simulation/engine/Engine.js"

export { START } from "./simulation/engine/Engine.js"
export * as Process from "./simulation/engine/Process.js"
export { VirtualClock } from "./simulation/engine/VirtualClock.js"
/** A work signal between simulated processes. The virtual clock may lengthen its waits while nothing happens. */
export { make as workSignal } from "./simulation/ports/VirtualWorkSignal.js"

/**
 * Runs `program` to its end on virtual time: instead of waiting, the clock jumps to the next time at which a fiber
 * wakes. So days take milliseconds, and the same program runs the same way every time. Throws when the program waits
 * for something outside virtual time, such as a promise or a socket.
 */
export const runVirtual = <A, E>(program: Effect.Effect<A, E>, startMillis = START): Exit.Exit<A, E> =>
  new Engine({ startMillis }).run(program)
