// Finds the entries of a trace that led to a broken rule. At first the page shows only these entries, and a checkbox
// shows the others too.
import type { Simulation } from "@place-access/domain/testing"
import { text } from "./read.js"

type Entry = Simulation.Entry
type Begun = Entry & Simulation.BegunOperation

/**
 * Matches ids and secrets that connect a change with its results. The pattern leaves out the ids of apps and people,
 * which would connect everything.
 */
const ID = /\b(?:(?:con|plc|dev|rul|evt|dlv|ep|pps)_[0-9a-z]{24}|(?:access|refresh|code|cookie)-\d+)\b/g

/**
 * The most uploads that are shown: the last ones before the violation. `LAST_REPEATS` limits repeated operations and
 * POSTs in the same way, and `LAST_JUMPS` limits jumps of the clock.
 */
const LAST_UPLOADS = 12
const LAST_REPEATS = 25
const LAST_JUMPS = 5
/** A fault can explain an operation that is under way, or that begins within this time after the fault. */
const SHORTLY_MILLIS = 60_000

const idsIn = (value: unknown): ReadonlyArray<string> => (JSON.stringify(value) ?? "").match(ID) ?? []

/** An operation with all its entries, or an entry that belongs to no operation. */
interface Unit {
  /** The number of the trace entry under which the page shows the unit (an operation or an entry). */
  readonly i: number
  readonly from: number
  readonly to: number
  readonly procs: ReadonlySet<string>
  /** The ids that the entries of the unit (an operation or an entry) name. */
  readonly ids: ReadonlySet<string>
  /**
   * The ids that had to exist before the unit (an operation or an entry). When the unit is a cause, the changes of
   * these ids are causes too.
   */
  readonly needs: ReadonlyArray<string>
}

export interface Explanation {
  /**
   * The numbers of the entries that led to the violation, and of the entry that breaks the rule, in order. An operation
   * is listed by its first entry. Reads that break no rule are left out, because they change nothing.
   */
  readonly led: ReadonlyArray<number>
  /** The id of the delivery, rule or connection whose state explains the violation best. */
  readonly about: string | undefined
}

export const explanationOf = (
  entries: ReadonlyArray<Entry>,
  { at, detail }: Pick<Simulation.Violation, "at" | "detail">
): Explanation => {
  const broken = entries[at]
  if (broken === undefined) return { led: [], about: undefined }
  const units = unitsOf(entries)
  const own = units.get(opOf(broken) ?? broken.i)
  const named = [...idsIn(detail), ...idsIn(broken), ...(own === undefined ? [] : own.ids)]
  const { chosen, wanted } = tied(entries, units, { at, first: own?.i ?? at, named })
  const question = entries[own?.i ?? at]
  const before = entries.slice(0, at)
  const beside = [
    ...(isAboutPositions(question, wanted) ? uploads(before, chosen, entries) : []),
    ...changesOfEverything(before, chosen, entries),
    ...repeats(before, question),
    ...postsTo(before, named),
    ...sameMail(before, broken)
  ]
  for (const i of beside) chosen.add(i)
  const causes = [...chosen].flatMap((i) => units.get(i) ?? [])
  for (const i of faultsAround(before, causes)) chosen.add(i)
  return {
    led: [...chosen].sort((a, b) => a - b),
    about: firstOf(named, "dlv_") ?? firstOf(named, "rul_") ?? firstOf([...wanted], "con_")
  }
}

const firstOf = (ids: ReadonlyArray<string>, kind: string) => ids.find((id) => id.startsWith(kind))

/**
 * Finds the changes that name an id of the violation, then the changes that the found changes needed, and so on until
 * no change is left.
 */
