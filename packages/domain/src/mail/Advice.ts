// What the mails tell an owner whose account somebody else may use. Decisions accounts-10, accounts-13 and consent-9.

/** What somebody else may have left behind: a new password ends the sessions, and none of these. */
export const LOOK =
  "Then look for what you do not know: among your passkeys and second factors, your connected apps and your phones, and in the teams, secrets and webhooks of your own apps. If you cannot sign in, tell those who run this service."

/** For a mail about a change that somebody made who was signed in. */
export const NOT_YOU = `If this was not you, somebody else can use your account. Set a new password now, which signs everybody out.\n\n${LOOK}`

/** For a mail about an app that somebody connected or changed. Disconnecting it does not end the stranger's session. */
export const DISCONNECT = `If this was not you, somebody else can use your account. Disconnect the app, and set a new password now, which signs everybody out.\n\n${LOOK}`
