import type { Circle } from "../places/Geometry.js"
import type { Scope } from "../shared/Scope.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { RecentEvaluations } from "./RecentEvaluations.js"
import type { Rule, RuleTarget } from "./Rule.js"
import type { RuleMemory } from "./RuleEvaluation.js"

/** A rule, with everything that the evaluation of an upload needs. */
export interface LiveRule {
  readonly rule: Rule
  /** The present circle of the place or zone. */
  readonly circle: Circle
  /**
   * Identifies what the stored state was computed for: the circle, and the time since when place and scope are
   * available. When the place was moved, or place or scope were withdrawn and given again, the basis differs; the
   * stored state is dropped, and the next decisive fix seeds the rule again (decision L8).
   */
  readonly basis: string
  readonly state: RuleMemory
  /** Fixes captured before this time may seed the rule but never fire it (decision M5). */
  readonly firesFrom: Timestamp
}

/** The result of an upload for a rule. */
export interface RuleProgress {
  readonly ruleId: Rule["id"]
  readonly state: RuleMemory
  /** The last `KEPT` evaluations of this upload, to be appended (`RecentEvaluations.append`). */
  readonly made: RecentEvaluations
}

/**
 * The basis of a place rule. A moved place has another `geometryVersion`, a place shared again another `sharedAt`.
 * `scopeSince` is when the app or the connection last got the scope back, or when the last pause ended, if that is
 * later; null: neither happened.
 */
export const placeBasis = (geometryVersion: number, sharedAt: Timestamp, scopeSince: Timestamp | null): string =>
  scopeSince === null ? `${geometryVersion} ${sharedAt}` : `${geometryVersion} ${sharedAt} ${scopeSince}`

/** The later of two times at which a rule begins anew (decisions L8 and connection-5); null: neither. */
export const latest = (a: Timestamp | null, b: Timestamp | null): Timestamp | null =>
  a === null || (b !== null && b > a) ? b : a

/** The basis of a zone rule. A zone never moves, so only its scope counts. */
export const zoneBasis = (scopeSince: Timestamp | null): string => (scopeSince === null ? "zone" : `zone ${scopeSince}`)

/**
 * The capture time from which on a rule may fire, inclusive: the latest of its creation and the times since when it has
 * all that it needs. A place rule needs its present circle and the sharing; every rule needs its scope. Null in
 * `needed`: available from the beginning.
 */
export const firesFrom = (createdAt: Timestamp, ...needed: ReadonlyArray<Timestamp | null>): Timestamp =>
  needed.reduce((latest: Timestamp, since) => (since !== null && since > latest ? since : latest), createdAt)

export const PLACE_SCOPE: Scope = "location.rules.place"
export const ZONE_SCOPE: Scope = "location.rules.zone"

/** The scope that an app needs to create, evaluate and list the rule (Spec §2.3). */
export const neededScope = (target: Pick<RuleTarget, "_tag">): Scope =>
  target._tag === "Place" ? PLACE_SCOPE : ZONE_SCOPE

/** Whether a change gave the scope back. Rules that need the scope are then seeded again. */
export const isRegained = (scope: Scope, before: ReadonlyArray<Scope>, after: ReadonlyArray<Scope>): boolean =>
  !before.includes(scope) && after.includes(scope)

/** Since when a rule is disabled (decision L8): as recorded, or its place's archiving, if earlier; else `now`. */
export const disabledSince = (
  stands: boolean,
  noted: Timestamp | null,
  archivedAt: Timestamp | null,
  now: Timestamp
): Timestamp | null => {
  if (stands) return null
  if (noted === null || archivedAt === null) return noted ?? archivedAt ?? now
  return noted < archivedAt ? noted : archivedAt
}