const tied = (
  entries: ReadonlyArray<Entry>,
  units: ReadonlyMap<number, Unit>,
  { at, first, named }: { readonly at: number; readonly first: number; readonly named: ReadonlyArray<string> }
) => {
  const wanted = new Set(named)
  /**
   * The ids that the chosen units name. Not all of them are in `wanted`: when a wanted token was issued, other tokens
   * were issued with it. Only the search for a `revoke` uses these ids.
   */
  const seen = new Set(named)
  const chosen = new Set([first])
  for (let before = -1; before !== chosen.size;) {
    before = chosen.size
    for (const unit of units.values()) {
      const entry = entries[unit.i]
      if (unit.i > at || chosen.has(unit.i) || entry === undefined) continue
      if (!leads(entry, unit, entry.kind === "begun" && entry.name === "revoke" ? seen : wanted)) continue
      chosen.add(unit.i)
      for (const id of unit.needs) wanted.add(id)
      for (const id of unit.ids) seen.add(id)
    }
  }
  return { chosen, wanted }
}

const opOf = (entry: Entry): number | undefined =>
  entry.kind === "begun" ? entry.i : "op" in entry && entry.op !== null ? entry.op : undefined

const unitsOf = (entries: ReadonlyArray<Entry>): ReadonlyMap<number, Unit> => {
  const groups = new Map<number, Array<Entry>>()
  for (const entry of entries) {
    const key = opOf(entry) ?? entry.i
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [entry])
    else group.push(entry)
  }
  return new Map([...groups].map(([i, group]) => [i, unitOf(i, group)]))
}

const unitOf = (i: number, group: ReadonlyArray<Entry>): Unit => {
  const [first] = group
  const ids = group.flatMap(idsIn)
  const procs = new Set(group.map(({ proc }) => proc).filter((proc) => proc !== "world"))
  const times = group.map(({ passed }) => passed)
  const span = { from: Math.min(...times), to: Math.max(...times) }
  const needs =
    first?.kind === "begun"
      ? [...idsIn(first.args), ...ids.filter((id) => id.startsWith("con_"))]
      : ids.filter((id) => !/^(?:con|plc|dev)_/.test(id))
  return { i, ...span, procs, ids: new Set(ids), needs }
}

const QUESTIONS = /^read|^useCookie$|^testEndpoint$/

const isQuestion = (begun: Begun): boolean => {
  if (QUESTIONS.test(begun.name)) return true
  const endpoint = endpointOf(begun)
  return endpoint !== undefined && !/^(?:POST|DELETE) \/v1\/rules/.test(endpoint)
}

const endpointOf = ({ args }: Begun): string | undefined =>
  (args as { readonly request?: { readonly endpoint: string } }).request?.endpoint

const leads = (entry: Entry, unit: Unit, wanted: ReadonlySet<string>): boolean => {
  if (entry.kind === "fault" || entry.kind === "mark") return false
  if (entry.kind === "begun" && (isQuestion(entry) || entry.name === "upload")) return false
  return [...unit.ids].some((id) => wanted.has(id) && tying(entry).test(id))
}

/** A pattern for the ids by which this entry can be connected with the violation. */
const tying = (entry: Entry): RegExp => {
  // A worker's loops work on all deliveries of an endpoint, so only the ids of the delivery and of its event connect
  // their steps.
  if (entry.kind !== "begun") return /^(?:dlv|evt)_/
  // A call that makes a rule is connected by the rule's id only, because later changes of its token do not concern the
  // rule.
  return entry.name === "call" ? /^rul_/ : /^/
}

/**
 * Whether the violation depends on readings: it concerns a rule, an upload, the owner's history, or an answer to an app
 * (except `GET /v1/me`, which says nothing about positions).
 */
const isAboutPositions = (broken: Entry | undefined, wanted: ReadonlySet<string>): boolean => {
  if (broken?.kind === "begun" && broken.name === "call") return endpointOf(broken) !== "GET /v1/me"
  if (broken?.kind === "begun" && /^(?:upload|readOwnHistory)$/.test(broken.name)) return true
  return [...wanted].some((id) => id.startsWith("rul_"))
}

const userOf = (entry: Entry | undefined): string =>
  entry?.kind === "begun" ? text((entry.args as { readonly userId?: unknown }).userId) : ""

const appOf = (entry: Entry | undefined): string =>
  entry?.kind === "begun" ? text((entry.args as { readonly appId?: unknown }).appId) : ""

