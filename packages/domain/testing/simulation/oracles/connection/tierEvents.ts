import type { Oracle } from "../../Oracle.js"
import type { Written } from "../support/trace/Pending.js"
import { alive, type Connection, type Grant } from "../support/Connections.js"
import { happened, type Post, textOf, timeOf } from "../support/trace/Happened.js"
import type { Knowledge } from "../support/Knowledge.js"
import { oracle, type Say } from "../support/trace/oracle.js"
import { DAY, GRACE, HOUR, MINUTE, SWEEP, WARNING_DAYS } from "../../Specification.js"
import type { Run } from "../../Oracle.js"

/** Oracles of the events that tell apps about the sensitive tier (Spec §6.1-6.3). */

type Type = "sensitive.expiring" | "sensitive.lapsed" | "sensitive.removed"
const TYPES: ReadonlySet<string> = new Set(["sensitive.expiring", "sensitive.lapsed", "sensitive.removed"])

interface TierEvent {
  readonly connection: Connection
  readonly type: Type
  readonly eventId: string
  /** The end date of the sensitive tier to which the event belongs. */
  readonly date: number
  readonly daysLeft: number | null
  /** The time at which the event is due, in milliseconds since 1970. */
  readonly moment: number
  readonly occurredAt: number
  /** The first POST of the event. */
  readonly post: Post
}

const tierEventsOf = (known: Knowledge, run: Run): ReadonlyArray<TierEvent> => {
  const found = new Map<string, TierEvent>()
  for (const post of happened(run).posts) {
    const { body } = post
    const type = textOf(body["type"]) ?? ""
    const eventId = textOf(body["event_id"])
    const connection = known.connections.get(textOf(body["grant_id"]) ?? "")
    const occurredAt = timeOf(body["occurred_at"])
    if (!TYPES.has(type) || eventId === undefined || connection === undefined || occurredAt === undefined) continue
    if (found.has(eventId)) continue
    const date = type === "sensitive.removed" ? occurredAt - GRACE : timeOf(body["sensitive_expires_at"])
    if (date === undefined) continue
    const daysLeft = typeof body["days_left"] === "number" ? body["days_left"] : null
    const moment =
      type === "sensitive.removed" ? date + GRACE : type === "sensitive.lapsed" ? date : date - (daysLeft ?? 0) * DAY
    found.set(eventId, { connection, type: type as Type, eventId, date, daysLeft, moment, occurredAt, post })
  }
  return [...found.values()]
}

const keyOf = ({
  connection,
  date,
  daysLeft,
  type
}: Pick<TierEvent, "connection" | "date" | "daysLeft" | "type">): string =>
  `${connection.id} ${type} ${daysLeft ?? ""} ${date}`

/** The longest time that an event waits for its POST while no fault strikes. */
const QUEUE = 2 * MINUTE
/**
 * The oracle judges the delay of an event only if no fault struck for this long before the event was due, so that the
 * effects of earlier faults are over.
 */
const BEFORE = 2 * HOUR

const S5 = oracle(
  "S5",
  "Each event of the sensitive tier comes once for a date, at its moment or up to 15 minutes later (Spec §6.3.1, §6.3.2)",
  (known, say, run) => {
    const seen = new Map<string, TierEvent>()
    for (const event of tierEventsOf(known, run)) {
      const { connection, date, daysLeft, moment, occurredAt, post, type } = event
      const before = seen.get(keyOf(event))
      if (before !== undefined) say(post.i, `${type} for the second time for one date`)
      seen.set(keyOf(event), event)
      if (type === "sensitive.expiring" && daysLeft !== 14 && daysLeft !== 7) say(post.i, `days_left is ${daysLeft}`)
      if (occurredAt !== moment) say(post.i, "occurred_at is not its moment")
      if (!grants(connection).some(({ value }) => dates(value, date))) say(post.i, "a date that nobody chose")
      if (type === "sensitive.lapsed" && timeOf(post.body["renewal_grace_ends_at"]) !== date + GRACE) {
        say(post.i, "the grace is not 14 days")
      }
      if (!known.trace.wentBack && post.endedAt + known.trace.skewMs < moment) say(post.i, "before its moment")
      const isCalm = known.trace.isCalmSince(moment - BEFORE, post.i)
      const isPassed = grants(connection).every(({ value }) => value.by.tMin > moment)
      if (isCalm && !isPassed && post.beganAt > moment + SWEEP + QUEUE) say(post.i, "more than 15 minutes late")
    }
    missing(known, run, seen, say)
  }
)

const grants = (connection: Connection): ReadonlyArray<Written<Grant>> => connection.grant.candidates(-1, Infinity)

const dates = ({ sensitive }: Grant, date: number): boolean =>
  sensitive === undefined || (sensitive !== null && sensitive.min <= date && date <= sensitive.max)

