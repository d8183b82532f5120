import type { Delivery } from "@place-access/domain/deliveries"
import { type Html, html } from "../kit/Html.js"
import { row, time } from "../kit/Time.js"

/** Deliveries in words, for the delivery log and for the page of one delivery. */

export const STATES: Readonly<Record<Delivery.DeliveryState, string>> = {
  trying: "Trying",
  delivered: "Delivered",
  failed: "Failed",
  too_old: "Too old to send"
}

export const marker = ({ isTest, replayNo }: Delivery.Delivery, isReplayed: boolean): Html =>
  html`${isTest && html` <span class="badge quiet">Test</span>`}${replayNo > 0 && html` <span class="badge quiet">Replay ${replayNo}</span>`}${isReplayed && html` <span class="badge quiet">Replayed</span>`}`

const REASONS: Readonly<Record<Delivery.FailReason, string>> = {
  exhausted: "all attempts were used",
  endpoint_disabled: "the endpoint was disabled",
  endpoint_removed: "the endpoint was removed",
  not_authorised: "your app is no longer authorised",
  not_sent: "a fault of this service prevented sending for three days",
  abandoned: "our workers failed to finish it repeatedly"
}

export const outcome = ({ attempt, dueAt, failReason, isTest, state }: Delivery.Delivery): Html => {
  const kind = state === "delivered" ? "" : state === "trying" ? " quiet" : " bad"
  return html`<span class="badge${kind}">${STATES[state]}</span>
    <span class="soft small"
      >${
        state === "trying"
          ? html`attempt ${attempt} of 7${dueAt !== null && html`, due ${time(dueAt, row)}`}`
          : failReason !== null && !isTest && REASONS[failReason]
      }</span
    >`
}

export const answer = (attempt: Delivery.Attempt | null): string =>
  attempt === null ? "—" : (attempt.error ?? `${attempt.status ?? ""}`)
