import { search } from "./Ops.js"
import type { Came } from "./Pending.js"

/** What an operation may make of a state: several when the specification or the trace leaves it open. */
export type Step<S> = (state: S) => ReadonlyArray<S>

/** More states than this say nothing any more. */
const MOST = 48

/**
 * The states in which something may be, followed through operations that overlap and whose outcomes may be unknown. Those that
 * overlap are taken in any order, and any of them left out: more than is possible, never less.
 */
export class Possible<S> {
  private base: ReadonlyArray<S>
  private under: Array<{ step: Step<S>; open: boolean; came: Came }> = []
  private readonly seen: Array<{ i: number; states: ReadonlyArray<S> | undefined }>

  constructor(i: number, states: ReadonlyArray<S>) {
    this.base = states
    this.seen = [{ i, states }]
  }

  begin(i: number, step: Step<S>): number {
    this.under.push({ step, open: true, came: "maybe" })
    this.note(i, this.closure(this.under.map(({ step }) => step)))
    return this.under.length - 1
  }

  /** `step`: more exact than what was known at the beginning. */
  settle(handle: number, i: number, came: Came, step?: Step<S>): void {
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
        ? distinct(this.base.flatMap(only.step))
        : (this.closure(happened.map(({ step }) => step)) ?? [])
    this.under = []
    this.note(i, this.base.length === 0 ? undefined : this.base)
  }

  /** Undefined: nothing is known. */
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

  private closure(steps: ReadonlyArray<Step<S>>): ReadonlyArray<S> | undefined {
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
