import { DateTime, Duration, Option } from "effect"
import type { Name, Operation, Ended } from "../../../Operations.js"
import type { Run } from "../../../Oracle.js"
import type { Fault, StreamEntry, Posted, PortCall } from "../../../Trace.js"
import { LEASE } from "../../../Specification.js"

/** The operations of a run, each with its end, and the POSTs, each with the time at which its answer was complete. */

export interface CompletedCall<N extends Name = Name> {
  readonly name: N
  readonly args: Operation<N>["args"]
  /**
   * The numbers (`i`) of the entries with which the operation began and ended. The end is Infinity when the trace has
   * none.
   */
  readonly begin: number
  readonly end: number
  readonly beganAt: number
  readonly endedAt: number
  readonly outcome: Ended<N> | null
}

export type Post = Posted & {
  readonly i: number
  readonly proc: string
  readonly beganAt: number
  readonly endedAt: number
}
/** An event that came over the stream of a listener. */
export type StreamedEvent = Post & { readonly listenerId: string }
/** The end of a stream, or a message that says how many events the service dropped for the listener. */
export type StreamNotice = StreamEntry & { readonly i: number; readonly t: number }
type Struck = Fault & { readonly i: number; readonly t: number; readonly proc: string }
type Called = PortCall & { readonly i: number; readonly t: number; readonly proc: string }

export interface Happened {
  readonly all: ReadonlyArray<CompletedCall>
  readonly of: <N extends Name>(name: N) => ReadonlyArray<CompletedCall<N>>
  readonly posts: ReadonlyArray<Post>
  readonly streamed: ReadonlyArray<StreamedEvent>
  readonly streamNotices: ReadonlyArray<StreamNotice>
  /** The events that receivers got by POST and listeners over a stream, in the order of the trace. */
  readonly received: ReadonlyArray<Post>
  readonly calls: ReadonlyArray<Called>
  readonly faults: ReadonlyArray<Struck>
  /**
   * A worker first checks whether an event may be sent, and then sends the POST. This is the longest time between the
   * two, in milliseconds: 0 when only faults of `OUTSIDE` struck, otherwise the 30 s of a delivery's lease.
   */
  readonly slackMs: number
  /**
   * The largest difference between a process's clock and the times of the trace, in milliseconds; 0 when no clock was
   * skewed.
   */
  readonly skewMs: number
  readonly quiesced: boolean
}

const known = new WeakMap<Run, Happened>()

export const happened = (run: Run): Happened => {
  const found = known.get(run)
  if (found !== undefined) return found
  const made = read(run)
  known.set(run, made)
  return made
}

/**
 * The largest difference between a process's clock and the times of the trace, in milliseconds. An operation may have
 * used a clock with this difference.
 */
export const skewOf = (entries: Run["entries"]): number =>
  entries.reduce(
    (most, entry) =>
      entry.kind === "fault" && entry.fault === "clock.skew"
        ? Math.max(most, Math.abs(Number(entry.detail.split(" ")[1])))
        : most,
    0
  )

/**
 * Faults that disturb neither programs nor the database. These faults include a rotation of keys, because no program
 * notices the rotation.
 */
export const OUTSIDE: ReadonlySet<Fault["fault"]> = new Set<Fault["fault"]>([
  "heal",
  "upload.duplicate",
  "upload.reorder",
  "receiver.late",
  "mail.bounce",
  "keys.rotate"
])

const read = ({ entries, quiesced }: Run): Happened => {
  const skewMs = skewOf(entries)
  const open = new Map<number, CompletedCall>()
  const posts: Array<Post> = []
  const streamed: Array<StreamedEvent> = []
  const streamNotices: Array<StreamNotice> = []
  const received: Array<Post> = []
  const calls: Array<Called> = []
  const faults: Array<Struck> = []
  for (const entry of entries) {
    if (entry.kind === "begun") {
      const { args, i, name, t } = entry
      open.set(i, { name, args, begin: i, end: Infinity, beganAt: t - skewMs, endedAt: Infinity, outcome: null })
    } else if (entry.kind === "done") {
      const operation = open.get(entry.op)
      if (operation !== undefined)
        open.set(entry.op, { ...operation, end: entry.i, endedAt: entry.t + skewMs, outcome: entry.outcome })
    } else if (entry.kind === "posted") {
      const post: Post = { ...entry, beganAt: entry.t, endedAt: entry.t + entry.tookMs }
      posts.push(post)
      received.push(post)
    } else if (entry.kind === "heard") {
      const { i, listenerId, message, proc, t } = entry
      if (message._tag === "Event") {
        const { _tag, ...signed } = message
        const came = { kind: "posted", url: "", reply: 200, tookMs: 0, i, proc, beganAt: t, endedAt: t } as const
        const event: StreamedEvent = { ...came, ...signed, listenerId }
        streamed.push(event)
        received.push(event)
      } else streamNotices.push(entry)
    } else if (entry.kind === "port") calls.push(entry)
    else if (entry.kind === "fault") faults.push(entry)
  }
  const all = [...open.values()]
  const byName = new Map<Name, Array<CompletedCall>>()
  for (const operation of all) {
    const same = byName.get(operation.name)
    if (same === undefined) byName.set(operation.name, [operation])
    else same.push(operation)
  }
  const isSmooth = faults.every(({ fault }) => OUTSIDE.has(fault))
  return {
    all,
    of: <N extends Name>(name: N) => (byName.get(name) ?? []) as unknown as ReadonlyArray<CompletedCall<N>>,
    posts,
    streamed,
    streamNotices,
    received,
    calls,
    faults,
    slackMs: isSmooth ? 0 : LEASE,
    skewMs,
    quiesced
  }
}

/** Whether the operation certainly took effect. */
export const isDone = ({ name, outcome }: CompletedCall): boolean => {
  if (outcome === null || outcome._tag !== "ok") return false
  return name !== "call" || statusOf(outcome) < 300
}

/**
 * Whether the operation may have taken effect. This is so in each of these cases:
 *
 * - The operation certainly took effect.
 * - Its outcome is unknown.
 * - The trace has no end of the operation.
 * - The service answered a call with a status of 500 or more.
 */
export const mayBeDone = (operation: CompletedCall): boolean => {
  const { name, outcome } = operation
  if (outcome === null || outcome._tag === "unknown" || isDone(operation)) return true
  return name === "call" && outcome._tag === "ok" && statusOf(outcome) >= 500
}

const statusOf = ({ value }: { readonly value: unknown }): number => (value as { readonly status: number }).status

/** Whether `one` had ended before `other` began. */
export const isBefore = (one: { readonly end: number }, other: { readonly begin: number }): boolean =>
  one.end < other.begin

/** The time in milliseconds since 1970; undefined when the value is no time. */
export const timeOf = (value: unknown): number | undefined => {
  if (typeof value === "number") return value
  if (typeof value !== "string") return undefined
  return Option.getOrUndefined(Option.map(DateTime.make(value), DateTime.toEpochMillis))
}

/** The time in ISO 8601, for people to read. A value that is no time is returned as text. */
export const isoOf = (millis: number | null | undefined): string =>
  Option.match(typeof millis === "number" ? DateTime.make(millis) : Option.none(), {
    onNone: () => String(millis),
    onSome: DateTime.formatIso
  })

/** A duration for people to read, such as `1h 4m 5s 20ms`. */
export const spanOf = (millis: number): string =>
  `${millis < 0 ? "-" : ""}${Duration.format(Duration.millis(Math.abs(millis)))}`

export const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

export const is = <N extends CompletedCall["name"]>(operation: CompletedCall, name: N): operation is CompletedCall<N> =>
  operation.name === name
