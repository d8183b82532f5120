import type { DeliveryRow } from "../Operations.js"
import type { Oracle, Run } from "../Oracle.js"
import { caps, deliveryLogs, type Rows, sendingOf } from "./support/deliveries/Deliveries.js"
import { isUndisturbed, overSent, redeliveries } from "./support/deliveries/OverSent.js"
import { happened, textOf } from "./support/trace/Happened.js"
import { ascending } from "./support/trace/into.js"
import type { Knowledge } from "./support/Knowledge.js"
import { lastReadings } from "./support/Log.js"
import type { OpOf } from "./support/trace/Ops.js"
import { oracle, type Say } from "./support/trace/oracle.js"
import { ATTEMPTS, DAY, DELIVERED_KEPT, LOG_KEPT, SECOND } from "../Specification.js"
import { Y3 } from "./strikes.js"

/** Oracles of deliveries that a developer sends again by hand (Spec §3.4, §3.5, §4.7). */

const Y1 = oracle(
  "Y1",
  "Redeliver is refused while the row is being tried, when its endpoint is disabled or removed, and when the event is too old (Spec §3.5, §4.7)",
  (known, say, run) => {
    const cap = caps(known, run)
    const removed = removals(known)
    for (const log of deliveryLogs(known)) {
      for (const op of redeliveries(known, log.appId)) {
        const from = log.rows.get(op.args.deliveryId)
        if (op.outcome._tag !== "ok" || from === undefined) continue
        const gone = removed.get(from.endpointId)
        if (gone !== undefined && gone < op.from) say(op.to, "redelivered to an endpoint that was removed")
        if (from.state === "too_old" && (from.endedAt ?? Infinity) < op.tMin) say(op.to, "redelivered although too old")
      }
      for (const sending of log.sendings.values()) judgeSending(known, log, sending, cap, say)
      whileDisabled(known, log, say)
    }
  }
)

const removals = (known: Knowledge): ReadonlyMap<string, number> => {
  const found = new Map<string, number>()
  for (const op of known.trace.ops.values()) {
    if (op.name === "removeEndpoint" && op.outcome._tag === "ok") found.set(op.args.endpointId, op.to)
  }
  return found
}

/**
 * Reports each replay that was made while another delivery of the event was in progress, or when the event was too old.
 */
const judgeSending = (
  known: Knowledge,
  { last }: Rows,
  sending: ReadonlyArray<DeliveryRow>,
  cap: ReadonlyMap<string, number>,
  say: Say
): void => {
  if (known.trace.wentBack) return
  // One machine may have written the end of a delivery, and another machine the creation of its replay. Their clocks
  // may differ (decision simulation-1), so the trace may date the replay too early, by at most `slack`.
  const slack = 2 * known.trace.skewMs
  let until = -Infinity
  // If two rows have the same time of creation, the row that ended first was created first.
  const inOrder = sending.toSorted(
    (a, b) => ascending(a.createdAt, b.createdAt) || ascending(a.endedAt ?? Infinity, b.endedAt ?? Infinity)
  )
  for (const { createdAt, deliveryId, endedAt, eventId, isReplay, occurredAt } of inOrder) {
    const limit = cap.get(eventId)
    if (isReplay && createdAt + slack < until) say(last.to, `${deliveryId} was made while the event was being tried`)
    if (isReplay && limit !== undefined && createdAt - occurredAt > limit * SECOND + slack) {
      say(last.to, `${deliveryId} was made when the event was too old`)
    }
    until = Math.max(until, endedAt ?? Infinity)
  }
}

/**
 * Reports each replay that was made while its endpoint was disabled. If `readEndpoints` shows the time `disabledAt`,
 * the endpoint was disabled from that time until the read.
 */
const whileDisabled = (known: Knowledge, log: Rows, say: Say): void => {
  if (known.trace.wentBack) return
  const slack = 2 * known.trace.skewMs
  const reportedIds = new Set<string>()
  for (const op of known.trace.ops.values()) {
    if (op.name !== "readEndpoints" || op.outcome._tag !== "ok" || op.args.appId !== log.appId) continue
    for (const { disabledAt, endpointId } of op.outcome.value.endpoints) {
      if (disabledAt === null) continue
      for (const row of log.rows.values()) {
        if (row.endpointId !== endpointId || !row.isReplay || reportedIds.has(row.deliveryId)) continue
        if (row.createdAt <= disabledAt + slack || row.createdAt >= op.tMin) continue
        reportedIds.add(row.deliveryId)
        say(op.to, `${row.deliveryId} was made while the endpoint was disabled`)
      }
    }
  }
}

const Y2 = oracle(
  "Y2",
  "A replay is a new row, which has the event and endpoint of the original and says that it is a replay; the original says that it was replayed (Spec §4.7)",
  (known, say) => {
    for (const log of deliveryLogs(known)) {
      const own = new Set<string>()
      let unknown = 0
      for (const op of redeliveries(known, log.appId)) {
        if (op.outcome._tag === "unknown") unknown++
        if (op.outcome._tag !== "ok") continue
        own.add(op.outcome.value.deliveryId)
        replayOf(known, log, op, op.outcome.value.deliveryId, say)
      }
      for (const op of known.trace.ops.values()) {
        if (op.name !== "recover" || op.args.appId !== log.appId) continue
        if (op.outcome._tag === "ok") unknown += op.outcome.value.queued
        else if (op.outcome._tag === "unknown") unknown = Infinity
      }
      const others = [...log.rows.values()].filter(({ deliveryId, isReplay }) => isReplay && !own.has(deliveryId))
      if (others.length > unknown) say(log.last.to, `${others.length} replays of which ${unknown} were asked for`)
    }
  }
)

