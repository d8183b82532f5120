/**
 * Passwords, confirmed addresses and mailed links, which prove who owns an account. `beginSignUp` makes an account, or
 * mails a link with which `confirmSignUp` makes it. `requestAddressChange` and `confirmAddress` change the address, and
 * `undoAddressChange` restores the old one (`AddressChange` decides). `rememberSignIn` makes a browser known to the
 * account that signed in, and mails the owner about a browser that was unknown. `requestUnlock` mails a link with which
 * the owner can sign in while strangers guess passwords.
 *
 * Replacing a password: `changePassword` asks for the old password. `requestReset` mails a link that works once
 * (`AccountLink`), and `issueResetLink` gives a link to an operator. `resetPassword` sets a new password with the link.
 * `PasswordChange` has the decisions, which the store calls after it has locked the account. Each new password raises
 * `passwordVersion`. So a sign-in that checked the old password just before the change opens no valid session. The
 * pages, the API and the command line call these programs.
 *
 * @module
 */

export * as AccountLink from "./AccountLink.js"
export * as AddressChange from "./AddressChange.js"
export {
  confirmAddress,
  describeConfirmation,
  describeUndo,
  requestAddressChange,
  requestConfirmation,
  undoAddressChange
} from "./changeAddress.js"
export { changePassword, type NewPassword } from "./changePassword.js"
export { CredentialStore } from "./CredentialStore.js"
export * as PasswordChange from "./PasswordChange.js"
export type { ProvedBy } from "./NewBrowser.js"
export { describeUnlock, knowBrowser, rememberSignIn, requestUnlock, useUnlock } from "./knownBrowsers.js"
export {
  beginSignUp,
  confirmSignUp,
  describeSignUp,
  requestSignUp,
  resendSignUp,
  type SignUpByMail
} from "./signUpByMail.js"
export * as SignUpRequest from "./SignUpRequest.js"
export { describeReset, issueResetLink, requestReset, resetPassword } from "./resetPassword.js"
