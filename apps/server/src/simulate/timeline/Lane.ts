import type { Simulation } from "@place-access/domain/testing"

type Entry = Simulation.Entry

/**
 * A trace entry at its position on the page. `t` is the start of the run plus the elapsed time, so that a later entry
 * is further to the right even after somebody set the clock back. `clock` is the time that the clock showed.
 */
export type Placed = Entry & { readonly clock: number }

export const placed = (entries: ReadonlyArray<Entry>): ReadonlyArray<Placed> => {
  const start = (entries[0]?.t ?? 0) - (entries[0]?.passed ?? 0)
  return entries.map((entry) => ({ ...entry, t: start + entry.passed, clock: entry.t }))
}

/**
 * A row of the page: bars and dots on a time axis. A bar or a dot shows a trace entry, and its field `i` is the number
 * of this entry.
 */
export interface Lane {
  readonly group: Group
  readonly label: string
  /** The persons, apps and programs that the lane belongs to; the page filters by them. */
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
  /**
   * The kind of a dot.
   * - `good`: success.
   * - `refused`: a refusal, or an answer to a POST with another status than 2xx.
   * - `bad`: a crash, a leak, no answer in time, or an unknown outcome.
   * - `fired`: a rule fired.
   * - `fault`: a fault that the simulation made.
   * - `note`: everything else.
   */
  readonly look: "good" | "refused" | "bad" | "fired" | "note" | "fault"
  readonly text: string
  readonly i: number
}
