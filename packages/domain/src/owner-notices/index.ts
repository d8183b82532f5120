/**
 * The mails that a person can choose: an app asked unusually often, the phone is silent, something ends, a summary of
 * the week. `OwnerNotice.due` decides; the workers' sweep `sendNotices` writes the messages into the outbox, and the
 * settings call `chooseNotices`. A person cannot choose mails about security: they are always sent.
 *
 * @module
 */

export { chooseNotices, listChosenNotices } from "./chooseNotices.js"
export * as OwnerNotice from "./OwnerNotice.js"
export { sendNotices } from "./sendNotices.js"
