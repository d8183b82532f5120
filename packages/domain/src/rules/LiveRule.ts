import type { Circle } from "../places/Geometry.js"
import type { Scope } from "../shared/Scope.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { RecentEvaluations } from "./RecentEvaluations.js"
import type { Rule, Target } from "./Rule.js"
import type { RuleState } from "./RuleEvaluation.js"

/** A rule as an upload is evaluated against it. */
export interface LiveRule {
  readonly rule: Rule
  /** The place's circle now, or the zone's. */
  readonly circle: Circle
  /**
   * What the state was computed on. A state of another basis is no state: whatever was gone and came back, or moved, re-seeds
   * the rule (decision L8).
   */
  readonly basis: string
  readonly state: RuleState
  /** What was captured before this may seed the rule and never fires it (decision M5). */
  readonly firesFrom: Timestamp
}

/** What an upload leaves of a rule. */
export interface Progress {
  readonly ruleId: Rule["id"]
  readonly state: RuleState
  /** The evaluations of this upload, the last `KEPT` of them: the store adds them to those before (`RecentEvaluations.append`). */
  readonly made: RecentEvaluations
}

/**
 * A place that moved has another version, one that was shared again another time. `scopeSince`: when the scope last came back, to
 * the app or to the connection; null when it was never gone.
 */
export const placeBasis = (geometryVersion: number, sharedAt: Timestamp, scopeSince: Timestamp | null): string =>
  scopeSince === null ? `${geometryVersion} ${sharedAt}` : `${geometryVersion} ${sharedAt} ${scopeSince}`

/** A zone never moves. */
export const zoneBasis = (scopeSince: Timestamp | null): string => (scopeSince === null ? "zone" : `zone ${scopeSince}`)

/**
 * From which capture on a rule fires, the instant included: since it was made, and since it has all that it needs. Of a place
 * those are its present circle and its being shared; of any rule the scope. Null: there from ever, or never gone.
 */
export const firesFrom = (createdAt: Timestamp, ...needed: ReadonlyArray<Timestamp | null>): Timestamp =>
  needed.reduce((latest: Timestamp, since) => (since !== null && since > latest ? since : latest), createdAt)

export const PLACE_SCOPE: Scope = "location.rules.place"
export const ZONE_SCOPE: Scope = "location.rules.zone"

/** What must be effective for a rule to be created, evaluated and listed (Spec §2.3). */
export const neededScope = (target: Pick<Target, "_tag">): Scope => (target._tag === "Place" ? PLACE_SCOPE : ZONE_SCOPE)

/** Whether a change gave a scope back, so that the rules that need it begin anew. */
export const isRegained = (scope: Scope, before: ReadonlyArray<Scope>, after: ReadonlyArray<Scope>): boolean =>
  !before.includes(scope) && after.includes(scope)

/**
 * Since when a rule does not stand (decision L8): what was noted when it stopped, or when its place was archived, whichever
 * is earlier; `now` when nobody noted anything.
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
