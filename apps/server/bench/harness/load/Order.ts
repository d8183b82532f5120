/** What the load process is told, and what it tells back. */

export interface Order {
  /** Module whose default export is a `Script.Open`. */
  readonly script: string
  readonly options: unknown
  /** Connections go to these in turn. */
  readonly ports: ReadonlyArray<number>
  readonly clients: number
  readonly warmUpSeconds: number
  readonly seconds: number
}

export interface Outcome {
  readonly operations: number
  readonly seconds: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Of the load process itself. */
  readonly clientCpuMicrosPerOp: number
}

export type Message =
  /** The warm-up is over: what follows is measured. */
  | { readonly _tag: "Started" }
  | { readonly _tag: "Ended"; readonly outcome: Outcome }
  | { readonly _tag: "Failed"; readonly reason: string }
