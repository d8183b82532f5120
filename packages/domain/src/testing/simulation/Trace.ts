import type { Ended, Name, Operation } from "./Operations.js"

/**
 * What happened in a run, in the order in which it happened: what actors asked for and were answered, what receivers and
 * mailboxes got, what was broken on purpose, and the calls of the ports in between. Nothing but JSON: a trace can be written to a
 * file, read again and judged again. Secrets stand in it by alias (`token-17`), never as they are.
 */
export type Entry = Stamp & (Begun | Done | Posted | Mailed | PortCall | Fault | Leak | Marked)

interface Stamp {
  /** 0, 1, 2 … */
  readonly i: number
  /** Milliseconds since 1970 on the virtual clock, which `jump` may set back. */
  readonly t: number
  /** Milliseconds of virtual time since the run began. Never goes back, whatever `t` does: what came later has more. */
  readonly passed: number
  /** Who did it: the process, with how often it was started (`server-1`, `worker-2`), or `world` for the people outside. */
  readonly proc: string
}

/** An actor begins an operation. Its end names it by `op`, the `i` of this entry. */
export type Begun = {
  [N in Name]: { readonly kind: "begun"; readonly name: N; readonly actor: string; readonly args: Operation<N>["args"] }
}[Name]

/** How it ended. Operations overlap when something is slow or several actors are at work. */
export type Done = {
  [N in Name]: { readonly kind: "done"; readonly name: N; readonly op: number; readonly outcome: Ended<N> }
}[Name]

/** A receiver got a POST. Written when it arrives; what the receiver does is over `tookMs` later. */
export interface Posted {
  readonly kind: "posted"
  readonly url: string
  /** The body, parsed; `raw` has the same text again when it is no JSON object. */
  readonly body: Readonly<Record<string, unknown>>
  /** The seconds in the header's `t`. */
  readonly signedAtS: number | null
  /** How many `v1` values the header has. */
  readonly signatures: number
  /** Aliases of the signing secrets known to the world with which the body verifies. */
  readonly verifiedBy: ReadonlyArray<string>
  /** What the receiver did in the end: a status, or `refuse`, `reset`, `hang`, `slow` (a 2xx after the five seconds), `reset_after_2xx`. */
  readonly reply: number | "refuse" | "reset" | "hang" | "slow" | "reset_after_2xx"
  /** How long that took, in milliseconds. */
  readonly tookMs: number
}

/** A message left the service for somebody's mailbox. */
export interface Mailed {
  readonly kind: "mailed"
  readonly to: string
  readonly subject: string
  /** The same when the same message is sent again, because its end could not be stored. */
  readonly id: string
}

/** A call of a port by the operation or loop that caused it, when it ended. Arguments and value only where an oracle needs them. */
export interface PortCall {
  readonly kind: "port"
  /** `i` of the entry that began the operation; null: one of the worker's loops. */
  readonly op: number | null
  readonly port: string
  readonly method: string
  /** `unknown`: done, but its caller was told of a failure. `lost`: the process died meanwhile. */
  readonly outcome: "ok" | "failed" | "unknown" | "lost"
  readonly args?: unknown
  readonly value?: unknown
}

export interface Fault {
  readonly kind: "fault"
  readonly fault: FaultKind | "restart" | "heal"
  readonly detail: string
}

/** What can be broken on purpose. */
export type FaultKind =
  | "port.fail"
  | "port.slow"
  | "port.unknown"
  | "crash"
  | "upload.duplicate"
  | "upload.reorder"
  | "clock.jump"

/** A secret that the world knows was seen as it is where only its hash or its sealed form may be (Spec §2.1). */
export interface Leak {
  readonly kind: "leak"
  readonly alias: string
  readonly where: string
}

/** Something rare was reached, such as the seventh attempt. */
export interface Marked {
  readonly kind: "mark"
  readonly mark: string
}

export type Kind = Entry["kind"]
