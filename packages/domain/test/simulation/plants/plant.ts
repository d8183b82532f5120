import type { Simulation } from "@place-access/domain/testing"
import { Context, type Effect } from "effect"

/** A bug that is put into the real system on purpose, and the oracle that must see it. */
export interface Plant {
  /** Such as `R4`. */
  readonly oracle: string
  readonly what: string
  readonly sabotage?: Simulation.Sabotage
  /** A bug of an answer itself, whatever the ports do. */
  readonly sabotageAnswers?: Simulation.SabotageAnswers
  /** In front of the simulation: what it calls is in the trace. */
  readonly isInFront?: true
  /** Shows it, and nothing without it. */
  readonly scenario: (world: Simulation.World) => Effect.Effect<unknown, unknown>
  /** Why the swarm does not find it within its runs: the scenario alone shows it. */
  readonly isRare?: string
  /** What the scenario needs of the world. */
  readonly config?: Partial<Simulation.Config>
}

/** What a run is configured with to have the bug in it. */
export const planted = ({
  isInFront,
  sabotage,
  sabotageAnswers
}: Pick<Plant, "isInFront" | "sabotage" | "sabotageAnswers">): Partial<Simulation.Config> => ({
  [isInFront === true ? "sabotageInFront" : "sabotage"]: sabotage,
  sabotageAnswers
})

/** Puts other methods in the place of some of a port's. What they remember, they remember for one run. */
export const instead =
  <I extends Simulation.Ports, S extends object>(
    tag: Context.Tag<I, S>,
    change: (store: S, ports: Context.Context<Simulation.Ports>) => Partial<S>
  ): Simulation.Sabotage =>
  (ports) => {
    const store = Context.get(ports, tag)
    return Context.add(ports, tag, { ...store, ...change(store, ports) })
  }
