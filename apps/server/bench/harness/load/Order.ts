/** The messages between the harness and the load process. */

export interface Order {
  /** A module whose default export is a `Script.Open`. */
  readonly script: string
  readonly options: unknown
  /** The ports to which the connections go in turn. */
  readonly ports: ReadonlyArray<number>
  readonly clients: number
  /**
   * The number of requests a second of all clients together, evenly spread; a latency counts from the time at which its
   * request was due. Absent: each client sends its next request as soon as it has an answer.
   */
  readonly ratePerS?: number
  readonly warmUpSeconds: number
  readonly seconds: number
  /** Whether an answer may be 503. The client that gets it then waits for `RETRY_MS`. */
  readonly mayBeRefused?: boolean
}

/** The time, in milliseconds, that a busy server names in `Retry-After`. */
export const RETRY_MS = 1_000

export interface Outcome {
  readonly operations: number
  readonly seconds: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** The number of answers with 503, which do not count as operations. `refusedP99Ms` is NaN when there were none. */
  readonly refused: number
  readonly refusedP99Ms: number
  /** The processor time of the load process itself. */
  readonly clientCpuMicrosPerOp: number
}

export type Message =
  /** The warm-up has ended, and the load is measured from this moment on. */
  | { readonly _tag: "Started" }
  | { readonly _tag: "Ended"; readonly outcome: Outcome }
  | { readonly _tag: "Failed"; readonly reason: string }
