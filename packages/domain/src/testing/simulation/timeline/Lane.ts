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
