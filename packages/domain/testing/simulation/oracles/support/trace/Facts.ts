import type { PurposeVerdict } from "../Apps.js"
import type { Alive, Code, Connection, Situation, Token } from "../Connections.js"
import type { OpOf } from "./Ops.js"
import type { Came } from "./Pending.js"

/** The facts that the trace shows about one operation: the outcome that it must have had, and its effects. */

/** The outcome that an operation must have had. `open`: the trace does not show it. */
export type Must = "succeed" | "fail" | "open"

export interface CallFact {
  readonly op: OpOf<"call">
  /** Undefined when nobody issued the text as an access token. */
  readonly token: Token | undefined
  /** Whether the service had to accept the token (Spec §2.1, §3.1), and the reason if not. */
  readonly admitted: Alive
  /** The possible situations of the token's connection, which decide its scopes; undefined: unknown. */
  readonly situations: ReadonlyArray<Situation> | undefined
  /** The possible verdicts about the purpose of a call for coordinates; undefined: another call, or unknown. */
  readonly purpose: ReadonlySet<PurposeVerdict> | undefined
}

export interface RefreshFact {
  readonly op: OpOf<"refresh">
  readonly token: Token | undefined
  readonly must: Must
  readonly why: "unspent" | "race" | "spent" | "revoked" | "not its client" | "unknown" | "open"
  /** Whether presenting the token ended the connection (Spec §3.1). */
  readonly leak: Came
}

export interface ExchangeFact {
  readonly op: OpOf<"exchange">
  readonly code: Code | undefined
  readonly must: Must
  readonly why: "fresh" | "too old" | "used" | "not its client" | "wrong verifier" | "unknown" | "over" | "open"
  /** Whether the exchange revoked the tokens that the code had issued. */
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
  /** The possible situations of the connection just before; undefined: unknown. */
  readonly situations: ReadonlyArray<Situation> | undefined
}
