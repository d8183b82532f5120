import type { PurposeVerdict } from "./Apps.js"
import type { Alive, Code, Connection, Situation, Token } from "./Connections.js"
import type { OpOf } from "./Ops.js"
import type { Came } from "./Pending.js"

/** What the trace says of one operation: what must have come of it, and what it did. */

/** What must have come of something, as far as the trace tells. */
export type Must = "succeed" | "fail" | "open"

export interface CallFact {
  readonly op: OpOf<"call">
  /** Undefined: nobody issued it as an access token. */
  readonly token: Token | undefined
  /** Whether the token had to be taken (Spec §2.1, §3.1), and why not. */
  readonly admitted: Alive
  /** How things may have been for the scopes; undefined: unknown. */
  readonly situations: ReadonlyArray<Situation> | undefined
  /** Of a call for coordinates; undefined: not one, or unknown. */
  readonly purpose: ReadonlySet<PurposeVerdict> | undefined
}

export interface RefreshFact {
  readonly op: OpOf<"refresh">
  readonly token: Token | undefined
  readonly must: Must
  readonly why: "unspent" | "race" | "spent" | "revoked" | "not its client" | "unknown" | "open"
  /** Presenting it ended the connection (Spec §3.1). */
  readonly leak: Came
}

export interface ExchangeFact {
  readonly op: OpOf<"exchange">
  readonly code: Code | undefined
  readonly must: Must
  readonly why: "fresh" | "too old" | "used" | "not its client" | "wrong verifier" | "unknown" | "over" | "open"
  /** It ended what the code had issued. */
  readonly reuse: Came
}

export interface RevokeFact {
  readonly op: OpOf<"revoke">
  readonly token: Token | undefined
  readonly isOwn: boolean
  readonly ends: Came
}

export interface ConsentFact {
  readonly op: OpOf<"consent">
  readonly connection: Connection
  /** The connection that the pair had before; undefined: none. */
  readonly before: Connection | undefined
  readonly beforeWas: Alive
  /** How the connection stood just before; undefined: unknown. */
  readonly situations: ReadonlyArray<Situation> | undefined
}
