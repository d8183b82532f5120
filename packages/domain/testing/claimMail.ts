import { Effect } from "effect"
import * as Bucket from "../src/leases/Bucket.js"
import { type DueMail, MailOutbox } from "../src/mail/MailOutbox.js"
import type { StoreError } from "../src/shared/Errors.js"
import type { Timestamp } from "../src/shared/Timestamp.js"

/**
 * Begins an attempt at each due message, up to `limit`, and returns the messages that this caller has begun. A message
 * without a result is due again at `dueAt`. For tests: workers begin a message only when they send it.
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
