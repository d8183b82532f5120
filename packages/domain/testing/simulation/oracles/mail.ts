import type { Oracle, Run } from "../Oracle.js"
import { DAY, MAIL_WAITS, MINUTE } from "../Specification.js"
import type { Mailed } from "../Trace.js"
import { spanOf } from "./support/trace/Happened.js"
import { index } from "./support/trace/Ops.js"

/**
 * The oracle of mail that the mail server refused or did not answer: the service must send the mail again or give it up
 * (decisions mail-3 and mail-4).
 */

type Sending = Mailed & { readonly i: number; readonly passed: number }

/** The attempts to send each message, by the message's id. */
const sendings = ({ entries }: Run): ReadonlyMap<string, ReadonlyArray<Sending>> => {
  const all = new Map<string, Array<Sending>>()
  for (const entry of entries) {
    if (entry.kind !== "mailed") continue
    const same = all.get(entry.id)
    if (same === undefined) all.set(entry.id, [entry])
    else same.push(entry)
  }
  return all
}

/**
 * The longest time from the end of a message's wait to its next attempt. The worker looks for due mail every five
 * seconds.
 */
const LATE = MINUTE

/**
 * The number of an entry before which no fault can have made the service count an attempt that the trace does not show.
 * The longest wait between two attempts is a day. So a hidden attempt before the first visible one began at most a day
 * before it.
 */
const firstOf = ({ entries }: Run, [first]: ReadonlyArray<Sending>): number =>
  entries.find(({ passed }) => first === undefined || passed >= first.passed - DAY - LATE)?.i ?? 0

const m1: Oracle = {
  name: "M1",
  rule: "A message that its mailbox refuses is given up; one that the server does not take is sent again under its id, after each wait, eight times at most (decisions mail-3, mail-4)",
  check: (run) => {
    const { clockWasSet, isCalm, skewMs } = index(run)
    const end = run.entries.at(-1)
    const wrong: Array<{ readonly at: number; readonly detail: string }> = []
    for (const [id, all] of sendings(run)) {
      for (const [count, one] of all.entries()) {
        const say = (at: number, detail: string) => wrong.push({ at, detail: `message ${id} ${detail}` })
        const next = all[count + 1]
        // The wait before the next attempt grows with the number of attempts, and the service may have counted attempts
        // that the trace does not show: an attempt that a fault stopped before the mail server. So `wait`, from the
        // attempts in the trace, is the shortest possible wait. It is the exact wait only if no fault struck at any
        // attempt of the message.
        const wait = one.bounced === "NotSent" ? MAIL_WAITS[count] : undefined
        if (next === undefined) {
          const isOver = wait === undefined || end === undefined || end.passed - one.passed <= wait + LATE
          if (!isOver && isCalm(firstOf(run, all), end.i)) say(one.i, "was not taken, and is not sent again")
        } else if (wait === undefined) {
          if (isCalm(one.i, next.i)) say(next.i, `was sent again after it was ${one.bounced ?? "sent"}`)
        } else if (next.passed - one.passed < wait - 2 * skewMs && !clockWasSet(one.i, next.i)) {
          say(next.i, `was sent again after ${spanOf(next.passed - one.passed)}`)
        }
      }
    }
    return wrong
  }
}

export const mail: ReadonlyArray<Oracle> = [m1]
