/**
 * Replacing what signs a person in. `changePassword` asks for the old password. `requestReset` mails a link that works
 * once (`AccountLink`), and `resetPassword` uses it; `issueResetLink` gives an operator such a link. `PasswordChange`
 * decides both under the lock of the account. The version of the password ends also the session of a sign-in that is
 * under way with the old one. The pages of settings and sign-in call these programs, and so does the command line.
 *
 * @module
 */

export * as AccountLink from "./AccountLink.js"
export { changePassword, type NewPassword } from "./changePassword.js"
export { CredentialStore } from "./CredentialStore.js"
export * as PasswordChange from "./PasswordChange.js"
export { describeReset, issueResetLink, requestReset, resetPassword } from "./resetPassword.js"
