import { Effect } from "effect"
import { Rate, type Subject, takeCall } from "../limits/index.js"

/**
 * Counts a call for a link to a mailbox that need not belong to the caller, and returns whether a link may be mailed.
 * `ofCaller` counts the links to the mailbox that this account or network requested, up to `rate`. `ofMailbox` counts
 * the links to the mailbox that all callers requested. A call beyond the caller's own rate does not count for the
 * mailbox. Otherwise one caller could use up the mailbox's limit, and the owner of the mailbox would get no link.
 */
export const admitLink = (ofCaller: Subject.LimitSubject, rate: Rate.Rate, ofMailbox: Subject.LimitSubject) =>
  Effect.gen(function* () {
    const own = yield* takeCall(ofCaller, rate)
    return own.isAdmitted && (yield* takeCall(ofMailbox, Rate.LINKS_TO_MAILBOX)).isAdmitted
  })
