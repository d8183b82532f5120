import { type LimitStore, type Rate, type Subject, takeCall } from "@place-access/domain/limits"
import { Timestamp } from "@place-access/domain/shared"
import { Effect } from "effect"
import * as Errors from "../wire/Errors.js"
import { toWire } from "../wire/toWire.js"
import * as CurrentRequest from "./CurrentRequest.js"

/**
 * Counts the request for its subject, or refuses it with 429. Either way the answer says how the subject stands, whatever
 * becomes of the request afterwards.
 */
export const take = (
  subject: Subject.Subject,
  rate: Rate.Rate
): Effect.Effect<void, typeof Errors.RateLimited.Type | typeof Errors.Unavailable.Type, LimitStore> =>
  Effect.flatMap(toWire(takeCall(subject, rate)), (standing) =>
    CurrentRequest.cellWith((cell) => {
      cell.standing = headers(standing)
      return standing.isAdmitted
        ? Effect.void
        : Effect.fail(Errors.rateLimited(standing.resetMillis / Timestamp.SECOND))
    })
  )

/** Whole seconds, rounded up: whoever waits so long finds the new window open. */
const seconds = (millis: number): string => String(Math.ceil(millis / Timestamp.SECOND))

const headers = ({ rate, remaining, resetMillis }: Rate.Standing): Readonly<Record<string, string>> => ({
  "ratelimit-limit": String(rate.calls),
  "ratelimit-remaining": String(remaining),
  "ratelimit-reset": seconds(resetMillis),
  "ratelimit-policy": `${rate.calls};w=${seconds(rate.windowMillis)}`
})
