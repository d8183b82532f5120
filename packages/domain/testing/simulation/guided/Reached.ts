import { names } from "../oracles/marks/allMarks.js"
import type { SimResult } from "../Simulation.js"
import type { Entry } from "../Trace.js"

/**
 * Situations that a run reached. When a run is the first to reach a situation, the guided search keeps the plan of the
 * run, and later tries changed forms of this plan.
 */

/** The names of all marks: rare situations that a run should reach. */
export const MARKS: ReadonlySet<string> = names

/**
 * The situations of a run, as texts that a search only compares. The situations are: each mark; each pair of marks; the
 * end of each operation, alone and paired with the end of the same actor's previous operation; the end of each call of
 * a port; each reply of a receiver; and each kind of message that a listener read.
 */
export const reachedBy = ({ entries, marks }: Pick<SimResult, "entries" | "marks">): ReadonlySet<string> => {
  const reached = new Set<string>()
  const ofRun = Object.keys(marks).sort()
  ofRun.forEach((mark, index) => {
    reached.add(`mark ${mark}`)
    for (const other of ofRun.slice(index + 1)) reached.add(`marks ${mark} + ${other}`)
  })
  const begun = new Map<number, string>()
  const before = new Map<string, string>()
  for (const entry of entries) {
    if (entry.kind === "begun") begun.set(entry.i, entry.actor)
    if (entry.kind === "port") reached.add(`port ${entry.port}.${entry.method} ${entry.outcome}`)
    if (entry.kind === "posted") reached.add(`posted ${String(entry.reply)}`)
    if (entry.kind === "heard") {
      const { message } = entry
      reached.add(`heard ${message._tag}${message._tag === "End" ? ` ${message.reason}` : ""}`)
    }
    if (entry.kind !== "done") continue
    const ended = endOf(entry)
    const actor = begun.get(entry.op) ?? ""
    reached.add(ended)
    reached.add(`${before.get(actor) ?? "nothing"} > ${ended}`)
    before.set(actor, ended)
  }
  return reached
}

/**
 * A text with the name of the operation and its result: a status or an error code. Values that depend on the seed are
 * left out, so that results of different runs can be compared.
 */
const endOf = ({ name, outcome }: Entry & { readonly kind: "done" }): string => {
  switch (outcome._tag) {
    case "ok":
      return `${name} ok ${statusOf(outcome.value)}`
    case "refused":
      return `${name} refused ${outcome.error}`
    case "unknown":
      return `${name} unknown ${outcome.because}`
  }
}

const statusOf = (value: unknown): string => {
  if (typeof value !== "object" || value === null || !("status" in value)) return ""
  const error = "error" in value && typeof value.error === "string" ? value.error : ""
  return `${String(value.status)} ${error}`
}
