import * as Scope from "../shared/Scope.js"
import type { Mode } from "./ConsentRequest.js"

/** The posted consent form (decisions §10), which may be forged. An empty field counts as absent. */
export interface ConsentChoices {
  /**
   * The field `decision`: `allow` or `cancel`; on a renewal page it may also be `stop`, which ends the sharing of exact
   * location.
   */
  readonly decision: string | undefined
  /**
   * The field `mode`: the `ConsentReview.mode` of the page that the user answered. If it is undefined, the service
   * decides by the mode that a page would have at the time of the decision.
   */
  readonly shown: Mode | undefined
  /** The values of the field `scope`, one for each ticked box. */
  readonly scopes: ReadonlyArray<string>
  /** The values of the field `place`, one for each ticked place. */
  readonly places: ReadonlyArray<string>
  /**
   * The values of the field `earlier`, one for each place whose earlier visits the user ticked. Ignored for a place
   * that is not in `places`.
   */
  readonly earlier: ReadonlyArray<string>
  /** The field `standard_days`: `1`, `7`, `30`, `90` or `never`. An absent field means 30 days (Spec §4.2). */
  readonly standardDays: string | undefined
  /**
   * The field `sensitive_days`: `1`, `7`, `30` or `90`. An absent field means 30 days. Ignored when the user chose no
   * sensitive scope.
   */
  readonly sensitiveDays: string | undefined
}

/**
 * Whether the answer shares exact location in a connection without an end. This answer needs a fresh sign-in (decision
 * accounts-18). A renewal needs no fresh sign-in, because it does not change the end of the connection and shares exact
 * location for 90 days at most.
 */
export const sharesWithoutEnd = ({ decision, scopes, shown, standardDays }: ConsentChoices): boolean =>
  decision === "allow" &&
  shown !== "renew_sensitive" &&
  standardDays === "never" &&
  scopes.some((scope) => Scope.isScope(scope) && Scope.isSensitive(scope))