const isSameDate = (one: Grant, other: Grant): boolean =>
  one.scopes !== undefined && JSON.stringify(one.sensitive ?? null) === JSON.stringify(other.sensitive ?? null)

/**
 * Reports each event that was due and did not come, although no fault struck and the app had an endpoint that certainly
 * gets the event.
 */
const missing = (known: Knowledge, run: Run, seen: ReadonlyMap<string, TierEvent>, say: Say): void => {
  const last = run.entries.at(-1)
  const isWorking = run.entries.some(({ proc }) => proc.startsWith("worker"))
  if (last === undefined || !isWorking || known.trace.wentBack) return
  const listening = listeners(known, run)
  for (const connection of known.connections.values()) {
    const since = listening.get(connection.appId)
    if (since === undefined) continue
    for (const { certain, value } of grants(connection)) {
      const { by, scopes, sensitive } = value
      if (!certain || scopes === undefined || sensitive === undefined || sensitive === null) continue
      if (sensitive.min !== sensitive.max) continue
      const date = sensitive.min
      for (const [type, moment, daysLeft] of [
        ...WARNING_DAYS.map((days) => ["sensitive.expiring", date - days * DAY, days] as const),
        ["sensitive.lapsed", date, null],
        ["sensitive.removed", date + GRACE, null]
      ] as const) {
        const end = moment + SWEEP + QUEUE
        // The service sends an event that is due exactly at the consent, and skips an event that was due before the
        // consent.
        if (moment < by.tMin || seen.has(keyOf({ connection, type, date, daysLeft }))) continue
        const from = Math.max(known.trace.firstAt(moment), by.to)
        const to = known.trace.firstAt(end)
        if (to >= run.entries.length || since.from > known.trace.firstAt(moment) || since.until < to) continue
        if (!known.trace.isCalmSince(moment - BEFORE, to)) continue
        const inForce = connection.grant.candidates(from, to)
        // If a change of the grant keeps the end date of the sensitive tier, the events about this date are still due.
        if (inForce.some((now) => now.value !== value && !isSameDate(now.value, value))) continue
        const span = { from, to, tMin: moment, tMax: end }
        if (alive(known.trace, known.apps, connection, span).life !== "live") continue
        say(to, `no ${type} ${daysLeft ?? ""} within 15 minutes of its moment`)
      }
    }
  }
}

/**
 * For each app, the part of the trace in which one of the app's endpoints certainly gets every event: the endpoint
 * subscribes to all events, nobody changes the endpoint, and its receiver answers every POST with 2xx.
 */
const listeners = (
  known: Knowledge,
  run: Run
): ReadonlyMap<string, { readonly from: number; readonly until: number }> => {
  const failing = new Map<string, number>()
  for (const { i, reply, url } of happened(run).posts) {
    const isWell = typeof reply === "number" && reply >= 200 && reply < 300
    if (!isWell && !failing.has(url)) failing.set(url, i)
  }
  const changed = new Map<string, number>()
  for (const op of known.trace.ops.values()) {
    if ((op.name === "editEndpoint" || op.name === "removeEndpoint") && !changed.has(op.args.endpointId)) {
      changed.set(op.args.endpointId, op.from)
    }
  }
  const found = new Map<string, { from: number; until: number }>()
  for (const op of known.trace.ops.values()) {
    if (op.name !== "createEndpoint" || op.outcome._tag !== "ok" || op.args.events.length > 0) continue
    const until = Math.min(failing.get(op.args.url) ?? Infinity, changed.get(op.outcome.value.endpointId) ?? Infinity)
    const before = found.get(op.args.appId)
    if (before === undefined || before.until < until) found.set(op.args.appId, { from: op.to, until })
  }
  return found
}

const S6 = oracle("S6", "A connection that was renewed in time never lapses (Spec §6.3.2)", (known, say, run) => {
  if (known.trace.wentBack) return
  for (const { connection, date, moment, post, type } of tierEventsOf(known, run)) {
    if (type === "sensitive.expiring") continue
    const at = known.trace.firstAt(moment)
    const current = connection.grant.read(at, at)
    if (current.length > 0 && !current.some((grant) => dates(grant, date))) {
      say(post.i, `${type} for a date that was replaced before`)
    }
  }
})

const S7 = oracle(
  "S7",
  "A warning whose moment lies before the consent is skipped (Spec §6.3.3)",
  (known, say, run) => {
    for (const { connection, date, moment, post, type } of tierEventsOf(known, run)) {
      if (type !== "sensitive.expiring") continue
      const chosen = grants(connection).filter(({ value }) => dates(value, date))
      if (chosen.length > 0 && chosen.every(({ value }) => value.by.tMin > moment)) {
        say(post.i, "a warning that had passed at the consent")
      }
    }
  }
)

export const tierEvents: ReadonlyArray<Oracle> = [S5, S6, S7]
