/**
 * Accounts: people who sign in, as user, developer, reviewer or admin. A sign-in opens a `Session`; a cookie in the
 * browser names the session. A session ends 14 days after its last use, at most 30 days after the sign-in; its owner
 * can list and end sessions. `SignInThrottle` refuses sign-ins after too many failures.
 *
 * The pages and the API call `signIn` and `signOut`; every route of a signed-in person calls `authenticateSession`.
 * Dangerous actions call `requireFreshSession`. For an account with a second factor, `signIn` fails with
 * `FactorRequired`, which contains a `PendingSignIn`, and a program of the room `factors` completes the sign-in.
 *
 * @module
 */

export * as Account from "./Account.js"
export { AccountStore, type AccountCredentials, type ChosenNotices, type LiveSession } from "./AccountStore.js"
export { NoticeKind } from "./NoticeKind.js"
export { choosePassword } from "./choosePassword.js"
export {
  authenticateSession,
  endAllSessions,
  endOtherSessions,
  endSession,
  type ListedSession,
  listSessions,
  listSessionsOf,
  signOut
} from "./sessions.js"
export {
  admit as admitTry,
  checkPassword,
  FactorRequired,
  newTry,
  openSession,
  recordFailure,
  type SignIn,
  signIn,
  TooManyAttempts,
  verifyPassword,
  WrongCredentials
} from "./signIn.js"
export {
  ConfirmationRequired,
  hasFactor,
  isFreshSession,
  requireFreshSession,
  requireFreshWithFactor
} from "./confirm.js"
export { createAccount, type NewAccount, signUp } from "./createAccount.js"
export { changeName } from "./changeName.js"
export { chooseLanguage, chooseTimeZone, learnLanguage, learnTimeZone } from "./locale.js"
export { checkFormToken, findRepeated, formToken, newCookie, type SentForm } from "./forms.js"
export * as KnownBrowser from "./KnownBrowser.js"
export { PasswordHasher } from "./PasswordHasher.js"
export * as PendingSignIn from "./PendingSignIn.js"
export * as PasswordRules from "./PasswordRules.js"
export * as PasswordStrength from "./PasswordStrength.js"
export * as Session from "./Session.js"
export * as SignInThrottle from "./SignInThrottle.js"
