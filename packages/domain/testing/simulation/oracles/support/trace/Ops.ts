import type { Ended, Name, Operation } from "../../../Operations.js"
import type { Run } from "../../../Oracle.js"
import type { Entry } from "../../../Trace.js"
import { OUTSIDE, skewOf } from "./Happened.js"

/** Between which entries of the trace, and between which times of the clock, something happened. */
export interface Span {
  /** `i` of the entry with which the operation began. */
  readonly from: number
  /** `i` of the entry with which the operation ended; Infinity when the trace has none. */
  readonly to: number
  /** The range of times that the clock may have shown from `from` to `to`; unlimited when the clock jumped. */
  readonly tMin: number
  readonly tMax: number
}

/** Copies the fields of `Span` from a value that has more fields. */
export const spanOf = ({ from, tMax, tMin, to }: Span): Span => ({ from, to, tMin, tMax })

/** An operation from its beginning to its end. An operation without an end has an unknown outcome. */
export type Op = {
  [N in Name]: Span & {
    readonly name: N
    readonly actor: string
    readonly args: Operation<N>["args"]
    readonly outcome: Ended<N>
  }
}[Name]
export type OpOf<N extends Name> = Extract<Op, { readonly name: N }>

/** The trace, indexed. The index is made once for a run and shared by all oracles. */
export interface Indexed {
  readonly entries: ReadonlyArray<Entry>
  /** The operations in the order in which they began. The key is the `i` of the entry that began the operation. */
  readonly ops: ReadonlyMap<number, Op>
  /** The operation that an entry ended, by the `i` of that entry. */
  readonly ended: ReadonlyMap<number, Op>
  /**
   * The latest time that the clock had shown up to and including entry `i`. A date that the clock once passed may have
   * had its effect.
   */
  readonly latest: (i: number) => number
  /** Whether no fault struck between entries `i` and `j`, and the effects of earlier faults were over. */
  readonly isCalm: (i: number, j: number) => boolean
  /**
   * Like `isCalm`, but from the time `t` on. When somebody set the clock forward past `t`, the jump counts as a fault,
   * too.
   */
  readonly isCalmSince: (t: number, j: number) => boolean
  readonly crashed: (i: number, j: number) => boolean
  /**
   * Whether somebody set the clock between `i` and `j`. Then times from before and after do not show what came first.
   */
  readonly clockWasSet: (i: number, j: number) => boolean
  /** The first entry by which the clock had shown `t` or a later time; the number of entries when it never has. */
  readonly firstAt: (t: number) => number
  /** The most by which a process's clock differed from the trace's; 0 when no clock was skewed. */
  readonly skewMs: number
  /** Whether the clock ever went back. */
  readonly wentBack: boolean
}

const cache = new WeakMap<Run, Indexed>()

export const index = (run: Run): Indexed => {
  const known = cache.get(run)
  if (known !== undefined) return known
  const made = make(run.entries)
  cache.set(run, made)
  return made
}

const make = (entries: ReadonlyArray<Entry>): Indexed => {
  const latest: Array<number> = []
  const jumps: Array<number> = []
  const broken: Array<number> = []
  const crashes: Array<number> = []
  const ends = new Map<number, number>()
  /** The programs that are paused or down. They write no entries, so every entry meanwhile counts as trouble. */
  const absent = new Set<string>()
  let wentBack = false
  entries.forEach((entry, at) => {
    const before = entries[at - 1]
    const isBack = before !== undefined && entry.t < before.t
    wentBack ||= isBack
    latest.push(Math.max(entry.t, latest.at(-1) ?? entry.t))
    if (isBack || (entry.kind === "fault" && entry.fault === "clock.jump")) jumps.push(entry.i)
    if (absent.size > 0 || isTrouble(entry)) broken.push(entry.i)
    if (entry.kind === "fault" && entry.fault === "process.pause") absent.add(entry.detail.split(" ")[0] ?? "")
    if (entry.kind === "fault" && entry.fault === "crash") absent.add(victimOf(entry))
    // A program that died while it was paused is started again and never wakes.
    if (entry.kind === "fault" && (entry.fault === "wake" || entry.fault === "restart")) absent.delete(entry.detail)
    if (entry.kind === "fault" && entry.fault === "crash") crashes.push(entry.i)
    if (entry.kind === "done") ends.set(entry.op, at)
  })

  const skewMs = skewOf(entries)
  const ops = new Map<number, Op>()
  const ended = new Map<number, Op>()
  for (const begun of entries) {
    if (begun.kind !== "begun") continue
    const at = ends.get(begun.i)
    const done = at === undefined ? undefined : entries[at]
    const to = done?.i ?? Infinity
    const jumped = any(jumps, begun.i, to)
    const op = {
      name: begun.name,
      actor: begun.actor,
      args: begun.args,
      outcome: done?.kind === "done" ? done.outcome : { _tag: "unknown", because: "crash" },
      from: begun.i,
      to,
      tMin: jumped ? -Infinity : begun.t - skewMs,
      tMax: jumped ? Infinity : (done?.t ?? Infinity) + skewMs
      // The compiler cannot infer that name, arguments and outcome belong to one operation.
    } as Op
    ops.set(begun.i, op)
    if (done !== undefined) ended.set(done.i, op)
  }

  const firstAt = (t: number) => search(latest.length, (k) => (latest[k] ?? Infinity) >= t)
  return {
    entries,
    ops,
    ended,
    latest: (i) => latest[Math.min(i, latest.length - 1)] ?? -Infinity,
    isCalm: (i, j) => !any(broken, i, j),
    isCalmSince: (t, j) => !any(broken, firstAt(t) - 1, j),
    crashed: (i, j) => any(crashes, i, j),
    clockWasSet: (i, j) => any(jumps, i, j),
    firstAt,
    skewMs,
    wentBack
  }
}

/** The program that a crash ended: the program that the scenario named, or at whose call the fault struck. */
const victimOf = ({ detail, proc }: { readonly detail: string; readonly proc: string }): string =>
  proc === "world" ? detail : proc.replace(/-\d+$/, "")

const isTrouble = (entry: Entry): boolean =>
  entry.kind === "fault"
    ? !OUTSIDE.has(entry.fault)
    : entry.kind === "port"
      ? entry.outcome !== "ok"
      : entry.kind === "done" && entry.outcome._tag === "unknown"

/** Whether one of the ascending `indexes` lies between `from` and `to`. */
const any = (indexes: ReadonlyArray<number>, from: number, to: number): boolean => {
  const next = indexes[search(indexes.length, (k) => (indexes[k] ?? Infinity) >= from)]
  return next !== undefined && next <= to
}

/**
 * Binary search: the smallest `k` from 0 to `length` for which `holds(k)`; `length` when there is none. `holds` must
 * not become false again once it is true.
 */
export const search = (length: number, holds: (k: number) => boolean): number => {
  let low = 0
  let high = length
  while (low < high) {
    const middle = (low + high) >> 1
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}
