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
   * What the state was computed on: the place's geometry version and when it was shared. A state of another basis is no
   * state: a place that moved, or was withdrawn and shared again, re-seeds its rules (decision L8).
   */
  readonly basis: string
  readonly state: RuleState
  readonly recent: RecentEvaluations
}

/** What an upload leaves of a rule. */
export interface Progress extends Pick<LiveRule, "state" | "recent"> {
  readonly ruleId: Rule["id"]
}

/** A place that moved has another version, one that was shared again another time. */
export const placeBasis = (geometryVersion: number, sharedAt: Timestamp): string => `${geometryVersion} ${sharedAt}`

/** A zone never moves. */
export const ZONE_BASIS = "zone"

/** What must be effective for a rule to be created, evaluated and listed (Spec §2.3). */
export const neededScope = (target: Pick<Target, "_tag">): Scope =>
  target._tag === "Place" ? "location.rules.place" : "location.rules.zone"

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
