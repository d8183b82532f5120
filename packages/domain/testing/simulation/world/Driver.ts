import type { Effect } from "effect"
import type { Ended, Name, Operation } from "../Operations.js"
import type { Ports } from "../ports/Ports.js"
import type { Registry } from "./Registry.js"

/** Performs an operation and returns how it ended. Returns nothing when the server dies during the operation. */
export type Perform = <N extends Name>(name: N, args: Operation<N>["args"]) => Effect.Effect<Ended<N>, never, Ports>

/**
 * The way in which the simulated people and apps reach the service through an adapter such as HTTP. With a driver, the
 * adapter's decoding, guards and encoding are part of the simulation. Without a driver, operations call the domain's
 * programs.
 */
export interface Driver {
  readonly name: string
  /**
   * Runs in the server's process at each start of the server. Data that the adapter keeps in memory is lost when the
   * process dies.
   */
  readonly start: (registry: Registry) => Effect.Effect<Perform, never, Ports>
}
