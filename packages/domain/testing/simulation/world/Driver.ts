import type { Effect } from "effect"
import type { Ended, Name, Operation } from "../Operations.js"
import type { Ports } from "../ports/Ports.js"
import type { Registry } from "./Registry.js"

/** Performs an operation, and answers how it ended unless the server dies meanwhile. */
export type Perform = <N extends Name>(name: N, args: Operation<N>["args"]) => Effect.Effect<Ended<N>, never, Ports>

/**
 * The way in which the simulated people and apps reach the service through an adapter such as HTTP. The decoding,
 * guards and encoding of the adapter then run in the simulation, too. Without a driver, operations call the domain's
 * programs.
 */
export interface Driver {
  readonly name: string
  /**
   * Runs in the server's process, each time that the server starts. What the adapter keeps in memory dies with the
   * process.
   */
  readonly start: (registry: Registry) => Effect.Effect<Perform, never, Ports>
}
