import type { Bench } from "./Bench.js"

/** The figures of one round of one side (the product, its baseline or a peer). */
export interface Sample {
  /** The number of operations that finished within `seconds`. */
  readonly operations: number
  readonly seconds: number
  /**
   * The median latency of an operation. This field and `p99Ms` are null for a round that does not time single
   * operations.
   */
  readonly p50Ms: number | null
  readonly p99Ms: number | null
  /** The 95th percentile of the latency. Absent for a side whose goals do not need it. */
  readonly p95Ms?: number
  /**
   * The user and system time of the measured process and its children. PostgreSQL and the load client are not included.
   */
  readonly cpuMicrosPerOp: number | null
  /**
   * The processor time of the load client for one operation; absent for a side that has no load client. The client
   * takes this time from the cores that the measured process uses too.
   */
  readonly clientCpuMicrosPerOp?: number
  /** The highest resident memory of the measured process (VmHWM). */
  readonly peakMB: number | null
}

/**
 * Runs one round of one side of a comparison. `Row.open` has set the side up before. In every round, the sides run one
 * after the other.
 */
export type Side = () => Promise<Sample>

/** The median of each figure over all rounds, but for `peakMB` the maximum. */
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
  /**
   * In each round, the product's throughput or latency is divided by the baseline's. Each field is the median of these
   * ratios over all rounds.
   */
  readonly ratio: {
    readonly throughput: number | null
    readonly p50: number | null
    readonly p95: number | null
    readonly p99: number | null
  }
  /**
   * For each peer, the median of a ratio over all rounds: the product's throughput in a round, divided by the peer's
   * throughput in the same round.
   */
  readonly peerRatios: Readonly<Record<string, number>>
}

/** A requirement that the measured path of the product should meet, such as a throughput. */
export interface Goal {
  /** The text in the results table, such as `throughput ÷ baseline ≥ 0.7`. */
  readonly says: string
  /** The figure that must reach the goal; undefined when no round measured it, for example without `--peers`. */
  readonly value: (measured: Measured) => number | undefined
  readonly isReached: (value: number) => boolean
}

export interface Comparison {
  /** A label that distinguishes the comparisons of one benchmark. */
  readonly label?: string
  readonly product: Side
  /** The side with which the product is compared. Without a baseline, the goals are absolute figures. */
  readonly baseline?: Side
  readonly peers?: Readonly<Record<string, Side>>
  readonly goals: ReadonlyArray<Goal>
  /** The number of rounds that are not counted, because compilers and caches still warm up; default 1. */
  readonly warmUpRounds?: number
  /** Makes the lines below the table after the last round. They say, for example, what limited the product. */
  readonly notes?: () => ReadonlyArray<string>
}

/** A benchmark of one path: the product, with the sides that it is compared with. It is a row of the results table. */
export interface Row {
  /** The benchmark's name for `--only`: lower-case words joined by hyphens. */
  readonly name: string
  /** A few words about what is measured. */
  readonly path: string
  /** How many seconds the benchmark takes with three rounds, including its set-up. */
  readonly seconds: number
  /** Whether the benchmark runs only when `--only` names it, because it takes long. */
  readonly onlyByName?: boolean
  /**
   * Makes the databases and processes of the benchmark. `bench` removes them when the benchmark ends, also after a
   * failure.
   */
  readonly open: (bench: Bench) => Promise<ReadonlyArray<Comparison>>
}
