import { type LimitStore, type Rate, type Subject, takeCall } from "@place-access/domain/limits"
import { Timestamp } from "@place-access/domain/shared"
import { Effect } from "effect"
import * as Errors from "../wire/Errors.js"
import { toWire } from "../wire/toWire.js"
import * as CurrentRequest from "../edge/CurrentRequest.js"

/**
 * Counts the request against the limit of `subject`, or refuses it with 429. In both cases the headers of the answer
 * say how much of the limit is left, even when the request fails later.
 */
export const take = (subject: Subject.LimitSubject, rate: Rate.Rate): Taken => counted(subject, rate, true)

/**
 * Like `take`, for a second limit of the same request. The headers of the answer describe the first limit, unless the
 * second limit refuses the request.
 */
export const takeFurther = (subject: Subject.LimitSubject, rate: Rate.Rate): Taken => counted(subject, rate, false)

type Taken = Effect.Effect<void, typeof Errors.RateLimited.Type | typeof Errors.Unavailable.Type, LimitStore>

const counted = (subject: Subject.LimitSubject, rate: Rate.Rate, isFirst: boolean): Taken =>
  Effect.flatMap(toWire(takeCall(subject, rate)), (standing) =>
    CurrentRequest.cellWith((cell) => {
      if (isFirst) cell.standing = headers(standing)
      else if (!standing.isAdmitted) cell.exceeded = headers(standing)
      return standing.isAdmitted
        ? Effect.void
        : Effect.fail(Errors.rateLimited(standing.resetMillis / Timestamp.SECOND, sentence(rate.refusal)))
    })
  )

const sentence = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : text.charAt(0).toUpperCase() + text.slice(1)

/** A time in whole seconds, rounded up, so that a client which waits for this time finds a new window of the limit. */
const seconds = (millis: number): string => String(Math.ceil(millis / Timestamp.SECOND))

const headers = ({ rate, remaining, resetMillis }: Rate.Standing): Readonly<Record<string, string>> => ({
  "ratelimit-limit": String(rate.calls),
  "ratelimit-remaining": String(remaining),
  "ratelimit-reset": seconds(resetMillis),
  "ratelimit-policy": `${rate.calls};w=${seconds(rate.windowMillis)}`
})
