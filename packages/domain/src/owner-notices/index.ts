/**
 * Owner notices: the mails that a person can choose to get. A notice reports that an app asked unusually often, that
 * the phone is silent, or that a connection or permission ends; another one sums up the week. `OwnerNotice.due`
 * decides; the workers' sweep `sendNotices` writes the messages into the outbox, and the settings call `chooseNotices`.
 * A person cannot choose mails about security: they are always sent.
 *
 * @module
 */

export * as OwnerNotice from "./OwnerNotice.js"
export { chooseNotices, listChosenNotices, sendNotices } from "./notices.js"
