// What the mails tell an owner whose account somebody else may use. Decisions accounts-10, accounts-13 and consent-9.

/**
 * Says where the owner must look for things that a stranger may have added to the account. A new password ends the
 * stranger's sessions, but removes none of these things.
 */
export const LOOK =
  "Then look for what you do not know: among your passkeys and second factors, your connected apps and your phones, and in the teams, secrets and webhooks of your own apps. If you cannot sign in, tell those who run this service."

/** The advice in a mail about a change that a signed-in person made. */
export const NOT_YOU = `If this was not you, somebody else can use your account. Set a new password now, which signs everybody out.\n\n${LOOK}`

/**
 * The advice in a mail about an app that somebody connected or changed. Disconnecting the app does not end the
 * stranger's session.
 */
export const DISCONNECT = `If this was not you, somebody else can use your account. Disconnect the app, and set a new password now, which signs everybody out.\n\n${LOOK}`
