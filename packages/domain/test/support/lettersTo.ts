import type { Account } from "@place-access/domain/accounts"
import { Mail, MailOutbox } from "@place-access/domain/mail"
import { type UserId, Vault } from "@place-access/domain/shared"
import { Effect } from "effect"

/**
 * The subjects and texts of the mails to an address, newest first. `owner` is the account with this address, because
 * some mails name their account instead of an address. `listRecentMail` would also decrypt the mails of other
 * scenarios, which share the database.
 */
export const lettersTo = (address: Account.Email, owner: UserId | undefined) =>
  Effect.gen(function* () {
    const vault = yield* Vault.Vault
    const kept = yield* (yield* MailOutbox).recent(10_000)
    const mine = kept.filter(({ message }) =>
      message.address === undefined ? message.to === owner : message.address === address
    )
    return yield* Effect.forEach(mine, ({ message }) =>
      Effect.map(Mail.secretOf(vault, message), (secret) => ({
        subject: message.subject,
        text: Mail.text(message, { portal: "", service: "" }, secret)
      }))
    )
  })
