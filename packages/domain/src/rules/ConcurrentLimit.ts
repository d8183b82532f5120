import type { Timestamp } from "../shared/Timestamp.js"
import type { Window } from "./Rule.js"

/** At most ten rules of a connection may be active at the same instant (Spec §4.6.6). */
export const MAX_ACTIVE = 10

/**
 * The first instant, from `now` on, at which `candidate` would be the eleventh active rule; undefined when it fits. Windows
 * are half-open; place and zone rules and disabled ones count alike, finished and deleted ones do not (decision L11).
 */
export const firstOverflow = (
  present: ReadonlyArray<Window>,
  candidate: Window,
  now: Timestamp
): Timestamp | undefined => {
  const begin = ({ from }: Window): Timestamp => (from === null || from < now ? now : from)
  const isActive = (window: Window, at: Timestamp): boolean =>
    begin(window) <= at && (window.until === null || at < window.until)
  // The number of active rules grows only where one begins.
  return [candidate, ...present]
    .map(begin)
    .filter((at) => isActive(candidate, at))
    .sort((a, b) => a - b)
    .find((at) => present.filter((window) => isActive(window, at)).length >= MAX_ACTIVE)
}
