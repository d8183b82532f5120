import type { Ended, Name, Operation } from "../../../Operations.js"
import type { Run } from "../../../Oracle.js"
import type { Entry } from "../../../Trace.js"
import { OUTSIDE, skewOf } from "./Happened.js"

/** When something happened: between which entries of the trace, and between which times of the clock. */
export interface Span {
  /** The number (`i`) of the entry with which the span begins. */
  readonly from: number
  /** The number (`i`) of the entry with which the span ends; Infinity when the trace does not show the end. */
  readonly to: number
  /**
   * The earliest and the latest time that the clock may have shown between `from` and `to`. Unlimited when somebody
   * set the clock during the span.
   */
  readonly tMin: number
  readonly tMax: number
}

/** The `Span` of a value that has further fields. */
export const spanOf = ({ from, tMax, tMin, to }: Span): Span => ({ from, to, tMin, tMax })

/** An operation from its beginning to its end. If the trace has no end of the operation, `outcome` is `unknown`. */
export type Op = {
  [N in Name]: Span & {
    readonly name: N
    readonly actor: string
    readonly args: Operation<N>["args"]
    readonly outcome: Ended<N>
  }
}[Name]
export type OpOf<N extends Name> = Extract<Op, { readonly name: N }>

/** The trace with an index. The index is made once for each run, and all oracles share it. */
export interface Indexed {
  readonly entries: ReadonlyArray<Entry>
  /**
   * The operations in the order in which they began. The key is the number (`i`) of the entry that began the operation.
   */
  readonly ops: ReadonlyMap<number, Op>
  /** The operations that ended. The key is the number (`i`) of the entry that ended the operation. */
  readonly ended: ReadonlyMap<number, Op>
  /**
   * The latest time that the clock showed in any entry up to and including entry `i`. An end date that is not later may
   * have taken effect, even if the clock was set back afterwards.
   */
  readonly latest: (i: number) => number
  /**
   * Whether all went well from the entry `i` to the entry `j`: no fault struck except those in `OUTSIDE`, no program
   * was paused or down, every port call succeeded, and no operation had an unknown outcome.
   */
  readonly isCalm: (i: number, j: number) => boolean
  /**
   * Whether all went well from the time `t` until the entry `j`: no fault, no program paused or down, no failed call
   * (as for `isCalm`). A jump of the clock forward past `t` also counts as a fault.
   */
  readonly isCalmSince: (t: number, j: number) => boolean
  readonly crashed: (i: number, j: number) => boolean
  /**
   * Whether somebody set the clock between the entries `i` and `j`. Then the times before and after do not show the
   * order of events.
   */
  readonly clockWasSet: (i: number, j: number) => boolean
  /**
   * The number (`i`) of the earliest entry such that the clock had shown `t` or a later time at or before this entry.
   * If the clock never showed such a time: the number of entries in the trace.
   */
  readonly firstAt: (t: number) => number
  /**
   * The largest difference between a process's clock and the times of the trace, in milliseconds; 0 when no clock was
   * skewed.
   */
  readonly skewMs: number
  /** Whether the clock was ever set back during the run. */
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
  /**
   * The programs that are paused or down at this entry. A program that is paused or down writes no entries. So while a
   * program is in this set, each entry that another program writes counts as an entry at which a fault struck.
   */
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
    // If a program dies while it is paused, the trace has no entry `wake` for the program, only an entry `restart`.
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
      // The compiler cannot infer that the name, the arguments and the outcome belong to one operation.
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

/**
 * The program that a crash ended. If the scenario killed the program, `detail` has its name. Otherwise the crash struck
 * at a call of the program, so `proc` has its name.
 */
const victimOf = ({ detail, proc }: { readonly detail: string; readonly proc: string }): string =>
  proc === "world" ? detail : proc.replace(/-\d+$/, "")

const isTrouble = (entry: Entry): boolean =>
  entry.kind === "fault"
    ? !OUTSIDE.has(entry.fault)
    : entry.kind === "port"
      ? entry.outcome !== "ok"
      : entry.kind === "done" && entry.outcome._tag === "unknown"

/** Whether `indexes`, which are ascending, contain a number between `from` and `to`, both included. */
const any = (indexes: ReadonlyArray<number>, from: number, to: number): boolean => {
  const next = indexes[search(indexes.length, (k) => (indexes[k] ?? Infinity) >= from)]
  return next !== undefined && next <= to
}

/**
 * Binary search: the smallest `k` from 0 to `length` for which `holds(k)`; `length` when there is none. If `holds` is
 * true for a number, it must be true for all larger numbers.
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
