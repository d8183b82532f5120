// The messages between the harness and the load process.

export interface Order {
  /** A module whose default export is a `Script.Open`. */
  readonly script: string
  readonly options: unknown
  /**
   * The ports of the servers. The first connection goes to the first port, the next connection to the next port, and so
   * on in a circle.
   */
  readonly ports: ReadonlyArray<number>
  readonly clients: number
  /**
   * The number of requests a second of all clients together, evenly spread. The latency of a request then counts from
   * the time at which the request was due, and not from the time at which it was sent. Absent: each client sends its
   * next request as soon as it has an answer.
   */
  readonly ratePerS?: number
  readonly warmUpSeconds: number
  readonly seconds: number
  /**
   * Whether a server may answer 503 because it is overloaded. A client that gets a 503 waits for `RETRY_MS` before its
   * next request.
   */
  readonly mayBeRefused?: boolean
}

/** How long a client waits after a 503, in milliseconds: the time that a busy server names in `Retry-After`. */
export const RETRY_MS = 1_000

export interface Outcome {
  readonly operations: number
  readonly seconds: number
  readonly p50Ms: number
  readonly p95Ms: number
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
