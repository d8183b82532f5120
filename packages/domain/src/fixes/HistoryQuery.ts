// Checks the span of time that an app asks about (decision answers-7).
import { Either, Option } from "effect"
import { Invalid, Problem } from "../shared/Errors.js"
import { DAY, type Timestamp } from "../shared/Timestamp.js"
import * as LocalDays from "./LocalDays.js"

/** The span of history that an app or a page asks for (decisions §4). */
export interface HistoryRequest {
  /** Inclusive: this instant counts. */
  readonly from: Timestamp
  /** Exclusive: this instant no longer counts. */
  readonly until: Timestamp
}

/** The longest span of fixes in one call. A day here is exactly 24 hours (decision T4). */
export const MAX_RANGE_DAYS = 31
/** The longest span of local days in one call: a leap year. */
export const MAX_LOCAL_DAYS = 366

/** Returns the span if one call may read it, otherwise an `Invalid` with all problems. */
export const checkRange = (span: HistoryRequest): Either.Either<HistoryRequest, Invalid> =>
  refuse(wrongStretch(span, MAX_RANGE_DAYS), span)

/** Like `checkRange`, for at most `MAX_LOCAL_DAYS`. Also returns the time zone named `tz`. */
export const checkDays = (
  span: HistoryRequest,
  tz: string
): Either.Either<HistoryRequest & { readonly zone: LocalDays.TimeZone }, Invalid> => {
  const stretch = wrongStretch(span, MAX_LOCAL_DAYS)
  const zone = LocalDays.zone(tz)
  return Option.isSome(zone)
    ? refuse(stretch, { ...span, zone: zone.value })
    : Either.left(new Invalid({ problems: [NO_ZONE, ...stretch] }))
}

const NO_ZONE = new Problem({ field: "tz", message: "must be the IANA name of a time zone, such as Europe/Amsterdam" })

/** The problems of a span. A problem names its field as requests do (`from`, `to`). */
const wrongStretch = ({ from, until }: HistoryRequest, maxDays: number): ReadonlyArray<Problem> =>
  until <= from
    ? [new Problem({ field: "to", message: "must be after from" })]
    : until - from > maxDays * DAY
      ? [new Problem({ field: "to", message: `must be at most ${maxDays} days after from` })]
      : []

const refuse = <A>([first, ...rest]: ReadonlyArray<Problem>, checked: A): Either.Either<A, Invalid> =>
  first === undefined ? Either.right(checked) : Either.left(new Invalid({ problems: [first, ...rest] }))
