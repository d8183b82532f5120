/**
 * Purposes: why an app wants raw coordinates, in words that users read. A purpose is a draft, in review, approved or
 * rejected, and can be archived for good (`PurposeLife`). A request for coordinates must name a purpose that the app
 * can use now, which `PurposeGate` checks. `flagVolumes` flags apps that request coordinates much more often than their
 * purposes announced. `managePurposes.ts` has the programs for developers, and `decidePurpose.ts` has the program for
 * reviewers.
 *
 * @module
 */

export {
  archivePurpose,
  createPurpose,
  listPurposes,
  type NewPurpose,
  submitPurpose,
  updatePurpose,
  usePurpose
} from "./managePurposes.js"
export { decidePurpose } from "./decidePurpose.js"
export { describePurposes, type LoggedPurpose } from "./describePurposes.js"
export * as DeclaredScopes from "./DeclaredScopes.js"
export { flagVolumes, listOwnVolumeFlags, listVolumeFlags, type ReadableFlag } from "./flagVolumes.js"
export * as Purpose from "./Purpose.js"
export * as PurposeGate from "./PurposeGate.js"
export * as PurposeLife from "./PurposeLife.js"
export { type PurposeChange, PurposeStore } from "./PurposeStore.js"
export * as VolumeFlag from "./VolumeFlag.js"
export { VolumeFlagStore } from "./VolumeFlagStore.js"
export * as PurposeReview from "./PurposeReview.js"