const replayOf = (known: Knowledge, log: Rows, op: OpOf<"redeliver">, id: string, say: Say): void => {
  if (id === op.args.deliveryId) say(op.to, "a replay is the same row again")
  // The log keeps a row for at least a week, so the row of an older replay may be gone.
  if (log.last.from < op.to || known.trace.latest(log.last.to) - op.tMin > DELIVERED_KEPT - DAY) return
  const original = log.rows.get(op.args.deliveryId)
  const replay = log.rows.get(id)
  if (replay === undefined) return say(log.last.to, `the replay ${id} is no row`)
  if (!replay.isReplay) say(log.last.to, `${id} does not say that it is a replay`)
  if (original === undefined) return
  // The row `original` may come from an earlier read of the log, before the replay was made. So the row must show the
  // replay only if the last read of the log also contains the row.
  const isKept = log.last.outcome._tag === "ok" && log.last.outcome.value.deliveries.includes(original)
  if (isKept && !original.isReplayed) say(log.last.to, `${original.deliveryId} does not say that it was replayed`)
  if (replay.eventId !== original.eventId) say(log.last.to, `${id} has another event_id than ${original.deliveryId}`)
  if (replay.endpointId !== original.endpointId) say(log.last.to, `${id} went to another endpoint`)
}

const Y4 = oracle(
  "Y4",
  "Retry now brings the next attempt forward: no extra attempt, no second copy (Spec §4.7)",
  (known, say, run) => {
    const isWhole = isUndisturbed(known, run)
    for (const log of deliveryLogs(known)) {
      const judged = new Set<string>()
      for (const op of known.trace.ops.values()) {
        if (op.name !== "retryNow" || op.args.appId !== log.appId || op.outcome._tag !== "ok") continue
        const row = log.rows.get(op.args.deliveryId)
        if (row === undefined || judged.has(row.deliveryId)) continue
        judged.add(row.deliveryId)
        const numbers = row.attempts.map(({ attempt }) => attempt)
        if (new Set(numbers).size < numbers.length) say(log.last.to, `${row.deliveryId} has an attempt twice`)
        if (Math.max(row.attempt, ...numbers) > ATTEMPTS) say(log.last.to, `${row.deliveryId} has more than 7 attempts`)
        const rows = log.sendings.get(sendingOf(row.endpointId, row.eventId)) ?? []
        if (rows.filter(({ isReplay }) => !isReplay).length > 1) say(log.last.to, `${row.eventId} is queued twice`)
        // `sendings` has no deliveries of test events, so for a test event the numbers of POSTs and attempts cannot be
        // compared.
        const excess = isWhole && !row.isTest ? overSent(known, run, log, rows) : undefined
        if (excess !== undefined) say(log.last.to, excess)
      }
    }
  }
)

/**
 * Whether an event of this type has an entry in the access log. Firings of rules and the event `places.changed` have an
 * entry.
 */
const isLogged = (type: string): boolean =>
  type.startsWith("place.") || type.startsWith("zone.") || type === "places.changed"

const Y5 = oracle(
  "Y5",
  "An event is one entry of the user's access log, also when it is sent again (Spec §4.7)",
  (known, say, run) => {
    const end = run.entries.at(-1)
    const start = run.entries[0]
    if (end === undefined || start === undefined || end.t - start.t > LOG_KEPT - 10 * DAY) return
    const isCalm = known.trace.isCalm(0, end.i)
    const posted = postedEvents(known, run)
    const rows = new Map<string, Set<string>>()
    for (const { rows: all } of deliveryLogs(known)) {
      for (const { eventId, type } of all.values()) rows.set(type, (rows.get(type) ?? new Set()).add(eventId))
    }
    for (const [userId, reading] of lastReadings(known)) {
      const counts = new Map<string, number>()
      for (const { connectionId, endpoint, status } of reading.outcome.value.entries) {
        if (!endpoint.startsWith("webhook ") || status !== 200) continue
        const key = `${connectionId} ${endpoint.slice("webhook ".length)}`
        counts.set(key, (counts.get(key) ?? 0) + 1)
      }
      for (const [key, count] of counts) {
        const events = posted.get(key)?.events.size ?? 0
        const [, type = ""] = key.split(" ")
        // A worker may have written the log entry of an event and died before the POST. So after a fault like this, the
        // access log may have more entries for events than events were sent.
        const slack = isCalm ? 0 : (rows.get(type)?.size ?? Infinity)
        if (count > events + slack) say(reading.to, `${count} entries of ${events} events of type ${type}`)
      }
      for (const [key, { before, userId: owner }] of posted) {
        const events = before(reading.from)
        const count = counts.get(key) ?? 0
        if (owner === userId && count < events)
          say(reading.to, `${count} entries of ${events} events that were sent (${key})`)
      }
    }
  }
)

const postedEvents = (known: Knowledge, run: Run) => {
  const found = new Map<string, { userId: string; events: Map<string, number>; before: (i: number) => number }>()
  for (const { body, i } of happened(run).received) {
    const eventId = textOf(body["event_id"])
    const type = textOf(body["type"]) ?? ""
    const connection = known.connections.get(textOf(body["grant_id"]) ?? "")
    if (eventId === undefined || connection === undefined || !isLogged(type)) continue
    const key = `${connection.id} ${type}`
    const events = found.get(key)?.events ?? new Map<string, number>()
    if (!events.has(eventId)) events.set(eventId, i)
    found.set(key, {
      userId: connection.userId,
      events,
      before: (at) => [...events.values()].filter((first) => first < at).length
    })
  }
  return found
}

export const replays: ReadonlyArray<Oracle> = [Y1, Y2, Y3, Y4, Y5]
