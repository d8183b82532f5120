import type { Effect, Exit } from "effect"
import { Engine, START } from "./simulation/engine/Engine.js"

export { START } from "./simulation/engine/Engine.js"
export * as Process from "./simulation/engine/Process.js"
export { VirtualClock } from "./simulation/engine/VirtualClock.js"
/**
 * Makes a `WorkSignal` for simulated processes. While nothing happens, the virtual clock may make a process wait longer
 * than it asked for. A signal ends the wait at once.
 */
export { make as workSignal } from "./simulation/ports/VirtualWorkSignal.js"

/**
 * Runs `program` to its end on virtual time. Instead of waiting, the clock jumps to the next time at which a fiber
 * wakes. So days take milliseconds, and each run of a program is the same. Throws when the program waits for something
 * outside virtual time, such as a promise or a socket.
 */
export const runVirtual = <A, E>(program: Effect.Effect<A, E>, startMillis = START): Exit.Exit<A, E> =>
  new Engine({ startMillis }).run(program)
