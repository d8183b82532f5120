import { Today } from "@place-access/domain/timeline"
import type { ConnectionView } from "@place-access/domain/connection"
import { Scope } from "@place-access/domain/shared"
import { forReader, type Html, html, nothing } from "../../html/Html.js"
import { texts } from "../../languages/index.js"
import { time } from "../kit/Time.js"

const words = texts.steering.marks

/**
 * The badges of a live connection that a person should notice in a list (decision connection-11). They say that the app
 * gets the exact location, and what ends within a week.
 */
export const marks = (connection: ConnectionView.UserConnection): Html => {
  const { heldScopes, live, onHold, pause, sensitiveLapsedAt } = connection
  if (!live) return nothing
  const isAnswered = pause === null && !onHold
  const isExact = isAnswered && heldScopes.some(Scope.isSensitive) && sensitiveLapsedAt === null
  return forReader(({ now }) => {
    const ending = Today.ending([connection], now)
    const exact = ending.find(({ what }) => what === "exact_location")
    const whole = ending.find(({ what }) => what === "connection")
    return html`
      ${isExact && badge(exact === undefined ? words.exact : words.exactEnds(time(exact.at, "day")))}
      ${whole !== undefined && badge(words.ends(time(whole.at, "day")))}
    `
  })
}

const badge = (text: Html): Html => html`<span class="badge warn">${text}</span>`
