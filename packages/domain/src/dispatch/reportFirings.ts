import { ruleIdOf, type WaitingEvent } from "../events/Event.js"
import { report } from "../figures/FiguresRecorder.js"

/**
 * Counts the firings for the developer's figures. Called only after the events are marked as fanned out: an event that
 * is not marked is read again, and would count twice. A firing counts once, even if it has no receiver or several.
 */
export const reportFirings = (events: ReadonlyArray<WaitingEvent>) =>
  report((to) => {
    for (const { appId, payload, storedAt } of events) if (ruleIdOf(payload) !== null) to.fired(appId, storedAt)
  })
