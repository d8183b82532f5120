import * as Telemetry from "../shared/Telemetry.js"
import { SECOND, type Timestamp } from "../shared/Timestamp.js"
import type { WebhookAnswer } from "../endpoints/WebhookSender.js"
import type { Delivery, FailReason, DeliveryFinish } from "./Delivery.js"
import * as RetrySchedule from "./RetrySchedule.js"

const ATTEMPTS = Array.from({ length: RetrySchedule.MAX_ATTEMPTS }, (_, index) => String(index + 1))

const deliveries = Telemetry.counter("place_access.deliveries", {
  description:
    "Attempts at deliveries by their number and how the delivery goes on; lost: another worker had taken it over",
  labels: {
    outcome: ["delivered", "retry", "failed", "not_authorised", "too_old", "postponed", "lost"],
    attempt: ATTEMPTS
  }
})
const posts = Telemetry.duration("place_access.webhook.duration", {
  description: "From signing a webhook to the end of the receiver's answer",
  labels: { answer: ["1xx", "2xx", "3xx", "4xx", "5xx", "unreachable", "not_sent"] }
})
const lag = Telemetry.duration(
  "place_access.delivery.lag",
  { description: "From the creation of a delivery to the beginning of its first attempt" },
  [0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3600]
)

const FAILURES: Readonly<Record<FailReason, "failed" | "not_authorised">> = {
  exhausted: "failed",
  endpoint_disabled: "failed",
  endpoint_removed: "failed",
  not_authorised: "not_authorised",
  not_sent: "failed",
  abandoned: "failed",
  address_changed: "failed"
}

export const outcomeOf = (how: DeliveryFinish | undefined) => {
  switch (how?._tag) {
    case undefined:
      return "lost"
    case "Delivered":
      return "delivered"
    case "Retry":
      return "retry"
    case "Failed":
      return FAILURES[how.reason]
    case "TooOld":
      return "too_old"
    case "Postponed":
      return "postponed"
  }
}

export const began = ({ attempt, createdAt }: Pick<Delivery, "attempt" | "createdAt">, now: Timestamp): void => {
  if (attempt === 1) lag.record(Math.max(0, now - createdAt) / SECOND, {})
}

export const attempted = ({ attempt }: Pick<Delivery, "attempt">, how: DeliveryFinish | undefined): void =>
  deliveries.record(1, { outcome: outcomeOf(how), attempt: String(attempt) })

const answerOf = (answer: WebhookAnswer) => {
  switch (answer._tag) {
    case "Answered":
      return `${Math.trunc(answer.status / 100)}xx` as "2xx"
    case "Unreachable":
      return "unreachable"
    case "NotSent":
      return "not_sent"
  }
}

export const posted = (sent: {
  readonly answer: WebhookAnswer
  readonly startedAt: Timestamp
  readonly endedAt: Timestamp
}): void => posts.record(Math.max(0, sent.endedAt - sent.startedAt) / SECOND, { answer: answerOf(sent.answer) })
