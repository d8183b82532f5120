import type { RuleFields } from "../Operations.js"
import type { Oracle, Run } from "../Oracle.js"
import { ground, type MadeRule } from "./support/Ground.js"
import { mayBeOver } from "./support/Ended.js"
import { type CompletedCall, happened, isDone, isoOf, mayBeDone, timeOf } from "./support/trace/Happened.js"
import { ACTIVE_RULES } from "../Specification.js"

/**
 * Oracles of the limit on active rules: at most ten rules of a connection are active at any instant (Spec §4.6.6). A
 * rule is active in its window from the window's beginning, inclusive, to its end, exclusive (decision L11).
 */

type Window = Pick<RuleFields, "activeFrom" | "activeUntil">

const covers = ({ activeFrom, activeUntil }: Window, instant: number): boolean =>
  (activeFrom === null || activeFrom <= instant) && (activeUntil === null || instant < activeUntil)

/** A request to create a rule, with the connection that its token belongs to. */
interface RuleRequest {
  readonly did: CompletedCall<"call">
  readonly connectionId: string
  readonly window: Window
  readonly rule: MadeRule | undefined
}

const known = new WeakMap<object, ReadonlyMap<string, ReadonlyArray<RuleRequest>>>()

const ruleRequests = (run: Run): ReadonlyMap<string, ReadonlyArray<RuleRequest>> => {
  const found = known.get(run)
  if (found !== undefined) return found
  const { holderOf, rules } = ground(run)
  const byCall = new Map([...rules.values()].map((rule) => [rule.made, rule]))
  const made = new Map<string, Array<RuleRequest>>()
  for (const operation of happened(run).of("call")) {
    const { request, token } = operation.args
    const connectionId = holderOf(token)?.connectionId
    if (connectionId === undefined || !("type" in request)) continue
    const one = { did: operation, connectionId, window: request, rule: byCall.get(operation) }
    const same = made.get(connectionId)
    if (same === undefined) made.set(connectionId, [one])
    else same.push(one)
  }
  known.set(run, made)
  return made
}

/**
 * Whether another request to create a rule overlapped this request. Then the trace does not show which rule the service
 * counted first.
 */
const isRacing = (all: ReadonlyArray<RuleRequest>, { did }: RuleRequest): boolean =>
  all.some(({ did: other }) => other !== did && other.begin < did.end && did.begin < other.end)

interface Excess {
  readonly at: number
  readonly detail: string
  readonly isRaced: boolean
}

/**
 * The rules that the service should have refused: with each of them, more than ten rules are certainly active at one
 * instant, at the creation or later.
 */
const excesses = (run: Run): ReadonlyArray<Excess> =>
  [...ruleRequests(run).values()].flatMap((all) => {
    const standing: Array<MadeRule> = []
    return all
      .filter(({ did }) => isDone(did))
      .sort((a, b) => a.did.end - b.did.end)
      .flatMap((one): ReadonlyArray<Excess> => {
        const { did, rule } = one
        if (rule === undefined || mayBeOver(run, rule, did.end)) return []
        standing.push(rule)
        const there = standing.filter(({ removals }) => !removals.some(({ begin }) => begin < did.end))
        const starts = there.flatMap(({ fields: { activeFrom } }) => (activeFrom === null ? [] : [activeFrom]))
        const instants = [did.endedAt, ...starts.filter((start) => start > did.endedAt)]
        const full = instants.find(
          (instant) =>
            covers(rule.fields, instant) && there.filter(({ fields }) => covers(fields, instant)).length > ACTIVE_RULES
        )
        if (full === undefined) return []
        return [
          { at: did.end, detail: `more than ten rules are active at ${isoOf(full)}`, isRaced: isRacing(all, one) }
        ]
      })
  })

interface Refusal extends Excess {
  readonly wouldBeRight: "never" | "with removed ones"
}

/**
 * Refusals that name a wrong instant: an instant before the request or outside the window of the refused rule, or an
 * instant at which fewer than ten other rules are active. A refusal that names no instant is also wrong.
 */
const wrongRefusals = (run: Run): ReadonlyArray<Refusal> =>
  [...ruleRequests(run).values()].flatMap((all) =>
    all.flatMap((one): ReadonlyArray<Refusal> => {
      const { did, window } = one
      if (did.outcome?._tag !== "ok" || did.outcome.value.error !== "rule_limit_reached") return []
      const instant = timeOf(did.outcome.value.body["instant"])
      const from = Math.max(window.activeFrom ?? -Infinity, Math.min(did.beganAt, did.endedAt))
      const isRaced = isRacing(all, one)
      if (instant === undefined || instant < from || !covers(window, instant)) {
        const detail = `a refusal names ${isoOf(instant)}, which is not in the new rule's interval`
        return [{ at: did.end, detail, isRaced, wouldBeRight: "never" }]
      }
      const others = all.filter(
        ({ did: other, window: its }) =>
          other !== did && mayBeDone(other) && other.begin < did.end && covers(its, instant)
      )
      const left = others.filter(
        ({ rule }) => rule === undefined || !rule.removals.some((removal) => isDone(removal) && removal.end < did.begin)
      )
      if (left.length >= ACTIVE_RULES) return []
      const detail = `a rule was refused for ${isoOf(instant)}, when ${left.length} others are active`
      const wouldBeRight = others.length >= ACTIVE_RULES ? "with removed ones" : "never"
      return [{ at: did.end, detail, isRaced, wouldBeRight }]
    })
  )

const c1: Oracle = {
  name: "C1",
  rule: "At most ten rules are active at every instant (Spec §4.6.6)",
  check: (run) => excesses(run).filter(({ isRaced }) => !isRaced)
}

const c2: Oracle = {
  name: "C2",
  rule: "A 409 names an instant of the new rule's interval at which ten are active already (Spec §4.6.6)",
  check: (run) => wrongRefusals(run).filter(({ isRaced, wouldBeRight }) => !isRaced && wouldBeRight === "never")
}

const c3: Oracle = {
  name: "C3",
  rule: "When requests at the same time would make an eleventh active rule, only as many succeed as ten allow (Spec §4.6.6)",
  check: (run) => [
    ...excesses(run).filter(({ isRaced }) => isRaced),
    ...wrongRefusals(run).filter(({ isRaced, wouldBeRight }) => isRaced && wouldBeRight === "never")
  ]
}

const c4: Oracle = {
  name: "C4",
  rule: "A removed rule no longer counts towards the ten active rules, at once (Spec §4.6.6)",
  check: (run) => wrongRefusals(run).filter(({ wouldBeRight }) => wouldBeRight === "with removed ones")
}

export const concurrency: ReadonlyArray<Oracle> = [c1, c2, c3, c4]
