import type { Apps, AppState } from "./Apps.js"
import type { Finality, Register } from "./trace/Pending.js"
import type { Indexed, OpOf, Span } from "./trace/Ops.js"
import { DAY, GRACE, SENSITIVE } from "../../Specification.js"

/** What the trace shows about connections, their tiers and their tokens (Spec §2.1, §2.2, §3.1). */

/** A date that the trace does not show exactly, in milliseconds since 1970: it lies between `min` and `max`. */
export interface Range {
  readonly min: number
  readonly max: number
}

export interface Grant {
  /** The scopes that the user approved; undefined when the trace does not show the scopes. */
  readonly scopes: ReadonlyArray<string> | undefined
  /**
   * The end date of the sensitive tier. Null: the grant has no sensitive scope. Undefined: the trace does not show the
   * date.
   */
  readonly sensitive: Range | null | undefined
  /** The operation that wrote the grant: a consent, or a change by the user. */
  readonly by: OpOf<"consent" | "changeConnection" | "endExactLocation">
}

export interface Connection {
  readonly id: string
  readonly userId: string
  readonly appId: string
  /**
   * The consent that made the connection. If the trace does not show this consent: the first consent that shows the
   * connection.
   */
  readonly made: OpOf<"consent">
  readonly grant: Register<Grant>
  /** The end date of the standard tier. Null: no end. Undefined: the trace does not show the date. */
  readonly standard: Register<Range | null | undefined>
  /** The live family of tokens. Null: the connection has no live family, or no answer has shown the family. */
  readonly family: Register<Family | null>
  readonly ended: Finality
  /**
   * The scopes to which the user agreed, or may have agreed. The user can give the app further scopes only by a consent
   * (decision connection-6).
   */
  readonly agreed: Set<string>
}

export interface Family {
  readonly connection: Connection
  /** The exchange of a code that issued the tokens of this family. */
  readonly by: OpOf<"exchange">
}

export interface Token {
  readonly alias: string
  readonly kind: "access" | "refresh"
  readonly family: Family
  /** The exchange or refresh that first issued the token. */
  readonly issued: Span
  /** Refreshes that spent the token, or may have spent it. */
  readonly spent: Array<Span & { readonly certain: boolean }>
  /** The refresh token that replaced this token; undefined when the trace shows no replacement. */
  child: Token | undefined
}

export interface Code {
  readonly connection: Connection
  readonly issued: OpOf<"consent">
  readonly uses: Array<Span & { readonly certain: boolean; readonly family: Family | null }>
}

type Life = "live" | "dead" | "open"
export interface Alive {
  readonly life: Life
  readonly why: string
}

const LIVE: Alive = { life: "live", why: "live" }

export const daysAfter = ({ tMax, tMin }: Span, days: number): Range => ({
  min: tMin + days * DAY,
  max: tMax + days * DAY
})

/** Whether the connection was live throughout the span (Spec §3.1). A live connection may have no live tokens. */
export const alive = (trace: Indexed, apps: Apps, connection: Connection, span: Span): Alive =>
  all([
    over(connection.ended, span),
    ...[apps.apps.get(connection.appId)?.revoked].map((revoked) =>
      revoked === undefined ? LIVE : over(revoked, span)
    ),
    standardLife(trace, connection, span)
  ])

export const familyAlive = (family: Family, { from, to }: Span): Alive => {
  const candidates = family.connection.family.read(from, to)
  const mine = candidates.filter((candidate) => candidate === family).length
  if (mine === 0) return { life: "dead", why: "its tokens were replaced" }
  return mine === candidates.length ? LIVE : { life: "open", why: "its tokens may have been replaced" }
}

export const all = (lives: ReadonlyArray<Alive>): Alive =>
  lives.find(({ life }) => life === "dead") ?? lives.find(({ life }) => life === "open") ?? LIVE

const over = (what: Finality, { from, to }: Span): Alive => {
  const why = what.before(from)
  if (why !== undefined) return { life: "dead", why }
  return what.maybeBy(to) ? { life: "open", why: "it may have ended" } : LIVE
}

/**
 * Whether the standard tier was live. The tier is live while `now < expires_at` (decision T2). If the clock passed the
 * date and then was set back, the tier may be live or over, so the result is `open`.
 */
