import type { Simulation } from "@place-access/domain/testing"
import type { Dot } from "./Lane.js"

type Name = Simulation.Name
type Begun = Simulation.BegunOperation
type Done = Simulation.Done
type Entry = Simulation.Entry

/** An operation with its outcome, if the trace has one. */
export interface Deed {
  readonly i: number
  readonly t: number
  readonly name: Name
  readonly actor: string
  readonly args: Readonly<Record<string, unknown>>
  readonly outcome: Done["outcome"] | undefined
  readonly value: Readonly<Record<string, unknown>>
}

export const deedsOf = (entries: ReadonlyArray<Entry>): ReadonlyArray<Deed> => {
  const ends = new Map<number, Done>()
  for (const entry of entries) if (entry.kind === "done") ends.set(entry.op, entry)
  return entries
    .filter((entry): entry is Entry & Begun => entry.kind === "begun")
    .map(({ actor, args, i, name, t }) => {
      const outcome = ends.get(i)?.outcome
      const value = outcome?._tag === "ok" ? (outcome.value ?? {}) : {}
      return { i, t, name, actor, args: args as never, outcome, value: value as never }
    })
}

export const text = (value: unknown): string => (typeof value === "string" ? value : "")
export const number = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined)

/** A dot for the operation, with a text such as `refresh: invalid_grant`. */
export const dotOf = ({ args, i, name, outcome, t, value }: Deed): Dot => {
  const endpoint = (args["request"] as { readonly endpoint?: string } | undefined)?.endpoint
  const what = endpoint ?? name
  if (outcome === undefined) return { t, i, look: "bad", text: `${what}: never ended` }
  if (outcome._tag === "unknown") return { t, i, look: "bad", text: `${what}: not known (${outcome.because})` }
  if (outcome._tag === "refused") return { t, i, look: "refused", text: `${what}: ${outcome.error}` }
  const status = number(value["status"])
  if (name !== "call" || status === undefined) return { t, i, look: "good", text: what }
  const error = text(value["error"])
  return { t, i, look: status < 300 ? "good" : "refused", text: `${what}: ${status}${error === "" ? "" : ` ${error}`}` }
}

/** Names apps `App 1`, `App 2`, in the order in which they were made. */
export const appNames = (deeds: ReadonlyArray<Deed>): ((appId: string) => string) => {
  const names = new Map<string, string>()
  for (const { name, value } of deeds) {
    if (name === "createApp" && text(value["appId"]) !== "") names.set(text(value["appId"]), `App ${names.size + 1}`)
  }
  return (appId) => names.get(appId) ?? appId
}
