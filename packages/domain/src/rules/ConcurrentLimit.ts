import type { Timestamp } from "../shared/Timestamp.js"
import type { RuleWindow } from "./Rule.js"

/** At most ten rules of a connection may be active at the same instant (Spec §4.6.6). */
export const MAX_ACTIVE = 10

/**
 * The first instant from `now` on at which `candidate` would be the connection's eleventh active rule; undefined when
 * there is none. `present` has the windows of the connection's other rules, about places and about zones. Disabled
 * rules are included, but finished and deleted rules are not (decision L11). A window includes its beginning and
 * excludes its end.
 */
export const firstOverflow = (
  present: ReadonlyArray<RuleWindow>,
  candidate: RuleWindow,
  now: Timestamp
): Timestamp | undefined => {
  const begin = ({ from }: RuleWindow): Timestamp => (from === null || from < now ? now : from)
  const isActive = (window: RuleWindow, at: Timestamp): boolean =>
    begin(window) <= at && (window.until === null || at < window.until)
  // The number of active rules can only grow at the beginning of a window, so only these instants are checked.
  return [candidate, ...present]
    .map(begin)
    .filter((at) => isActive(candidate, at))
    .sort((a, b) => a - b)
    .find((at) => present.filter((window) => isActive(window, at)).length >= MAX_ACTIVE)
}