const standardLife = (trace: Indexed, connection: Connection, span: Span): Alive => {
  const dates = connection.standard.read(span.from, span.to)
  if (dates.length === 0) return { life: "open", why: "unknown" }
  const latest = trace.latest(span.to)
  if (dates.every((date) => date === null || (date !== undefined && span.tMax < date.min && latest < date.min))) {
    return LIVE
  }
  return dates.every((date) => date !== null && date !== undefined && span.tMin >= date.max)
    ? { life: "dead", why: "its standard tier had ended" }
    : { life: "open", why: "its standard tier may have ended" }
}

type TierState = "none" | "active" | "lapsed" | "removed"

/** Every state that the sensitive tier may have had in the span (Spec §3.1, §4.2). */
export const tierStates = (trace: Indexed, date: Grant["sensitive"], span: Span): ReadonlySet<TierState> => {
  if (date === null) return new Set(["none"])
  if (date === undefined) return new Set(["none", "active", "lapsed", "removed"])
  const states = new Set<TierState>()
  if (span.tMin < date.max) states.add("active")
  if (span.tMax >= date.min && span.tMin < date.max + GRACE) states.add("lapsed")
  if (span.tMax >= date.min + GRACE || trace.latest(span.to) >= date.min + GRACE) states.add("removed")
  return states
}

/**
 * A state in which a connection may have been during a call: the grant, the scopes that the app holds, and the state of
 * the sensitive tier. The trace shows when changes began and ended, but not at which instant the changes took effect,
 * so several states may be possible.
 */
export interface Situation {
  readonly grant: Grant
  readonly held: ReadonlySet<string>
  readonly effective: ReadonlySet<string>
  readonly tier: TierState
}

/**
 * Every situation that the connection may have had in the span. The app holds a scope when the user granted the scope,
 * the app declares the scope, and no admin took the scope away (Spec §5.6). The end of the grace period removes the
 * sensitive scopes. The result is undefined when the trace does not show the grant or the app.
 */
export const situations = (
  trace: Indexed,
  apps: Apps,
  connection: Connection,
  span: Span
): ReadonlyArray<Situation> | undefined => {
  const states = apps.apps.get(connection.appId)?.state.read(span.from, span.to)
  if (states === undefined) return undefined
  const found: Array<Situation> = []
  for (const grant of connection.grant.read(span.from, span.to)) {
    if (grant.scopes === undefined) return undefined
    for (const app of states) {
      for (const tier of tierStates(trace, grant.sensitive, span)) {
        const declared = grant.scopes.filter((scope) => isLeft(app, scope))
        const held = new Set(declared.filter((scope) => tier !== "removed" || !SENSITIVE.has(scope)))
        const effective = new Set([...held].filter((scope) => tier === "active" || !SENSITIVE.has(scope)))
        found.push({ grant, held, effective, tier })
      }
    }
  }
  return found
}

export const isLeft = ({ allowed, declared }: AppState, scope: string): boolean =>
  declared.includes(scope) && (allowed === null || allowed.includes(scope))

export type ScopeVerdict = "allowed" | "lapsed" | "missing"

/**
 * The verdict about a scope that a call needs. Spec §7: 403 `scope_expired` while a renewal would bring the scope back,
 * otherwise 403 `missing_scope`.
 */
export const scopeVerdict = ({ effective, held }: Situation, required: string): ScopeVerdict => {
  if (required === "none") return "allowed"
  if (required === "any_standard") {
    return [...effective].some((scope) => !SENSITIVE.has(scope)) ? "allowed" : "missing"
  }
  return effective.has(required) ? "allowed" : held.has(required) ? "lapsed" : "missing"
}

/**
 * Follows the chain of refresh tokens from `token`, which is spent, to the tokens that replaced it. Returns the last
 * token of the chain that a refresh may have spent.
 */
export const lastKnown = (token: Token): Token => {
  let last = token
  while (last.child !== undefined && last.child.spent.length > 0) last = last.child
  return last
}

/** Whether `token` is `other`, or leads to `other` through a chain of refreshes. */
export const leadsTo = (token: Token, other: Token): boolean =>
  token === other || (token.child !== undefined && leadsTo(token.child, other))
