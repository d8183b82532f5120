import type { Bench } from "./Bench.js"

/** What one round of one side shows. */
export interface Sample {
  /** Finished within `seconds`. */
  readonly operations: number
  readonly seconds: number
  /** Null where a round times no single operation. */
  readonly p50Ms: number | null
  readonly p99Ms: number | null
  /** User and system time of the measured process and its children; PostgreSQL's and the load client's are left out. */
  readonly cpuMicrosPerOp: number | null
  /** The same of the load client, where there is one: it takes its time from the cores that all share. */
  readonly clientCpuMicrosPerOp?: number
  /** The most memory that the measured process ever had resident (VmHWM). */
  readonly peakMB: number | null
}

/** Does one round of work. What it needs is there already: the same side is run once in every round, in turn with the others. */
export type Side = () => Promise<Sample>

/** The medians over the rounds. */
export interface Median {
  readonly opsPerS: number
  readonly p50Ms: number | null
  readonly p99Ms: number | null
  readonly cpuMicrosPerOp: number | null
  readonly clientCpuMicrosPerOp: number | null
  readonly peakMB: number | null
}

export interface Measured {
  readonly product: Median
  readonly baseline: Median | null
  readonly peers: Readonly<Record<string, Median>>
  /** Median over the rounds of product ÷ baseline in the same round. */
  readonly ratio: {
    readonly throughput: number | null
    readonly p50: number | null
    readonly p99: number | null
  }
  /** The same against each peer. */
  readonly peerRatios: Readonly<Record<string, number>>
}

/** One thing that is asked of a path. */
export interface Goal {
  /** As in the table: `throughput ≥ 0.7 × baseline`. */
  readonly says: string
  /** Undefined: it was not measured (a peer that was not installed). */
  readonly value: (measured: Measured) => number | undefined
  readonly isReached: (value: number) => boolean
}

export interface Comparison {
  /** Tells the comparisons of one row apart. */
  readonly label?: string
  readonly product: Side
  /** What the product is measured against; without one the goals are absolute. */
  readonly baseline?: Side
  readonly peers?: Readonly<Record<string, Side>>
  readonly goals: ReadonlyArray<Goal>
  /** Rounds that are not counted, until compilers and caches have done what they do; one without it. */
  readonly warmUpRounds?: number
  /** Printed beneath the table, after the last round: what limited it, for instance. */
  readonly notes?: () => ReadonlyArray<string>
}

/** A path of the product with what it is measured against. */
export interface Row {
  /** For `--only`: lower-case words joined by hyphens. */
  readonly name: string
  /** What is measured, in a few words. */
  readonly path: string
  /** What all of it takes with three rounds, set-up included. */
  readonly seconds: number
  /** Sets up databases and processes; `bench` takes them down again when the row is over, however it ends. */
  readonly open: (bench: Bench) => Promise<ReadonlyArray<Comparison>>
}
