import { Delivery, RetrySchedule } from "@place-access/domain/deliveries"
import { type Html, html, type Value } from "../../html/Html.js"
import { texts } from "../../languages/index.js"
import { ofDomain, time } from "../kit/Time.js"

/** This module writes deliveries in words, for the delivery log and for the page of one delivery. */

const words = texts.webhooks

export const marker = ({ isTest, replayNo }: Delivery.Delivery, isReplayed: boolean): Html =>
  html`${isTest && html` <span class="badge quiet">${words.test}</span>`}${replayNo > 0 && html` <span class="badge quiet">${words.replay(replayNo)}</span>`}${isReplayed && html` <span class="badge quiet">${words.replayed}</span>`}`

export const outcome = (delivery: Delivery.Delivery): Html => {
  const { attempt, dueAt, failReason, isTest, state } = delivery
  const kind = state === "delivered" ? "" : state === "trying" ? " quiet" : " bad"
  return html`<span class="badge${kind}">${words.states[state]}</span>
    <span class="soft small"
      >${
        state === "trying"
          ? dueAt === null
            ? words.attemptOf(attempt, RetrySchedule.MAX_ATTEMPTS)
            : dueAt === Delivery.tooOldAt(delivery)
              ? words.endsTooOld(time(dueAt, "row"))
              : words.attemptDue(attempt, RetrySchedule.MAX_ATTEMPTS, time(dueAt, "row"))
          : failReason !== null && !(isTest && failReason === "exhausted") && words.reasons[failReason]
      }</span
    >`
}

export const answer = (attempt: Delivery.Attempt | null): Value =>
  attempt === null ? "—" : attempt.error === null ? attempt.status : ofDomain(attempt.error)
