import type { Mode } from "./ConsentRequest.js"

/** The consent form as posted (decisions §10); nothing in it is trusted. Absent and empty fields are the same. */
export interface ConsentChoices {
  /** `decision`: `allow` or `cancel`; on a renewal page also `stop`, which ends the sharing that was to be renewed. */
  readonly decision: string | undefined
  /** `mode`, the hidden field: `ConsentReview.mode` of the page that was answered. Undefined: the mode at the decision. */
  readonly shown: Mode | undefined
  /** `scope`, one for each ticked box. */
  readonly scopes: ReadonlyArray<string>
  /** `place`, one for each ticked box. */
  readonly places: ReadonlyArray<string>
  /** `earlier`, one for each ticked box; of places that are not ticked it says nothing. */
  readonly earlier: ReadonlyArray<string>
  /** `standard_days`: 1, 7, 30, 90, never; absent: 30 (Spec §4.2). */
  readonly standardDays: string | undefined
  /** `sensitive_days`: 1, 7, 30, 90; absent: 30. Read only when a sensitive scope is chosen. */
  readonly sensitiveDays: string | undefined
}
