import { Effect } from "effect"
import { Rate, type Subject, takeCall } from "../limits/index.js"

/**
 * Counts a request for a link to a mailbox, and returns whether a link may be mailed. The mailbox may belong to
 * somebody else than the caller. `ofCaller` counts the requests of this account or network for the mailbox, up to
 * `rate`. `ofMailbox` counts the requests of all callers for the mailbox. A request that exceeds the caller's rate does
 * not count for the mailbox. Otherwise one caller could use up the mailbox's limit, and the owner of the mailbox would
 * get no link.
 */
export const admitLink = (ofCaller: Subject.LimitSubject, rate: Rate.Rate, ofMailbox: Subject.LimitSubject) =>
  Effect.gen(function* () {
    const own = yield* takeCall(ofCaller, rate)
    return own.isAdmitted && (yield* takeCall(ofMailbox, Rate.LINKS_TO_MAILBOX)).isAdmitted
  })
