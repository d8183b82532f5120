import type { Geometry } from "@place-access/domain/places"
import { type ListedRule, type RecentEvaluations, type Rule, RuleEvaluation } from "@place-access/domain/rules"
import { Timestamp } from "@place-access/domain/shared"
import { type Html, html } from "../../html/Html.js"
import { texts } from "../../languages/index.js"
import { ownHost } from "../../rules/ownHost.js"
import { time } from "../kit/Time.js"
import { nearestTown } from "../land/Land.js"

/** This module writes rules and their evaluations in words for the user. */

const words = texts.rules

/**
 * The badge with a rule's state. An active rule has no badge, because the sentence about the rule needs no addition
 * then.
 */
export const stateBadge = ({ state }: ListedRule): Html | false =>
  state !== "active" && html`<span class="badge quiet">${words.states[state]}</span>`

/**
 * The rule as a sentence: `When you arrive at Home, until …`. The sentence about an imported rule also names the host
 * to which its events are sent.
 */
export const sentence = (rule: Rule.Rule, appName: string): Html => {
  const [said, host] = [inTime(rule, appName), ownHost(rule)]
  return host === null ? said : words.sentOnlyTo(said, html`<code>${host}</code>`)
}

const inTime = (rule: Rule.Rule, appName: string): Html => {
  const { target, window } = rule
  const name = html`<strong>${target.label}</strong>`
  const place = target._tag === "Zone" ? area(name, target, appName) : name
  const whenText = condition(rule, place)
  return words.window(
    rule.silenceS !== null
      ? words.silent(whenText, rule.silenceS)
      : rule.settleS === null || rule.settleS === 0
        ? whenText
        : words.settles(whenText, rule.settleS),
    window.from === null ? null : time(window.from),
    window.until === null ? null : time(window.until)
  )
}

const condition = ({ dwellMinutes, type }: Rule.Rule, place: Html): Html =>
  type === "dwell" ? words.condition.dwell(place, dwellMinutes ?? 0) : words.condition[type](place)

/**
 * The area of a zone rule. The app, and not the user, chose this area, so the text tells the user where the area is.
 */
const area = (name: Html, { circle }: Rule.ZoneTarget, appName: string): Html =>
  words.area(name, appName, circle.radiusM, centre(circle))

/**
 * A point as coordinates, with the town that is near: most people cannot tell from coordinates alone where the point
 * is.
 */
const centre = (point: Geometry.Point): Html => {
  const [at, town] = [`${point.lat.toFixed(5)}, ${point.lon.toFixed(5)}`, nearestTown(point)]
  return html`${town === null ? at : words.nearTown(at, town)}`
}

/** The effect of one reading on the rule, in words for the user. */
export const evaluation = (
  rule: Rule.Rule,
  { capturedAt, outcome, receivedAt }: RecentEvaluations.Evaluation,
  appName: string
): Html => {
  const { outcomes } = words
  switch (outcome) {
    case "seeded":
      return outcomes.seeded
    case "boundary":
      return outcomes.boundary
    case "no_change":
      return outcomes.noChange[rule.type]
    case "crossed":
      return outcomes.crossed[rule.type](appName)
    case "stale":
      // A reading is stale when it arrived too late, or when it is from before the rule began. This reading arrived in
      // time, so the second reason applies.
      return receivedAt - capturedAt <= RuleEvaluation.STALE_AFTER
        ? outcomes.beforeRule(happened(rule), appName)
        : outcomes.sentLate(happened(rule), later(receivedAt - capturedAt), appName)
    case "cooling_down":
      return outcomes.coolingDown(happened(rule), appName)
    case "settling":
      return outcomes.settling(happened(rule), rule.settleS ?? 0, appName)
    case "contradicted":
      return outcomes.contradicted(appName)
    case "outside_window":
      return outcomes.outsideWindow
    case "late":
      return outcomes.late
    case "out_of_order":
      return outcomes.outOfOrder
    case "fired":
      return outcomes.fired(happened(rule), appName)
  }
}

const happened = ({ dwellMinutes, type }: Rule.Rule): Html =>
  type === "dwell" ? words.happened.dwell(dwellMinutes ?? 0) : words.happened[type]

const later = (millis: number): Html =>
  millis < 2 * Timestamp.HOUR
    ? words.later.minutes(Math.floor(millis / Timestamp.MINUTE))
    : millis < 2 * Timestamp.DAY
      ? words.later.hours(Math.floor(millis / Timestamp.HOUR))
      : words.later.days(Math.floor(millis / Timestamp.DAY))
