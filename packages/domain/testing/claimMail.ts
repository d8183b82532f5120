import { Effect } from "effect"
import * as Bucket from "../src/leases/Bucket.js"
import { type DueMail, MailOutbox } from "../src/mail/MailOutbox.js"
import type { StoreError } from "../src/shared/Errors.js"
import type { Timestamp } from "../src/shared/Timestamp.js"

/**
 * Begins an attempt for each due message, at most `limit`, but sends nothing. Only tests call this function. Returns
 * the messages whose attempt this call began. If no result of the attempt is stored, the message is due again at
 * `dueAt`.
 */
export const claimMail = (
  limit: number,
  now: Timestamp,
  dueAt: Timestamp
): Effect.Effect<ReadonlyArray<DueMail>, StoreError, MailOutbox> =>
  Effect.gen(function* () {
    const outbox = yield* MailOutbox
    return yield* Effect.filter(yield* outbox.due(Bucket.ALL, limit, now), (one) => outbox.begin(one, dueAt))
  })
