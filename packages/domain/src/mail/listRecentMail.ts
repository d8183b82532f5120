import { Effect } from "effect"
import { type Account, AccountStore } from "../accounts/index.js"
import { program, Vault } from "../shared/index.js"
import * as Mail from "./Mail.js"
import { MailOutbox } from "./MailOutbox.js"

/**
 * A message of the outbox with its address and its full text, in English and UTC. Only the mail about the deletion of
 * an account is in its reader's language and zone (decision deletions-6), and only the mail with the link of a sign-up
 * is in its reader's language and UTC.
 */
export interface RecentMail extends Omit<Mail.KeptMail, "message"> {
  /** The receiver's address; null when the account was deleted and the message has no `address`. */
  readonly to: Account.Email | null
  readonly subject: string
  readonly text: string
}

/**
 * The newest `limit` messages, newest first. Only for a developer's own machine, where no message is sent and everybody
 * may read all messages.
 */
export const listRecentMail = program("listRecentMail", function* (limit: number, addresses: Mail.MailLinks) {
  const accounts = yield* AccountStore
  const vault = yield* Vault.Vault
  const kept = yield* (yield* MailOutbox).recent(limit)
  const result: ReadonlyArray<RecentMail> = yield* Effect.forEach(kept, ({ message, ...rest }) =>
    Effect.zipWith(accounts.find(message.to), Effect.option(Mail.secretOf(vault, message)), (account, secret) => ({
      ...rest,
      to: message.address ?? (account._tag === "Some" ? account.value.email : null),
      subject: message.subject,
      text: Mail.text(message, addresses, secret._tag === "Some" ? secret.value : "")
    }))
  )
  return result
})
