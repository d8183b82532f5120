import type { Timestamp } from "../shared/Timestamp.js"
import type { RuleWindow } from "./Rule.js"

/** At most ten rules of a connection may be active at the same instant (Spec §4.6.6). */
export const MAX_ACTIVE = 10

/**
 * The first instant from `now` on at which `candidate` would be the eleventh active rule, if any. A window includes its
 * beginning and excludes its end. Place rules and zone rules count, disabled rules too; finished and deleted rules do
 * not (decision L11).
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
