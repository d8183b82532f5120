import type { Timestamp } from "../shared/Timestamp.js"
import type { RuleWindow } from "./Rule.js"

/** At most ten rules of a connection may be active at the same instant (Spec §4.6.6). */
export const MAX_ACTIVE = 10

/**
 * The first instant from `now` on at which `candidate` would be the connection's eleventh active rule; undefined when
 * there is none. `present` has the windows of the connection's other rules, about places and about zones. Disabled
 * rules are included, deleted rules are not (decision L11). A window that has ended changes nothing. A window includes
 * its beginning and excludes its end.
 */
export const firstOverflow = (
  present: ReadonlyArray<RuleWindow>,
  candidate: RuleWindow,
  now: Timestamp
): Timestamp | undefined => {
  const begin = ({ from }: RuleWindow): Timestamp => (from === null || from < now ? now : from)
  const inOrder = (times: ReadonlyArray<Timestamp>) => [...times].sort((a, b) => a - b)
  const begins = inOrder(present.map(begin))
  const ends = inOrder(present.flatMap(({ until }) => (until === null ? [] : [until])))
  // The loop reads `begins` and `ends` only once. Counting all windows again at each instant would block the process
  // for seconds when there are thousands of rules.
  let [begun, ended] = [0, 0]
  const activeAt = (at: Timestamp): number => {
    while (begun < begins.length && (begins[begun] ?? Infinity) <= at) begun++
    while (ended < ends.length && (ends[ended] ?? Infinity) <= at) ended++
    return begun - ended
  }
  // The number of active rules can only grow at the beginning of a window, so only these instants are checked.
  return inOrder([candidate, ...present].map(begin))
    .filter((at) => begin(candidate) <= at && (candidate.until === null || at < candidate.until))
    .find((at) => activeAt(at) >= MAX_ACTIVE)
}
