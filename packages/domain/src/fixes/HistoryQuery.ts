import { Either, Option } from "effect"
import { Invalid, Problem } from "../shared/Invalid.js"
import { DAY, type Timestamp } from "../shared/Timestamp.js"
import * as LocalDays from "./LocalDays.js"

/** The stretch of a history that an app asks about (decisions §4). */
export interface Asked {
  /** Inclusive. */
  readonly from: Timestamp
  /** Exclusive. */
  readonly until: Timestamp
}

/** Days are of 24 hours each (decision T4). */
export const MAX_RANGE_DAYS = 31
/** A year, and the day that a leap year has more. */
export const MAX_LOCAL_DAYS = 366

/** A stretch that may be read in one call; otherwise what is wrong with it. */
export const checkRange = (asked: Asked): Either.Either<Asked, Invalid> =>
  refuse(wrongStretch(asked, MAX_RANGE_DAYS), asked)

/** As `checkRange`, with the zone that the name names. */
export const checkDays = (
  asked: Asked,
  tz: string
): Either.Either<Asked & { readonly zone: LocalDays.Zone }, Invalid> => {
  const stretch = wrongStretch(asked, MAX_LOCAL_DAYS)
  const zone = LocalDays.zone(tz)
  return Option.isSome(zone)
    ? refuse(stretch, { ...asked, zone: zone.value })
    : Either.left(new Invalid({ problems: [NO_ZONE, ...stretch] }))
}

const NO_ZONE = new Problem({ field: "tz", message: "must be the IANA name of a time zone, such as Europe/Amsterdam" })

/** Fields by their names on the wire. */
const wrongStretch = ({ from, until }: Asked, maxDays: number): ReadonlyArray<Problem> =>
  until <= from
    ? [new Problem({ field: "to", message: "must be after from" })]
    : until - from > maxDays * DAY
      ? [new Problem({ field: "to", message: `must be at most ${maxDays} days after from` })]
      : []

const refuse = <A>([first, ...rest]: ReadonlyArray<Problem>, checked: A): Either.Either<A, Invalid> =>
  first === undefined ? Either.right(checked) : Either.left(new Invalid({ problems: [first, ...rest] }))
