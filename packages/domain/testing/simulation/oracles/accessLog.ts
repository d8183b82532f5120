import type { Oracle } from "../Oracle.js"
import type { CallFact } from "./support/trace/Facts.js"
import type { Knowledge } from "./support/Knowledge.js"
import { compare, lastReadings, type Reading } from "./support/Log.js"
import type { OpOf } from "./support/trace/Ops.js"
import { oracle, type Say } from "./support/trace/oracle.js"
import type { PortCall } from "../Trace.js"
import { recordOf } from "./support/Answers.js"
import { isoOf, textOf } from "./support/trace/Happened.js"
import { into } from "./support/trace/into.js"
import { DAY, LOG_KEPT, UNDELIVERED_KEPT } from "../Specification.js"

/**
 * Oracles of the access log: whether each request and each event has an entry. Spec §1.7, §4.6.8, §4.7; decision P3 of
 * §9.
 */

const callsOf = (known: Knowledge): ReadonlyMap<string, ReadonlyArray<CallFact>> => {
  const found = new Map<string, Array<CallFact>>()
  for (const fact of known.calls) {
    if (fact.token !== undefined) into(found, fact.token.family.connection.userId, fact)
  }
  return found
}

const A1 = oracle(
  "A1",
  "Each request of an app is one entry of its user's log, with its purpose; a request whose entry cannot be written gets an error instead of its answer (Spec §1.7)",
  (known, say) => {
    const calls = callsOf(known)
    for (const [userId, reading] of lastReadings(known)) {
      const { extra, missing } = compare(known, reading, calls.get(userId) ?? [])
      for (const { op } of missing) say(op.to, `${op.args.request.endpoint} is not in the access log`)
      for (const { at, endpoint, id } of extra)
        say(reading.to, `${id}: nobody asked ${endpoint} at ${isoOf(at)}, or not so often`)
    }
    unwritten(known, say)
  }
)

const isRecord = ({ method, port }: PortCall): boolean =>
  port === "AccessLogStore" && (method === "record" || method === "recordRepeat")

/**
 * Reports each call that the service answered although it could not write the call's log entry, and each call with
 * more than one entry.
 */
const unwritten = (known: Knowledge, say: Say): void => {
  const written = new Map<number, { isDone: boolean; count: number }>()
  for (const entry of known.trace.entries) {
    if (entry.kind !== "port" || entry.op === null || !isRecord(entry)) continue
    const before = written.get(entry.op)
    const isDone = entry.outcome === "ok" || before?.isDone === true
    written.set(entry.op, { isDone, count: (before?.count ?? 0) + (entry.outcome === "ok" ? 1 : 0) })
  }
  for (const { op } of known.calls) {
    const record = written.get(op.from)
    if (record === undefined || op.outcome._tag !== "ok") continue
    if (!record.isDone) say(op.to, "answered although its entry could not be written")
    if (record.count > 1) say(op.to, `entered ${record.count} times`)
  }
}

const A2 = oracle("A2", "A user's access log has that user's entries only (Spec §1.7)", (known, say) => {
  const owners = new Map<string, string>()
  for (const op of known.trace.ops.values()) {
    if (op.name !== "readAccessLog" || op.outcome._tag !== "ok") continue
    const { userId } = op.args
    for (const { connectionId, id } of op.outcome.value.entries) {
      const connection = known.connections.get(connectionId)
      if (connection !== undefined && connection.userId !== userId) say(op.to, `${id} is about somebody else`)
      const owner = owners.get(id)
      if (owner !== undefined && owner !== userId) say(op.to, `${id} is in two logs`)
      owners.set(id, userId)
    }
  }
})

