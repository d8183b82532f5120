import type { Entry } from "../Trace.js"

/**
 * An entry where the page draws it. Its `t` is the start of the run and the time that had passed, so that what came later stands
 * further to the right when somebody had set the clock back. `clock` is what the clock showed.
 */
export type Placed = Entry & { readonly clock: number }

export const placed = (entries: ReadonlyArray<Entry>): ReadonlyArray<Placed> => {
  const start = (entries[0]?.t ?? 0) - (entries[0]?.passed ?? 0)
  return entries.map((entry) => ({ ...entry, t: start + entry.passed, clock: entry.t }))
}

/** What the page draws: lanes of bars and dots on an axis of time. `i` is the entry of the trace that each stands for. */
export interface Lane {
  readonly group: Group
  readonly label: string
  /** Whose it is, for the filter: a person, an app, a program. */
  readonly who: ReadonlyArray<string>
  readonly bars: ReadonlyArray<Bar>
  readonly dots: ReadonlyArray<Dot>
}

export const GROUPS = [
  "Trouble",
  "Programs",
  "People",
  "Phones",
  "Connections",
  "Rules",
  "Apps",
  "Deliveries",
  "Mail"
] as const
type Group = (typeof GROUPS)[number]

export interface Bar {
  readonly from: number
  readonly to: number
  readonly look: "live" | "sensitive" | "grace" | "ended" | "up" | "window" | "disabled"
  readonly text: string
  readonly i: number
}

export interface Dot {
  readonly t: number
  /** `good`: done. `refused`: an answer that says no. `bad`: not done, lost, answered late. `fired`: of a rule. `note`: the rest. */
  readonly look: "good" | "refused" | "bad" | "fired" | "note" | "fault"
  readonly text: string
  readonly i: number
}
