import { Effect } from "effect"
import { Rate, type Subject, takeCall } from "../limits/index.js"

/**
 * Counts a call for a link to a mailbox that need not belong to the caller, and returns whether a link may be mailed.
 * `ofCaller` are the links that this account or network asked for, `ofMailbox` those that all callers asked for. A call
 * that is beyond the caller's own limit does not count for the mailbox. Otherwise one caller could use up the mailbox's
 * limit, and the owner of the mailbox would get no link.
 */
export const admitLink = (ofCaller: Subject.LimitSubject, ofMailbox: Subject.LimitSubject) =>
  Effect.gen(function* () {
    const own = yield* takeCall(ofCaller, Rate.LINKS)
    return own.isAdmitted && (yield* takeCall(ofMailbox, Rate.LINKS_TO_MAILBOX)).isAdmitted
  })
