import type { Ended, Name, Operation } from "./Operations.js"

/**
 * What happened in a run, in order: the operations of the actors and their answers, what receivers and mailboxes got,
 * the injected faults, and the port calls in between. A trace is plain JSON: it can be written to a file, read again
 * and judged again. It names secrets by aliases (`access-17`) and never contains them in the clear.
 */
export type Entry = Stamp & (Begun | Done | Posted | Heard | Mailed | PortCall | Fault | Leak | Marked)

interface Stamp {
  /** The number of the entry: 0, 1, 2 … */
  readonly i: number
  /** Milliseconds since 1970 on the virtual clock, which `jump` may set back. */
  readonly t: number
  /** Milliseconds of virtual time since the run began. Unlike `t`, it never goes back. */
  readonly passed: number
  /**
   * The process that caused the entry, with the number of its start (`server-1`, `worker-2`). `world`: the simulated
   * people and apps, or the scenario.
   */
  readonly proc: string
}

/** An actor begins an operation. The `done` entry names this entry by `op`, the `i` of this entry. */
export type Begun = {
  [N in Name]: { readonly kind: "begun"; readonly name: N; readonly actor: string; readonly args: Operation<N>["args"] }
}[Name]

/** The end of an operation. Operations overlap when an operation is slow or several actors are at work. */
export type Done = {
  [N in Name]: { readonly kind: "done"; readonly name: N; readonly op: number; readonly outcome: Ended<N> }
}[Name]

/** A receiver got a POST. The entry is written when the POST arrives; the receiver is done `tookMs` later. */
export interface Posted {
  readonly kind: "posted"
  readonly url: string
  /** The parsed body. `raw` has the text when it is no JSON object. */
  readonly body: Readonly<Record<string, unknown>>
  /** The time of signing from the signature header (`t`), in seconds since 1970. */
  readonly signedAtS: number | null
  /** How many signatures (`v1` values) the signature header has. */
  readonly signatures: number
  /** Aliases of the signing secrets that the simulated apps have received and with which the body verifies. */
  readonly verifiedBy: ReadonlyArray<string>
  /**
   * What the receiver did in the end: a status, or `refuse`, `reset`, `hang`, `slow` (a 2xx after the five seconds),
   * `reset_after_2xx`.
   */
  readonly reply: number | "refuse" | "reset" | "hang" | "slow" | "reset_after_2xx"
  /** How long the receiver took, in milliseconds. */
  readonly tookMs: number
}

/** Somebody who listens to an app's events read a message of the stream. Heartbeats are left out. */
export interface Heard {
  readonly kind: "heard"
  readonly listenerId: string
  readonly message: HeardMessage
}

export type HeardMessage =
  | ({ readonly _tag: "Event" } & Pick<Posted, "body" | "signedAtS" | "signatures" | "verifiedBy">)
  | { readonly _tag: "Dropped"; readonly count: number }
  /** `left`: the reader went away. Any other reason comes from the service, which closed the stream. */
  | { readonly _tag: "End"; readonly reason: string }

/** A message left the service for somebody's mailbox. */
export interface Mailed {
  readonly kind: "mailed"
  readonly to: string
  readonly subject: string
  /** A message that is sent again, because the result of the first attempt could not be stored, has the same id. */
  readonly id: string
  /** The mail server did not take the message: for good (`Refused`), or this time (`NotSent`). */
  readonly bounced?: "Refused" | "NotSent"
}

/**
 * A port call, written when it ended, with the operation or loop that caused it. Arguments and value are there only
 * where an oracle needs them.
 */
export interface PortCall {
  readonly kind: "port"
  /** `i` of the entry that began the operation; null for a loop of the worker. */
  readonly op: number | null
  readonly port: string
  readonly method: string
  /** `unknown`: the call took effect, but its caller got an error. `lost`: the process died during the call. */
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

/** The run reached something rare, such as the seventh attempt of a delivery. */
export interface Marked {
  readonly kind: "mark"
  readonly mark: string
}

export type Kind = Entry["kind"]
