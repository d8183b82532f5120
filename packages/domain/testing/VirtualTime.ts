import type { Effect, Exit } from "effect"
import { Engine, START } from "./simulation/engine/Engine.js"

export { START } from "./simulation/engine/Engine.js"
export * as Process from "./simulation/engine/Process.js"
export { VirtualClock } from "./simulation/engine/VirtualClock.js"
/**
 * Makes a `WorkSignal` for simulated processes. While nothing else happens in a simulation, the virtual clock may let a
 * process wait longer than the process requested. When another process raises the signal, the process's wait ends
 * immediately.
 */
export { make as workSignal } from "./simulation/ports/VirtualWorkSignal.js"

/**
 * Runs `program` to its end on virtual time. Instead of waiting, the clock jumps to the next time at which a fiber
 * wakes. So a program that waits for days ends within milliseconds, and every run of the program is the same. Throws
 * when the program waits for something outside virtual time, such as a promise or a socket.
 */
export const runVirtual = <A, E>(program: Effect.Effect<A, E>, startMillis = START): Exit.Exit<A, E> =>
  new Engine({ startMillis }).run(program)
