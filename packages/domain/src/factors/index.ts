/**
 * Second factors: passkeys, apps for one-time codes, and recovery codes. The password alone opens no session of an
 * account that has a factor: `signIn` (in `accounts`) ends in a pending sign-in, which `finishSignIn` completes.
 * `signInWithPasskey` signs in without a password. `confirmSession` asks the owner of a session for a new proof of
 * identity. The pages of the settings call the programs of `manageFactors`, and an operator calls `removeFactors` for
 * an owner who lost every factor.
 *
 * @module
 */

export { type ChallengeUse, issueChallenge } from "./challenges.js"
export { type Confirming, confirmSession, type IdentityProof } from "./confirmSession.js"
export * as Factors from "./Factors.js"
export { type FactorChange, FactorStore } from "./FactorStore.js"
export {
  addPasskey,
  beginCodeApp,
  confirmCodeApp,
  describeFactors,
  keepFactors,
  type NewPasskey,
  pendingCodeApp,
  removeCodeApp,
  removePasskey,
  replaceRecoveryCodes
} from "./manageFactors.js"
export * as OneTimeCode from "./OneTimeCode.js"
export { OneTimeCodes } from "./OneTimeCodes.js"
export { PasskeyRejected, type PasskeyResponse, PasskeyVerifier } from "./PasskeyVerifier.js"
export { WrongFactor } from "./proveFactor.js"
export * as RecoveryCode from "./RecoveryCode.js"
export { type RemovalOutcome, removeFactors } from "./removeFactors.js"
export {
  describePending,
  type FactorProof,
  finishSignIn,
  PendingOver,
  type SecondStep,
  signInWithPasskey
} from "./signInWithFactor.js"
