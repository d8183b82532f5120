import type { LoggedAccess } from "../../Operations.js"
import type { CallFact } from "./trace/Facts.js"
import type { Knowledge } from "./Knowledge.js"
import type { OpOf } from "./trace/Ops.js"
import { ascending, into } from "./trace/into.js"
import {
  ACCESS_REMEMBERED,
  CALLS_A_MINUTE,
  DAY,
  DEAD_CALLS,
  isSensitiveEndpoint,
  LOG_KEPT
} from "../../Specification.js"

/** Compares the calls about each user with the access log, as the user's last read showed the log. */

export type Reading = OpOf<"readAccessLog"> & { readonly outcome: { readonly _tag: "ok" } }

/** For each user, the last time that the user read the access log. */
export const lastReadings = (known: Knowledge): ReadonlyMap<string, Reading> => {
  const last = new Map<string, Reading>()
  for (const op of known.trace.ops.values()) {
    if (op.name === "readAccessLog" && op.outcome._tag === "ok") last.set(op.args.userId, op as Reading)
  }
  return last
}

/**
 * The oracle requires the log entries only of calls that are younger than this. The service keeps each entry one day
 * longer.
 */
const KEPT = LOG_KEPT - DAY

export interface Compared {
  /** Calls that the service answered and that have no entry in the log. */
  readonly missing: ReadonlyArray<CallFact>
  /** Log entries that no call explains, and further entries of a call that already has an entry. */
  readonly extra: ReadonlyArray<LoggedAccess>
}

/**
 * Pairs each call with its entry in the log that the user read. Only a call whose entry must certainly be in the log
 * can count as missing.
 */
export const compare = (known: Knowledge, reading: Reading, calls: ReadonlyArray<CallFact>): Compared => {
  const since = known.trace.latest(reading.to) - KEPT
  const must = new Map<string, Array<CallFact>>()
  const may = new Map<string, Array<CallFact>>()
  const dead = new Map<string, Array<CallFact>>()
  for (const fact of calls) {
    const { op, token } = fact
    if (token === undefined || op.from > reading.to || op.tMax < since) continue
    const isSure =
      op.outcome._tag === "ok" &&
      op.to < reading.from &&
      op.tMin >= since &&
      known.trace.latest(op.to) - token.issued.tMin < ACCESS_REMEMBERED
    if (isSure && isDead(fact)) into(dead, placeOf(fact), fact)
    else if (isSure) into(must, keyOf(fact), fact)
    else into(may, placeOf(fact), fact)
  }
  const entries = new Map<string, Array<LoggedAccess>>()
  const shared = new Map<string, Array<LoggedAccess>>()
  for (const entry of reading.outcome.value.entries) {
    if (entry.endpoint.startsWith("webhook ")) continue
    if (entry.error === DEAD) {
      if (entry.at >= since - DEAD_CALLS) into(shared, placeOfEntry(entry), entry)
    } else if (entry.at >= since) into(entries, keyOfEntry(entry), entry)
  }
  const missing: Array<CallFact> = []
  const left: Array<LoggedAccess> = []
  const strange: Array<LoggedAccess> = []
  for (const place of new Set([...dead.keys(), ...shared.keys()])) {
    const calls = { sure: dead.get(place) ?? [], loose: may.get(place) ?? [] }
    const counted = count(calls, shared.get(place) ?? [], since, known.trace.wentBack)
    missing.push(...counted.missing)
    strange.push(...counted.extra)
  }
  const matched = new Map<CallFact, LoggedAccess>()
  for (const key of new Set([...must.keys(), ...entries.keys()])) {
    const paired = pair(must.get(key) ?? [], entries.get(key) ?? [])
    missing.push(...paired.calls)
    left.push(...paired.entries)
    for (const [fact, entry] of paired.matched) matched.set(fact, entry)
  }
  const extra = left.filter((entry) => !rearrange(entry, matched, may.get(placeOfEntry(entry)) ?? [], new Set()))
  return { missing, extra: [...extra, ...strange] }
}

/** The error code of a call whose token is no longer valid. */
const DEAD = "invalid_token"

const isDead = ({ op }: CallFact): boolean => op.outcome._tag === "ok" && op.outcome.value.error === DEAD

/**
 * Compares calls whose tokens have stopped working with the entries of the access log. The service counts such calls of
 * one connection to one route within an hour in one entry. This entry has the number of calls and the time of the first
 * call (decision limits-10).
 */
