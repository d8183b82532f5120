import {
  type ListedRule,
  type RecentEvaluations,
  type Rule,
  RuleEvaluation,
  type RuleLife
} from "@place-access/domain/rules"
import { Timestamp } from "@place-access/domain/shared"
import { type Html, html } from "../kit/Html.js"
import { time } from "../kit/Time.js"

/** Rules and what became of them, as their user reads them. */

/** Nothing for an active one: the sentence is true as it stands. */
const BADGES: Readonly<Record<RuleLife.State, string | null>> = {
  active: null,
  inactive: "Not yet",
  disabled: "Not now",
  finished: "Over"
}

export const stateBadge = ({ state }: ListedRule): Html | false => {
  const words = BADGES[state]
  return words !== null && html`<span class="badge quiet">${words}</span>`
}

/** `When you arrive at Home, until …` */
export const sentence = ({ dwellMinutes, target, type, window }: Rule.Rule, appName: string): Html => {
  const what =
    type === "enter"
      ? "When you arrive at"
      : type === "exit"
        ? "When you leave"
        : `When you stay ${dwellMinutes} minutes at`
  return html`${what}
    <strong>${target.label}</strong
    >${target._tag === "Zone" && area(target, appName)}${window.from !== null && html`, from ${time(window.from)}`}${window.until !== null && html`, until ${time(window.until)}`}`
}

/** Not a place of the user's: where it lies is the app's choice, and the user may know it. */
const area = ({ circle }: Rule.Zone, appName: string): Html =>
  html`, an area that ${appName} chose: ${circle.radiusM} m around ${circle.lat.toFixed(5)}, ${circle.lon.toFixed(5)}`

/** What one reading did to the rule. */
export const evaluation = (
  rule: Rule.Rule,
  { capturedAt, outcome, receivedAt }: RecentEvaluations.Evaluation,
  appName: string
): string => {
  switch (outcome) {
    case "seeded":
      return "The first clear reading: it only shows where you begin."
    case "boundary":
      return "Too near the edge to tell whether you were there."
    case "no_change":
      return rule.type === "dwell" ? "No change, or not long enough yet." : "No change."
    case "crossed":
      return `${unasked(rule.type)} Nothing was told.`
    case "stale":
      // Sent in time: it is from before the rule began.
      if (receivedAt - capturedAt <= RuleEvaluation.STALE_AFTER) {
        return `${happened(rule)} before ${appName} could ask: ${appName} was not told.`
      }
      return `${happened(rule)}, but your phone sent it ${later(receivedAt - capturedAt)} later: ${appName} was not told.`
    case "cooling_down":
      return `${happened(rule)}, less than 2 minutes after the last time: ${appName} was not told again.`
    case "outside_window":
      return "Outside the time that it asks about."
    case "late":
      return "Your phone sent it more than a day after that time was over: not looked at."
    case "out_of_order":
      return "Older than what was known already: not looked at."
    case "fired":
      return `${happened(rule)}: a message to ${appName} was written.`
  }
}

const happened = ({ dwellMinutes, type }: Rule.Rule): string => {
  switch (type) {
    case "enter":
      return "You came in"
    case "exit":
      return "You went out"
    case "dwell":
      return `You had stayed ${dwellMinutes} minutes`
  }
}

const unasked = (type: Rule.Type): string => {
  switch (type) {
    case "enter":
      return "You went out, which it does not ask about."
    case "exit":
      return "You came in, which it does not ask about."
    case "dwell":
      return "You came in or went out; it asks about stays alone."
  }
}

const later = (millis: number): string =>
  millis < 2 * Timestamp.HOUR
    ? `${Math.floor(millis / Timestamp.MINUTE)} minutes`
    : millis < 2 * Timestamp.DAY
      ? `${Math.floor(millis / Timestamp.HOUR)} hours`
      : `${Math.floor(millis / Timestamp.DAY)} days`
