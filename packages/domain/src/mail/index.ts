/**
 * E-mail. A message is written into the outbox in the same transaction as the change that it reports; workers send it
 * under a lease, at most eight times (`MailSending`), through the `Mailer` port. `Mail` has every kind of message,
 * `NamedMail` limits messages that carry an app's name to five an hour for one reader.
 *
 * @module
 */

export { type Letter, listRecentMail } from "./listRecentMail.js"
export * as Mail from "./Mail.js"
export { Mailer, type OutgoingMail } from "./Mailer.js"
export { type DueMail, type MailAttempt, MailOutbox } from "./MailOutbox.js"
export * as MailSending from "./MailSending.js"
export * as NamedMail from "./NamedMail.js"
export { runMail, sendMail } from "./sendMail.js"