const A3 = oracle(
  "A3",
  "An event that was withheld because it was too old, at the first attempt or at a retry, is entered once (Spec §4.6.8, decision M10)",
  (known, say, run) => {
    if (!run.quiesced) return
    const rows = new Map<string, OpOf<"readDeliveries">>()
    for (const op of known.trace.ops.values()) {
      if (op.name === "readDeliveries" && op.outcome._tag === "ok") rows.set(op.args.appId, op)
    }
    const end = run.entries.at(-1)
    if (end === undefined) return
    const entered = new Map<string, number>()
    const anyhow = new Map<string, number>()
    for (const { outcome } of lastReadings(known).values()) {
      for (const { appId, at, endpoint, error } of outcome.value.entries) {
        if (at <= end.t - UNDELIVERED_KEPT) continue
        const key = `${appId} ${endpoint}`
        anyhow.set(key, (anyhow.get(key) ?? 0) + 1)
        if (error === "too_old") entered.set(key, (entered.get(key) ?? 0) + 1)
      }
    }
    const isCalm = known.trace.isCalm(0, end.i)
    // The delivery log does not contain events that went to a listener, so the oracle does not judge an app that has a
    // listener.
    const listened = new Set(
      [...known.trace.ops.values()].flatMap((op) => (op.name === "listen" ? [op.args.appId] : []))
    )
    for (const [appId, op] of rows) {
      if (op.outcome._tag !== "ok" || listened.has(appId)) continue
      const withheld = new Map<string, Set<string>>()
      const others = new Map<string, Set<string>>()
      const { deliveries } = op.outcome.value
      const sent = new Set(deliveries.flatMap(({ attempts, eventId }) => (attempts.length > 0 ? [eventId] : [])))
      for (const { attempts, eventId, isReplay, occurredAt, state, type } of deliveries) {
        if (occurredAt <= end.t - UNDELIVERED_KEPT) continue
        // When a delivery is too old at a retry, the access log gets a second entry of this delivery, after the entry
        // of the earlier attempt. A delivery without attempts has no entry if the delivery is a replay, or if another
        // endpoint got the event.
        const isEntered = attempts.length > 0 || !(isReplay || sent.has(eventId))
        const kind = state === "too_old" && isEntered ? withheld : others
        kind.set(type, (kind.get(type) ?? new Set()).add(eventId))
      }
      for (const type of new Set([...withheld.keys(), ...types(entered, appId)])) {
        const events = withheld.get(type)?.size ?? 0
        const count = entered.get(`${appId} webhook ${type}`) ?? 0
        // A worker may have written into the access log that an event was sent, and died before the POST. If the event
        // was too old when the next worker tried to send it, the log has no entry that says that the event was
        // withheld. So after a fault like this, the oracle counts entries of any kind for events of this type.
        const least = isCalm ? count : (anyhow.get(`${appId} webhook ${type}`) ?? 0)
        if (least < events) say(op.to, `${events} ${type} were withheld, ${count} are in the access log`)
        // A worker may have written into the access log that an event was too old, and died before it stored the end of
        // the delivery. If another worker then ended the delivery in another way, for example as delivered, the access
        // log has more of these entries than the delivery log has deliveries that were too old.
        const most = events + (isCalm ? 0 : (others.get(type)?.size ?? 0))
        if (count > most) say(op.to, `${events} ${type} were withheld, ${count} are in the access log`)
      }
    }
  }
)

const types = (entered: ReadonlyMap<string, number>, appId: string): ReadonlyArray<string> =>
  [...entered.keys()].flatMap((key) =>
    key.startsWith(`${appId} webhook `) ? [key.slice(`${appId} webhook `.length)] : []
  )

const A4 = oracle("A4", "No entry is lost when a process dies (Spec §1.7)", (known, say) => {
  const readings = lastReadings(known)
  const calls = callsOf(known)
  for (const [userId, reading] of readings) {
    const { missing } = compare(known, reading, calls.get(userId) ?? [])
    for (const { op } of missing) {
      if (known.trace.crashed(op.from, reading.from))
        say(reading.to, `the entry of ${op.args.request.endpoint} was lost in a crash`)
    }
  }
  lostWrites(known, readings, say)
})

/**
 * Reports each entry that the store confirmed, and that is missing when the user reads the log after a program crashed.
 * `recordUnless` stores no new entry when the log already has an entry with a key of `unless`. Then the log must have
 * that entry instead.
 */
const lostWrites = (known: Knowledge, readings: ReadonlyMap<string, Reading>, say: Say): void => {
  const read = new Map<string, ReadonlySet<string>>()
  for (const [userId, { outcome }] of readings) read.set(userId, new Set(outcome.value.entries.map(({ id }) => id)))
  for (const entry of known.trace.entries) {
    if (entry.kind !== "port" || entry.outcome !== "ok") continue
    if (!isRecord(entry) && !(entry.port === "AccessLogStore" && entry.method === "recordUnless")) continue
    const { args } = entry
    if (typeof args !== "object" || args === null || !("id" in args) || !("userId" in args) || !("at" in args)) continue
    const reading = typeof args.userId === "string" ? readings.get(args.userId) : undefined
    if (reading === undefined || typeof args.id !== "string" || typeof args.at !== "number") continue
    if (entry.i > reading.from || args.at < known.trace.latest(reading.to) - (LOG_KEPT - DAY)) continue
    const ids = [args.id, ...("unless" in args ? idsOf(args.unless) : [])]
    const isThere = ids.some((id) => typeof args.userId === "string" && read.get(args.userId)?.has(id) === true)
    if (!isThere && known.trace.crashed(entry.i, reading.from)) say(reading.to, `${args.id} was lost in a crash`)
  }
}

/** The ids of the keys that a call of `recordUnless` names. */
const idsOf = (keys: unknown): ReadonlyArray<string> =>
  Array.isArray(keys) ? keys.flatMap((key: unknown) => textOf(recordOf(key)?.["id"]) ?? []) : []

export const accessLog: ReadonlyArray<Oracle> = [A1, A2, A3, A4]
