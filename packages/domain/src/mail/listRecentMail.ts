import { Effect } from "effect"
import { AccountStore } from "../accounts/AccountStore.js"
import type { Email } from "../accounts/Account.js"
import type { StoreError } from "../shared/StoreError.js"
import * as Mail from "./Mail.js"
import { MailOutbox } from "./MailOutbox.js"

/** A message as its reader would have it. */
export interface Letter extends Omit<Mail.Kept, "message"> {
  /** Null when there is no such account any more. */
  readonly to: Email | null
  readonly subject: string
  readonly text: string
}

/**
 * What was written to anybody, the newest first. For a developer's own machine where no mail leaves: everybody there may read
 * everything.
 */
export const listRecentMail = (
  limit: number,
  addresses: Mail.Addresses
): Effect.Effect<ReadonlyArray<Letter>, StoreError, MailOutbox | AccountStore> =>
  Effect.gen(function* () {
    const accounts = yield* AccountStore
    const kept = yield* (yield* MailOutbox).recent(limit)
    return yield* Effect.forEach(kept, ({ message, ...rest }) =>
      Effect.map(accounts.find(message.to), (account) => ({
        ...rest,
        to: message.address ?? (account._tag === "Some" ? account.value.email : null),
        subject: message.subject,
        text: Mail.text(message, addresses)
      }))
    )
  }).pipe(Effect.withSpan("listRecentMail"))
