import { Simulation } from "@place-access/domain/testing"
import { EventStore, type ReadAhead } from "@place-access/domain/deliveries"
import { Context, Effect } from "effect"
import { all } from "../../../testing/simulation/oracles/index.js"

/** A bug that a test puts into the real programs or stores, and the oracle that must find it. */
export interface Plant {
  /** The oracle that must find the bug, such as `R4`. */
  readonly oracle: string
  readonly what: string
  readonly sabotage?: Simulation.Sabotage
  /**
   * Plants a bug in the answer that an app gets to its call of the API, if replacing a port could not cause this bug.
   */
  readonly sabotageAnswers?: Simulation.SabotageAnswers
  /**
   * Present when the bug replaces ports in front of the wrapper that records calls for the trace. Then the trace shows
   * the calls that the bug passes on, and not the calls that the programs make.
   */
  readonly isInFront?: true
  /** A scenario in which the bug breaks the rule. Without the bug it breaks no rule. */
  readonly scenario: (world: Simulation.World) => Effect.Effect<unknown, unknown>
  /** Why the swarm does not find the bug in 500 runs, so that only the scenario finds it. */
  readonly isRare?: string
  /** Settings of the simulation that the scenario needs. */
  readonly config?: Partial<Simulation.Config>
}

/** Runs the plant's scenario, with or without its bug, and returns which oracles found a broken rule. */
export const violations = ({ config, scenario, ...plant }: Plant, isPlanted: boolean) => {
  const base = { seed: 1, worker: { pollEvery: "10 minutes" }, oracles: all, ...config } as const
  const { stopped, violations } = Simulation.runSync({ ...base, ...(isPlanted ? planted(plant) : {}) }, scenario)
  return { stopped, violations }
}

/** The settings of a simulation run with the plant's bug. */
export const planted = ({
  isInFront,
  sabotage,
  sabotageAnswers
}: Pick<Plant, "isInFront" | "sabotage" | "sabotageAnswers">): Partial<Simulation.Config> => ({
  [isInFront === true ? "sabotageInFront" : "sabotage"]: sabotage,
  sabotageAnswers
})

/**
 * Replaces some methods of a port. `change` is called once for each run, so the replacements may keep state. The other
 * methods stay, including inherited ones: `{ ...store }` would lose the methods of a prototype.
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

/**
 * Plants a bug in the data that the outbox reads ahead. If `change` returns undefined, nothing is read ahead for the
 * event.
 */
export const readingAhead = (change: (ahead: ReadAhead) => ReadAhead | undefined): Simulation.Sabotage =>
  instead(EventStore, (store) => ({
    pending: (...args) =>
      Effect.map(store.pending(...args), ({ ahead, ...rest }) => ({
        ...rest,
        ahead: new Map(
          [...ahead].flatMap(([id, read]) => {
            const changed = change(read)
            return changed === undefined ? [] : [[id, changed] as const]
          })
        )
      }))
  }))

/**
 * Makes stores read nothing ahead. With data read ahead, first attempts would not call the methods in which some plants
 * have their bug.
 */
export const readingNothingAhead: Simulation.Sabotage = readingAhead(() => undefined)
