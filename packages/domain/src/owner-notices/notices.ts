import { Effect, Option } from "effect"
import * as Account from "../accounts/Account.js"
import { AccountStore, type ChosenNotices } from "../accounts/AccountStore.js"
import type { NoticeKind } from "../accounts/NoticeKind.js"
import { listConnections } from "../connection/readConnections.js"
import { listDevices } from "../devices/index.js"
import type { PeopleLeases } from "../leases/WorkLeases.js"
import { MailOutbox } from "../mail/MailOutbox.js"
import { program, Timestamp, TimeZone, type UserId } from "../shared/index.js"
import { readActivity } from "../timeline/readToday.js"
import * as Today from "../timeline/Today.js"
import * as OwnerNotice from "./OwnerNotice.js"

/** The notices that the person chose. Empty when the person never chose. */
export const listChosenNotices = program("listChosenNotices", function* (userId: UserId) {
  return yield* (yield* AccountStore).notices(userId)
})

/** Replaces the person's choice of notices. The next sweep uses the new choice. */
export const chooseNotices = program("chooseNotices", function* (userId: UserId, kinds: ReadonlyArray<NoticeKind>) {
  yield* (yield* AccountStore).chooseNotices(userId, [...new Set(kinds)].sort())
})

/** How many people one query reads. */
const BATCH = 100
const AT_ONCE = 4

/**
 * Writes the due notices of the people who chose notices, in the buckets that this worker leases
 * (`PeopleLeases.buckets`). Returns the number of these people. This program may be interrupted and repeated, because
 * the outbox stores only one message with each `dedupeKey`.
 */
export const sendNotices = program("sendNotices", function* (people: PeopleLeases) {
  const accounts = yield* AccountStore
  let looked = 0
  let after: UserId | undefined
  for (;;) {
    const chosen = yield* accounts.listNotified({ buckets: yield* people.buckets, limit: BATCH, after })
    yield* Effect.forEach(chosen, (one) => people.using(one.userId, noticesOf(one)), { concurrency: AT_ONCE })
    looked += chosen.length
    if (chosen.length < BATCH) return looked
    after = chosen.at(-1)?.userId
  }
})

/**
 * Writes the due notices of one person. A failure is logged and does not stop the sweep; the next sweep tries this
 * person again.
 */
const noticesOf = ({ kinds, userId }: ChosenNotices) =>
  Effect.gen(function* () {
    const account = Option.getOrUndefined(yield* (yield* AccountStore).find(userId))
    if (account === undefined || account.suspendedAt !== null) return
    const now = yield* Timestamp.now
    const zone = Option.getOrElse(Account.zoneOf(account), () => TimeZone.UTC)
    const connections = yield* listConnections(userId)
    const facts: OwnerNotice.Facts = {
      userId,
      zone,
      activity: (yield* readActivity(userId, zone)).activity,
      phone: Today.phone(yield* listDevices(userId), now),
      ending: Today.ending(connections, now),
      connections: connections.filter(({ live }) => live).length
    }
    const outbox = yield* MailOutbox
    for (const message of OwnerNotice.due(kinds, facts, now)) yield* outbox.put(message, now)
  }).pipe(Effect.catchAllCause((cause) => Effect.logWarning("Notices are left to the next sweep", userId, cause)))
