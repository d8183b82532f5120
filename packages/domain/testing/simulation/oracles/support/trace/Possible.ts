import { search } from "./Ops.js"
import type { Came } from "./Pending.js"

/**
 * The states to which an operation may lead from a state. There are several states when neither the specification nor
 * the trace says which state follows.
 */
export type Transition<S> = (state: S) => ReadonlyArray<S>

/** `Possible` follows at most this number of states. If there are more, the states are unknown. */
const MOST = 48

/**
 * All states that an object may be in, although operations overlap or have unknown outcomes. Overlapping operations are
 * applied in every order, with any of them left out. The result may contain impossible states, but it contains
 * every possible state. So an oracle that uses the result reports no false violation.
 */
export class Possible<S> {
  /** The states before the operations in `under`. Undefined: unknown, and so are all later states. */
  private base: ReadonlyArray<S> | undefined
  private under: Array<{ step: Transition<S>; open: boolean; came: Came }> = []
  private readonly seen: Array<{ i: number; states: ReadonlyArray<S> | undefined }>

  constructor(i: number, states: ReadonlyArray<S>) {
    this.base = states
    this.seen = [{ i, states }]
  }

  begin(i: number, step: Transition<S>): number {
    this.under.push({ step, open: true, came: "maybe" })
    this.note(i, this.closure(this.under.map(({ step }) => step)))
    return this.under.length - 1
  }

  /**
   * Records whether an operation took effect. If the effect is now known more exactly than when the operation began,
   * `step` replaces the earlier effect.
   */
  settle(handle: number, i: number, came: Came, step?: Transition<S>): void {
    const one = this.under[handle]
    if (one === undefined) return
    one.open = false
    one.came = came
    if (step !== undefined) one.step = step
    if (this.under.some(({ open }) => open)) return
    const happened = this.under.filter(({ came }) => came !== "nothing")
    const only = happened.length === 1 ? happened[0] : undefined
    this.base =
      only !== undefined && only.came === "done"
        ? this.base && distinct(this.base.flatMap(only.step))
        : this.closure(happened.map(({ step }) => step))
    if (this.base?.length === 0) this.base = undefined
    this.under = []
    this.note(i, this.base)
  }

  /** Every state that is possible between the entries `from` and `to`; undefined when the states are unknown. */
  read(from: number, to: number): ReadonlyArray<S> | undefined {
    const last = search(this.seen.length, (k) => (this.seen[k]?.i ?? Infinity) > from) - 1
    const found: Array<S> = []
    for (let k = Math.max(0, last); k < this.seen.length; k++) {
      const snapshot = this.seen[k]
      if (snapshot === undefined || (k > last && snapshot.i > to)) break
      if (snapshot.states === undefined) return undefined
      found.push(...snapshot.states)
    }
    return distinct(found)
  }

  private note(i: number, states: ReadonlyArray<S> | undefined) {
    this.seen.push({ i, states })
  }

  private closure(steps: ReadonlyArray<Transition<S>>): ReadonlyArray<S> | undefined {
    if (this.base === undefined) return undefined
    let states = this.base
    for (;;) {
      const next = distinct([...states, ...steps.flatMap((step) => states.flatMap(step))])
      if (next.length === states.length) return states
      if (next.length > MOST) return undefined
      states = next
    }
  }
}

export const distinct = <S>(states: ReadonlyArray<S>): ReadonlyArray<S> => [
  ...new Map(states.map((state) => [JSON.stringify(state), state])).values()
]
