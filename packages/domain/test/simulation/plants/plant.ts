import type { Simulation } from "@place-access/domain/testing"
import { Context, type Effect } from "effect"

/** A bug that a test puts into the real system on purpose, and the oracle that must find it. */
export interface Plant {
  /** The oracle that must find the bug, such as `R4`. */
  readonly oracle: string
  readonly what: string
  readonly sabotage?: Simulation.Sabotage
  /** A bug in the answer to a call, which no replaced port could cause. */
  readonly sabotageAnswers?: Simulation.SabotageAnswers
  /**
   * True when the bug replaces ports after the simulation wrapped them. The trace then has the calls that the bug
   * passes on to the wrapped ports, and not those that the programs make.
   */
  readonly isInFront?: true
  /** A scenario that shows the bug, and breaks no rule without it. */
  readonly scenario: (world: Simulation.World) => Effect.Effect<unknown, unknown>
  /** The reason why the swarm does not find the bug within its runs, so that only the scenario shows it. */
  readonly isRare?: string
  /** The settings of the world that the scenario needs. */
  readonly config?: Partial<Simulation.Config>
}

/** The settings of a run that has the bug. */
export const planted = ({
  isInFront,
  sabotage,
  sabotageAnswers
}: Pick<Plant, "isInFront" | "sabotage" | "sabotageAnswers">): Partial<Simulation.Config> => ({
  [isInFront === true ? "sabotageInFront" : "sabotage"]: sabotage,
  sabotageAnswers
})

/**
 * Replaces some methods of a port. The replacements keep their state for one run. The methods that the store inherits
 * stay, which spreading the store would lose.
 */
export const instead =
  <I extends Simulation.Ports, S extends object>(
    tag: Context.Tag<I, S>,
    change: (store: S, ports: Context.Context<Simulation.Ports>) => Partial<S>
  ): Simulation.Sabotage =>
  (ports) => {
    const store = Context.get(ports, tag)
    const get = (own: S, name: string | symbol): unknown => {
      if (name in own) return Reflect.get(own, name)
      const inherited: unknown = Reflect.get(store, name)
      return typeof inherited === "function" ? inherited.bind(store) : inherited
    }
    return Context.add(ports, tag, new Proxy({ ...store, ...change(store, ports) }, { get }))
  }
