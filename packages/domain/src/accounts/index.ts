/**
 * Accounts: people who sign in with e-mail and password, as user, developer, reviewer or admin. A sign-in opens a
 * `Session` of 14 days, which its cookie names. `SignInThrottle` closes sign-in after too many failures. The pages call
 * `signIn`, `signOut` and `signUp`; every route of a signed-in person calls `authenticateSession`.
 *
 * @module
 */

export * as Account from "./Account.js"
export { AccountStore, type AccountCredentials } from "./AccountStore.js"
export { choosePassword } from "./choosePassword.js"
export {
  authenticateSession,
  checkPassword,
  type SignIn,
  signIn,
  signOut,
  TooManyAttempts,
  verifyPassword,
  WrongCredentials
} from "./signIn.js"
export { createAccount, type NewAccount, signUp } from "./createAccount.js"
export { checkFormToken, formToken } from "./formToken.js"
export { PasswordHasher } from "./PasswordHasher.js"
export * as PasswordRules from "./PasswordRules.js"
export * as PasswordStrength from "./PasswordStrength.js"
export * as Session from "./Session.js"
export * as SignInThrottle from "./SignInThrottle.js"
