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

/** Rules and their evaluations, in words for the user. */

/** The badge of a rule's state. An active rule has none, because its sentence needs no qualification. */
const BADGES: Readonly<Record<RuleLife.RuleState, string | null>> = {
  active: null,
  inactive: "Not yet",
  disabled: "Not now",
  finished: "Over"
}

export const stateBadge = ({ state }: ListedRule): Html | false => {
  const words = BADGES[state]
  return words !== null && html`<span class="badge quiet">${words}</span>`
}

/** The rule as a sentence: `When you arrive at Home, until …`. */
export const sentence = (rule: Rule.Rule, appName: string): Html => {
  const { target, window } = rule
  return html`${condition(rule)}
    <strong>${target.label}</strong
    >${target._tag === "Zone" && area(target, appName)}${window.from !== null && html`, from ${time(window.from)}`}${window.until !== null && html`, until ${time(window.until)}`}`
}

const condition = ({ dwellMinutes, type }: Rule.Rule): string => {
  switch (type) {
    case "enter":
      return "When you arrive at"
    case "exit":
      return "When you leave"
    case "dwell":
      return `When you stay ${dwellMinutes} minutes at`
  }
}

/** The area of a zone rule. Unlike a place, the app chose it, so the user sees where it lies. */
const area = ({ circle }: Rule.ZoneTarget, appName: string): Html =>
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
      return "Too near the edge to decide whether you were there."
    case "no_change":
      return UNCHANGED[rule.type]
    case "crossed":
      return `${unasked(rule.type)} ${appName} got no notification.`
    case "stale":
      // The phone sent the reading in time, so the reading is from before the rule began.
      if (receivedAt - capturedAt <= RuleEvaluation.STALE_AFTER) {
        return `${happened(rule)} before this rule began: ${appName} got no notification.`
      }
      return `${happened(rule)}, but your phone sent it ${later(receivedAt - capturedAt)} later: ${appName} got no notification.`
    case "cooling_down":
      return `${happened(rule)}, less than 2 minutes after the last time: ${appName} got no second notification.`
    case "outside_window":
      return "Outside the time for which the rule is valid."
    case "late":
      return "Your phone sent it more than a day after the rule had ended: ignored."
    case "out_of_order":
      return "Older than a reading that was checked before: ignored."
    case "fired":
      return `${happened(rule)}: we prepared a notification for ${appName}.`
  }
}

const UNCHANGED: Readonly<Record<Rule.RuleType, string>> = {
  enter: "No change.",
  exit: "No change.",
  dwell: "No change, or not long enough yet."
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

const unasked = (type: Rule.RuleType): string => {
  switch (type) {
    case "enter":
      return "You went out, which this rule does not watch."
    case "exit":
      return "You came in, which this rule does not watch."
    case "dwell":
      return "You came in or went out; this rule watches only stays."
  }
}

const later = (millis: number): string =>
  millis < 2 * Timestamp.HOUR
    ? `${Math.floor(millis / Timestamp.MINUTE)} minutes`
    : millis < 2 * Timestamp.DAY
      ? `${Math.floor(millis / Timestamp.HOUR)} hours`
      : `${Math.floor(millis / Timestamp.DAY)} days`