/**
 * Finds the operations in `before` whose name matches `names`, and whose person also did one of the chosen operations.
 */
const byPeople = (
  before: ReadonlyArray<Entry>,
  names: RegExp,
  chosen: ReadonlySet<number>,
  entries: ReadonlyArray<Entry>
): ReadonlyArray<number> => {
  const people = new Set([...chosen].map((i) => userOf(entries[i])).filter((user) => user !== ""))
  return before.flatMap((entry) =>
    entry.kind === "begun" && names.test(entry.name) && people.has(userOf(entry)) ? [entry.i] : []
  )
}

const uploads = (...of: readonly [ReadonlyArray<Entry>, ReadonlySet<number>, ReadonlyArray<Entry>]) =>
  byPeople(of[0], /^upload$/, of[1], of[2]).slice(-LAST_UPLOADS)

/**
 * Operations each of which changes many connections or readings of a person. They name no connection and no reading, so
 * ids do not connect them with the violation.
 */
const changesOfEverything = (...of: readonly [ReadonlyArray<Entry>, ReadonlySet<number>, ReadonlyArray<Entry>]) =>
  byPeople(of[0], /^(?:eraseHistory|pauseAll|resumeAll)$/, of[1], of[2])

const COUNTED = /^(?:createPurpose|createEndpoint|createApp)$/
const COUNTED_CALLS = /^POST /
const SESSIONS = /^(?:signIn|changePassword|endOtherSessions)$/

/**
 * Earlier operations that may count towards the same limit: operations of the same name by the same person and app, or
 * sign-ins and changes of the password by the same person.
 */
const repeats = (before: ReadonlyArray<Entry>, broken: Entry | undefined): ReadonlyArray<number> => {
  if (broken?.kind !== "begun") return []
  const isSame = (one: Begun): boolean => {
    if (SESSIONS.test(broken.name)) return SESSIONS.test(one.name) && userOf(one) === userOf(broken)
    if (one.name !== broken.name || appOf(one) !== appOf(broken) || userOf(one) !== userOf(broken)) return false
    return (
      COUNTED.test(one.name) || (COUNTED_CALLS.test(endpointOf(one) ?? "") && endpointOf(one) === endpointOf(broken))
    )
  }
  return before
    .filter((one): one is Begun => one.kind === "begun" && isSame(one))
    .slice(-LAST_REPEATS)
    .map(({ i }) => i)
}

/** The last posts to the endpoint, when the violation is about an endpoint and not about a delivery or a rule. */
const postsTo = (before: ReadonlyArray<Entry>, named: ReadonlyArray<string>): ReadonlyArray<number> => {
  if (firstOf(named, "dlv_") !== undefined || firstOf(named, "rul_") !== undefined) return []
  const endpoints = new Set(named.filter((id) => id.startsWith("ep_")))
  return before
    .filter((entry) => entry.kind === "posted" && endpoints.has(text(entry.body["endpoint_id"])))
    .slice(-LAST_REPEATS)
    .map(({ i }) => i)
}

const sameMail = (before: ReadonlyArray<Entry>, broken: Entry): ReadonlyArray<number> =>
  broken.kind !== "mailed"
    ? []
    : before.flatMap((entry) => (entry.kind === "mailed" && entry.id === broken.id ? [entry.i] : []))

/**
 * The faults that struck a program while it worked on a cause, or shortly before, and the last jumps of the clock
 * before the violation.
 */
const faultsAround = (before: ReadonlyArray<Entry>, causes: ReadonlyArray<Unit>): ReadonlyArray<number> => {
  const faults = before.filter((entry) => entry.kind === "fault")
  const near = faults.filter(({ passed, proc }) =>
    causes.some(({ from, procs, to }) => procs.has(proc) && passed >= from - SHORTLY_MILLIS && passed <= to)
  )
  const jumps = faults.filter((entry) => entry.fault === "clock.jump").slice(-LAST_JUMPS)
  return [...near, ...jumps].map(({ i }) => i)
}
