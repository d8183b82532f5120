import type { Simulation } from "@place-access/domain/testing"
import type { Bar, Dot, Lane, Placed } from "./Lane.js"
import { type Deed, number, text } from "./read.js"

type Entry = Simulation.Entry

interface Names {
  readonly end: number
  readonly nameOf: (appId: string) => string
  readonly userOf: (token: string) => string
}

/** Makes one lane for each rule, from its creation to its end, with its window and its firings. */
export const ruleLanes = (
  entries: ReadonlyArray<Placed>,
  deeds: ReadonlyArray<Deed>,
  { end, nameOf, userOf }: Names
): ReadonlyArray<Lane> => {
  const fired = firings(entries)
  const removed = removals(deeds)
  return deeds.flatMap((deed): ReadonlyArray<Lane> => {
    const { args, i, t, value } = deed
    const request = args["request"] as Readonly<Record<string, unknown>> | undefined
    const body = value["body"] as Readonly<Record<string, unknown>> | undefined
    if (deed.name !== "call" || value["status"] !== 201 || request === undefined || !("type" in request)) return []
    const id = text(body?.["id"])
    const gone = removed.get(id)
    // The window's times are times of the run's clock, which a fault may have moved before the rule was made. The axis
    // of the page has the elapsed time. Adding `set` converts a time of the clock to a time of the axis.
    const set = t - (entries[i]?.clock ?? t)
    const [opens, closes] = [number(request["activeFrom"]), number(request["activeUntil"])]
    const from = opens === undefined ? undefined : opens + set
    const until = closes === undefined ? undefined : closes + set
    const bars: Array<Bar> = [{ from: t, to: gone?.t ?? end, look: "live", text: "the rule is there", i }]
    if (from !== undefined || until !== undefined) {
      bars.push({ from: Math.max(t, from ?? t), to: until ?? end, look: "window", text: "its window is open", i })
    }
    const dots: Array<Dot> = [{ t, i, look: "good", text: "made" }, ...(fired.get(id) ?? [])]
    if (gone !== undefined) dots.push({ t: gone.t, i: gone.i, look: "note", text: "removed" })
    const target = body?.["target"] as { readonly label?: string } | undefined
    const minutes = number(request["dwellMinutes"])
    const words = `${text(request["type"])}${minutes === undefined ? "" : ` ${minutes} min`} ${target?.label ?? ""}`
    const [user, app] = [userOf(text(args["token"])), nameOf(text(args["appId"]))]
    return [{ group: "Rules", label: `${words}: ${user}, ${app} (${id})`, who: [user, app], bars, dots }]
  })
}

/** Makes one dot for each event of a rule, at the time of the event's first POST. Further POSTs add no dot. */
const firings = (entries: ReadonlyArray<Entry>): ReadonlyMap<string, ReadonlyArray<Dot>> => {
  const seen = new Set<string>()
  const fired = new Map<string, Array<Dot>>()
  for (const entry of entries) {
    if (entry.kind !== "posted") continue
    const { body, i, t } = entry
    const [rule, event] = [text(body["rule_id"]), text(body["event_id"])]
    if (rule === "" || seen.has(event)) continue
    seen.add(event)
    const dot: Dot = { t, i, look: "fired", text: `fired ${text(body["type"])} for ${text(body["occurred_at"])}` }
    fired.set(rule, [...(fired.get(rule) ?? []), dot])
  }
  return fired
}

const removals = (deeds: ReadonlyArray<Deed>): ReadonlyMap<string, Deed> =>
  new Map(
    deeds.flatMap((deed) => {
      const { args, name, outcome, value } = deed
      if (outcome?._tag !== "ok") return []
      if (name === "removeRuleOfUser") return [[text(args["ruleId"]), deed] as const]
      const request = args["request"] as Readonly<Record<string, unknown>> | undefined
      return name === "call" && value["status"] === 204 ? [[text(request?.["ruleId"]), deed] as const] : []
    })
  )
