/**
 * E-mail. A message that reports a change is written into the outbox in the same transaction as the change. Workers
 * make at most eight attempts to send the message (`MailSending`), through the `Mailer` port. `Mail` has the type of a
 * message and makes its text; `NamedMail` limits messages that contain an app's name to five an hour for one reader,
 * except mails about decisions of reviewers and admins.
 *
 * @module
 */

export { type RecentMail, listRecentMail } from "./listRecentMail.js"
export * as Mail from "./Mail.js"
export { Mailer, type OutgoingMail } from "./Mailer.js"
export { type DueMail, type MailAttempt, MailOutbox } from "./MailOutbox.js"
export * as MailSending from "./MailSending.js"
export * as NamedMail from "./NamedMail.js"
export { runMail, sendMail } from "./sendMail.js"
