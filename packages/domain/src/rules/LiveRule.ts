import type { Circle } from "../places/Geometry.js"
import type { Scope } from "../shared/Scope.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { RecentEvaluations } from "./RecentEvaluations.js"
import type { Rule, RuleTarget } from "./Rule.js"
import type { RuleMemory } from "./RuleEvaluation.js"

/** A rule, with all data that the evaluation of an upload needs. */
export interface LiveRule {
  readonly rule: Rule
  /** The present circle of the place or zone. */
  readonly circle: Circle
  /**
   * A text that identifies the conditions of the rule's state: the circle, and the time since when place and scope are
   * available. The basis changes when the place's circle changes, when place or scope are withdrawn and given again,
   * and when a pause ends. When the basis has changed, `RuleEvaluation.on` makes the state forget the user's side, and
   * the next fix that is clearly inside or outside sets the side without firing the rule (decision L8).
   */
  readonly basis: string
  readonly state: RuleMemory
  /** Fixes captured before this time may set or change the rule's side but never fire the rule (decision M5). */
  readonly firesFrom: Timestamp
}

/**
 * The new state of a rule, and the new evaluations that an upload or a worker (`settleDue`) made. The store saves both.
 */
export interface RuleProgress {
  readonly ruleId: Rule["id"]
  readonly state: RuleMemory
  /**
   * The evaluations of this upload or of `settleDue`, at most the last `RecentEvaluations.KEPT`. The store appends them
   * to the rule's stored evaluations (`RecentEvaluations.append`).
   */
  readonly made: RecentEvaluations
}

/**
 * The basis of a place rule: a text that changes when the rule must forget where the user was (`LiveRule.basis`).
 * `geometryVersion` changes with the circle. `sharedAt` is when the user shared the place. `scopeSince` is the later of
 * two times: when the app or connection got the scope back, and when the last pause ended. It is null when neither
 * happened.
 */
export const placeBasis = (geometryVersion: number, sharedAt: Timestamp, scopeSince: Timestamp | null): string =>
  scopeSince === null ? `${geometryVersion} ${sharedAt}` : `${geometryVersion} ${sharedAt} ${scopeSince}`

/**
 * The later of two times: when the rule got its scope back, and when a pause ended. At each of these times the rule
 * forgets where the user was (decisions L8 and connection-5). Null when both times are null.
 */
export const latest = (a: Timestamp | null, b: Timestamp | null): Timestamp | null =>
  a === null || (b !== null && b > a) ? b : a

/**
 * The basis of a zone rule (`LiveRule.basis`). A zone never moves and needs no sharing, so the basis changes only when
 * the scope comes back or a pause ends (`scopeSince`).
 */
export const zoneBasis = (scopeSince: Timestamp | null): string => (scopeSince === null ? "zone" : `zone ${scopeSince}`)

/**
 * The earliest capture time of a fix that may fire the rule: the latest of the rule's creation and the times in
 * `needed`. Every rule needs its scope; a place rule also needs its present circle and the sharing of the place. For
 * each of these things, `needed` has the time since when the rule has it, or null when the rule has had it since its
 * creation.
 */
export const firesFrom = (createdAt: Timestamp, ...needed: ReadonlyArray<Timestamp | null>): Timestamp =>
  needed.reduce((latest: Timestamp, since) => (since !== null && since > latest ? since : latest), createdAt)

export const PLACE_SCOPE: Scope = "location.rules.place"
export const ZONE_SCOPE: Scope = "location.rules.zone"

/**
 * The scope that an app needs to create, list and remove the rule (Spec §2.3). Without this scope, no upload evaluates
 * the rule.
 */
export const neededScope = (target: Pick<RuleTarget, "_tag">): Scope =>
  target._tag === "Place" ? PLACE_SCOPE : ZONE_SCOPE

/**
 * Whether a change of the scopes from `before` to `after` gave `scope` back. Rules that need this scope then forget
 * where the user was (decision L8).
 */
export const isRegained = (scope: Scope, before: ReadonlyArray<Scope>, after: ReadonlyArray<Scope>): boolean =>
  !before.includes(scope) && after.includes(scope)

/**
 * Since when a rule is disabled (decision L8); null when the rule works (`stands`). `noted` is when the store noted
 * that the rule is disabled. `archivedAt` is when the rule's place was archived. The result is the earlier of the two
 * times, or `now` when both are null.
 */
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
