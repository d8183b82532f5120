import type { Ended, Name, Operation } from "./Operations.js"

/**
 * What happened in a run, in order: operations of actors and their answers, what receivers and mailboxes got, injected
 * faults, and port calls. A trace is plain JSON: a program can write the trace to a file, read the file later and let
 * oracles judge the trace once more. The trace names secrets by aliases (`access-17`) and must never contain a secret
 * in the clear (`Leak`).
 */
export type Entry = Stamp & (BegunOperation | Done | Posted | StreamEntry | Mailed | PortCall | Fault | Leak | Marked)

interface Stamp {
  /** The number of the entry: 0, 1, 2 … */
  readonly i: number
  /** Milliseconds since 1970 on the virtual clock. A fault (`clock.jump`) may set this clock back. */
  readonly t: number
  /** Milliseconds of virtual time since the run began. Unlike `t`, this number never goes back. */
  readonly passed: number
  /**
   * The process that caused the entry, with the number of its starts: `worker-2` is the worker after one restart.
   * `world` stands for the scenario, the simulated people, apps and mailboxes, and the search of logs for secrets.
   */
  readonly proc: string
}

/**
 * An actor begins an operation. The entry of kind `done` that ends the operation has the number `i` of this entry in
 * its field `op`.
 */
export type BegunOperation = {
  [N in Name]: { readonly kind: "begun"; readonly name: N; readonly actor: string; readonly args: Operation<N>["args"] }
}[Name]

/** The end of an operation. Other operations may begin before this operation has ended. */
export type Done = {
  [N in Name]: { readonly kind: "done"; readonly name: N; readonly op: number; readonly outcome: Ended<N> }
}[Name]

/**
 * A receiver got a POST. The entry has the time at which the POST arrived; the receiver's answer is complete `tookMs`
 * later.
 */
export interface Posted {
  readonly kind: "posted"
  readonly url: string
  /** The parsed body. When the body is not a JSON object, the only field is `raw`, with the text. */
  readonly body: Readonly<Record<string, unknown>>
  /** The time of signing, in seconds since 1970: `t` of the signature header. Null when the header has no `t`. */
  readonly signedAtS: number | null
  /** How many signatures (`v1` values) the signature header has. */
  readonly signatures: number
  /**
   * The aliases of the signing secrets with which a signature of the body is valid. All signing secrets that the
   * service has stored are tried.
   */
  readonly verifiedBy: ReadonlyArray<string>
  /**
   * How the receiver answered: a status, or `refuse`, `reset`, `hang`, `slow` (a 200 after the deadline of five
   * seconds), `reset_after_2xx`.
   */
  readonly reply: number | "refuse" | "reset" | "hang" | "slow" | "reset_after_2xx"
  /** How long the receiver took to answer or to fail, in milliseconds; for `hang`, the deadline of five seconds. */
  readonly tookMs: number
}

/**
 * A developer who listens to an app's events read a message of the stream. The trace contains neither the first message
 * (`Ready`) nor heartbeats.
 */
export interface StreamEntry {
  readonly kind: "heard"
  readonly listenerId: string
  readonly message: ReceivedMessage
}

export type ReceivedMessage =
  | ({ readonly _tag: "Event" } & Pick<Posted, "body" | "signedAtS" | "signatures" | "verifiedBy">)
  | { readonly _tag: "Dropped"; readonly count: number }
  /**
   * The stream ended. The reason `left` means that the reader went away. With any other reason, the service closed the
   * stream.
   */
  | { readonly _tag: "End"; readonly reason: string }

/** The service sent an e-mail. */
export interface Mailed {
  readonly kind: "mailed"
  readonly to: string
  readonly subject: string
  /**
   * The id of the message. When the service could not store the result of an attempt, it may send the message once
   * more, with the same id.
   */
  readonly id: string
  /** Present when the mail server did not take the message: `Refused` is permanent, `NotSent` only for this attempt. */
  readonly bounced?: "Refused" | "NotSent"
}

/**
 * A call of a port. The trace records a call when the call ends, with arguments and value only if an oracle needs them.
 */
export interface PortCall {
  readonly kind: "port"
  /**
   * The number `i` of the entry that began the operation for which the call was made; null for a call of a worker's
   * loop.
   */
  readonly op: number | null
  readonly port: string
  readonly method: string
  /**
   * `unknown`: the call took effect, but its caller got an error. `lost`: the process died, or its fiber was
   * interrupted, during the call.
   */
  readonly outcome: "ok" | "failed" | "unknown" | "lost"
  readonly args?: unknown
  readonly value?: unknown
}

export interface Fault {
  readonly kind: "fault"
  readonly fault: FaultKind | "restart" | "wake" | "heal" | "restore"
  readonly detail: string
}

/** The kinds of faults that a run can inject. */
export type FaultKind =
  | "port.fail"
  | "port.slow"
  | "port.unknown"
  | "crash"
  | "upload.duplicate"
  | "upload.reorder"
  | "clock.jump"
  | "port.cut"
  | "process.pause"
  | "receiver.late"
  | "clock.skew"
  | "disk.full"
  | "mail.bounce"
  | "keys.rotate"

/**
 * A port call, a log line or the trace itself contained a secret in the clear, where only its hash or its sealed form
 * may be (Spec §2.1).
 */
export interface Leak {
  readonly kind: "leak"
  readonly alias: string
  readonly where: string
}

/** The run reached a rare situation, such as the seventh attempt of a delivery. */
export interface Marked {
  readonly kind: "mark"
  readonly mark: string
}

export type Kind = Entry["kind"]
