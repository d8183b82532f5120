import type { Effect } from "effect"
import type { Ended, Name, Operation } from "../Operations.js"
import type { Ports } from "../ports/Ports.js"
import type { Registry } from "./Registry.js"

/**
 * Performs an operation and returns how the operation ended. When the server dies during the operation, the Effect
 * never completes.
 */
export type Perform = <N extends Name>(name: N, args: Operation<N>["args"]) => Effect.Effect<Ended<N>, never, Ports>

/**
 * Connects the simulated people and apps to the service through an adapter such as HTTP. With a driver, the simulation
 * also covers the adapter's decoding, guards and encoding. Without a driver, operations call the domain's programs
 * directly.
 */
export interface Driver {
  readonly name: string
  /**
   * Runs in the server's process, once after each start of the server, when the first operation comes. Data that the
   * adapter keeps in memory is lost when the process dies.
   */
  readonly start: (registry: Registry) => Effect.Effect<Perform, never, Ports>
}
