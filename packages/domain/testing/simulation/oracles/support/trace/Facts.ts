import type { PurposeVerdict } from "../Apps.js"
import type { Alive, Code, Connection, Situation, Token } from "../Connections.js"
import type { OpOf } from "./Ops.js"
import type { Came } from "./Pending.js"

/** What the trace shows about one operation: the outcome that it must have had, and its effects. */

/** The outcome that an operation must have had. `open`: the trace does not show which outcome is right. */
export type Must = "succeed" | "fail" | "open"

export interface CallFact {
  readonly op: OpOf<"call">
  /** The access token that the call presented. Undefined when the presented text is no access token of the service. */
  readonly token: Token | undefined
  /** Whether the service had to accept the token (Spec §2.1, §3.1), and if not, why. */
  readonly admitted: Alive
  /**
   * The situations that the token's connection may have been in during the call. They decide which scopes the call has.
   * Undefined when the trace does not show the situations.
   */
  readonly situations: ReadonlyArray<Situation> | undefined
  /**
   * The possible verdicts about the purpose of a call for coordinates. Undefined for any other call, and when the trace
   * does not show the verdicts.
   */
  readonly purpose: ReadonlySet<PurposeVerdict> | undefined
}

export interface RefreshFact {
  readonly op: OpOf<"refresh">
  readonly token: Token | undefined
  readonly must: Must
  readonly why: "unspent" | "race" | "spent" | "revoked" | "not its client" | "unknown" | "open"
  /** Whether the presented token was a leak that ended the connection (Spec §3.1). */
  readonly leak: Came
}

export interface ExchangeFact {
  readonly op: OpOf<"exchange">
  readonly code: Code | undefined
  readonly must: Must
  readonly why:
    | "fresh"
    | "too old"
    | "used"
    | "not its client"
    | "wrong redirect URI"
    | "wrong verifier"
    | "unknown"
    | "over"
    | "open"
  /** Whether the exchange was a second use of the code, and revoked the tokens that the code had issued. */
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
  /** The connection that the user had with the app before the consent; undefined when there was none. */
  readonly before: Connection | undefined
  readonly beforeWas: Alive
  /**
   * The situations that the connection `before` may have been in just before the consent. Undefined when there was no
   * connection, or when the trace does not show the situations.
   */
  readonly situations: ReadonlyArray<Situation> | undefined
}