const count = (
  { loose, sure: calls }: { readonly sure: ReadonlyArray<CallFact>; readonly loose: ReadonlyArray<CallFact> },
  entries: ReadonlyArray<LoggedAccess>,
  since: number,
  wentBack: boolean
): Compared => {
  // If the clock was set back, the entry that counts a call may have a later time than the call.
  const isOf = ({ at }: LoggedAccess, { op }: CallFact) => wentBack || (op.tMin <= at + DEAD_CALLS && at <= op.tMax)
  const missing = calls.filter((fact) => !entries.some((entry) => isOf(entry, fact)))
  const extra = entries.filter((entry) => ![...calls, ...loose].some((fact) => isOf(entry, fact)))
  // An entry that is older than `since` also counts calls that are not compared here.
  if (entries.some(({ at }) => at < since)) return { missing, extra: [] }
  const times = entries.reduce((sum, entry) => sum + entry.times, 0)
  const [last, newest] = [calls.at(-1), entries[0]]
  if (times < calls.length && calls.length < CALLS_A_MINUTE && last !== undefined && missing.length === 0) {
    missing.push(last)
  }
  if (times > calls.length + loose.length && newest !== undefined && extra.length === 0) extra.push(newest)
  return { missing, extra }
}

const isIn = ({ at }: LoggedAccess, { op }: CallFact): boolean => op.tMin <= at && at <= op.tMax

/**
 * Finds a call for an entry that `pair` left without a call. If a call of `loose` fits, the function removes this call
 * from `loose`. Otherwise the entry takes the call of an entry that already has one, if the function finds another call
 * for that entry.
 */
const rearrange = (
  entry: LoggedAccess,
  matched: Map<CallFact, LoggedAccess>,
  loose: Array<CallFact>,
  tried: Set<CallFact>
): boolean => {
  const free = loose.findIndex((fact) => isIn(entry, fact) && fits(entry, fact))
  const taken = loose[free]
  if (taken !== undefined) {
    loose.splice(free, 1)
    matched.set(taken, entry)
    return true
  }
  for (const [fact, other] of matched) {
    if (tried.has(fact) || !isIn(entry, fact) || !fits(entry, fact)) continue
    tried.add(fact)
    if (!rearrange(other, matched, loose, tried)) continue
    matched.set(fact, entry)
    return true
  }
  return false
}

/**
 * Whether the entry may belong to the call. For an answered call, the keys of the call and of the entry must be equal
 * (`keyOf`). For a call with an unknown outcome, equal connection and endpoint are enough.
 */
const fits = (entry: LoggedAccess, fact: CallFact): boolean =>
  fact.op.outcome._tag === "ok" ? keyOf(fact) === keyOfEntry(entry) : placeOf(fact) === placeOfEntry(entry)

const placeOfEntry = ({ connectionId, endpoint }: LoggedAccess): string => `${connectionId} ${endpoint}`

const placeOf = ({ op, token }: CallFact): string => `${token?.family.connection.id ?? ""} ${op.args.request.endpoint}`

/**
 * The key by which calls and entries are compared. The key has the purpose only for a call with the status 200, because
 * the service may refuse a call before it checks the purpose.
 */
const keyOf = ({ op, token }: CallFact): string => {
  const { endpoint } = op.args.request
  const { error, status } = op.outcome._tag === "ok" ? op.outcome.value : { error: null, status: 0 }
  const purpose = status === 200 && isSensitiveEndpoint(endpoint) ? (op.args.purpose ?? "") : ""
  return `${token?.family.connection.id ?? ""} ${endpoint} ${status} ${error} ${purpose}`
}

const keyOfEntry = ({ connectionId, endpoint, error, purpose, status }: LoggedAccess): string => {
  const isAnswered = status === 200 && endpoint.startsWith("GET /v1/locations/")
  return `${connectionId} ${endpoint} ${status} ${error} ${isAnswered ? (purpose ?? "") : ""}`
}

/**
 * Pairs each entry of the access log with a call that was in progress at the entry's time. If several calls were in
 * progress, the entry gets the call of these that ends first.
 */
const pair = (calls: ReadonlyArray<CallFact>, entries: ReadonlyArray<LoggedAccess>) => {
  const waiting = [...calls].sort((a, b) => ascending(a.op.tMin, b.op.tMin))
  const matched = new Map<CallFact, LoggedAccess>()
  const left: { calls: Array<CallFact>; entries: Array<LoggedAccess> } = { calls: [], entries: [] }
  let begun: Array<CallFact> = []
  let next = 0
  for (const entry of [...entries].sort((a, b) => a.at - b.at)) {
    for (; (waiting[next]?.op.tMin ?? Infinity) <= entry.at; next++) {
      const fact = waiting[next]
      if (fact !== undefined) begun.push(fact)
    }
    left.calls.push(...begun.filter(({ op }) => op.tMax < entry.at))
    begun = begun.filter(({ op }) => op.tMax >= entry.at)
    const first = begun.reduce<CallFact | undefined>(
      (best, fact) => (best === undefined || fact.op.tMax < best.op.tMax ? fact : best),
      undefined
    )
    if (first === undefined) left.entries.push(entry)
    else {
      matched.set(first, entry)
      begun = begun.filter((fact) => fact !== first)
    }
  }
  left.calls.push(...begun, ...waiting.slice(next))
  return { ...left, matched }
}
