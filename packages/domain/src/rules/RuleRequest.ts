import { Either, Schema } from "effect"
import { Invalid, Problem } from "../shared/Invalid.js"
import * as Timestamp from "../shared/Timestamp.js"
import * as Rule from "./Rule.js"

/**
 * What an app asks for, as submitted and unchecked: one look at the whole request finds every problem, a wrong JSON type as
 * well as a window that ends before it starts. Null and left out mean the same.
 */
export interface PlaceRuleRequest {
  readonly placeId?: unknown
  readonly type?: unknown
  readonly dwellMinutes?: unknown
  readonly webhookUrl?: unknown
  /** ISO 8601, as `activeUntil`. */
  readonly activeFrom?: unknown
  readonly activeUntil?: unknown
  readonly maxEventAgeS?: unknown
}

/** The part of a rule that its app decides. */
export type Terms = Pick<Rule.Rule, "type" | "dwellMinutes" | "webhookUrl" | "window" | "maxEventAgeS">

/** A request that breaks no rule of the specification by itself. Whether there is such a place is another question. */
export interface Checked {
  readonly placeId: string
  readonly terms: Terms
}

/** Every problem at once; fields by their names on the wire. */
export const check = (request: PlaceRuleRequest, now: Timestamp.Timestamp): Either.Either<Checked, Invalid> => {
  const problems: Array<Problem> = []
  /** The value of a field, or `instead` of one that is wrong: it is never met, because then there is a problem. */
  const read = <A>(field: string, read: Either.Either<A, string>, instead: A): A => {
    if (Either.isRight(read)) return read.right
    problems.push(new Problem({ field, message: read.left }))
    return instead
  }

  const placeId = read("place_id", text(request.placeId), "")
  const type = isType(request.type) ? request.type : undefined
  const terms: Terms = {
    type: read(
      "type",
      type === undefined ? Either.left("must be one of enter, exit, dwell") : Either.right(type),
      "enter"
    ),
    dwellMinutes: read("dwell_minutes", dwellMinutes(request.dwellMinutes, type), null),
    webhookUrl: read("webhook_url", optional(request.webhookUrl, text), null),
    window: {
      from: read("active_from", optional(request.activeFrom, timestamp), null),
      until: read("active_until", optional(request.activeUntil, timestamp), null)
    },
    maxEventAgeS: read("max_event_age_s", optional(request.maxEventAgeS, wholeNumber(MAX_EVENT_AGE_S)), null)
  }
  read("active_until", open(terms.window, now), undefined)

  const [first, ...rest] = problems
  return first === undefined
    ? Either.right({ placeId, terms })
    : Either.left(new Invalid({ problems: [first, ...rest] }))
}

interface Range {
  readonly min: number
  readonly max: number
}

const DWELL_MINUTES: Range = { min: Rule.MIN_DWELL_MINUTES, max: Rule.MAX_DWELL_MINUTES }
const MAX_EVENT_AGE_S: Range = { min: Rule.MIN_EVENT_AGE_S, max: Rule.MAX_EVENT_AGE_S }

type Read<A> = Either.Either<A, string>

const isType = Schema.is(Rule.Type)
const decodeTime = Schema.decodeUnknownEither(Timestamp.FromIso)

const text = (value: unknown): Read<string> =>
  typeof value === "string" ? Either.right(value) : Either.left("must be a string")

const timestamp = (value: unknown): Read<Timestamp.Timestamp> =>
  Either.mapLeft(decodeTime(value), () => "must be an ISO 8601 timestamp with a zone, such as 2026-01-31T09:30:00.000Z")

const must = ({ min, max }: Range): string => `must be a whole number from ${min} to ${max}`

const wholeNumber =
  (range: Range) =>
  (value: unknown): Read<number> =>
    typeof value === "number" && Number.isInteger(value) && value >= range.min && value <= range.max
      ? Either.right(value)
      : Either.left(must(range))

const optional = <A>(value: unknown, read: (value: unknown) => Read<A>): Read<A | null> =>
  value === undefined || value === null ? Either.right(null) : read(value)

/** Required for a dwell rule, refused for the others (Spec §2.6). */
const dwellMinutes = (value: unknown, type: Rule.Type | undefined): Read<number | null> => {
  const minutes = optional(value, wholeNumber(DWELL_MINUTES))
  if (Either.isLeft(minutes)) return minutes
  if (type === "dwell" && minutes.right === null)
    return Either.left(`is required for dwell rules and ${must(DWELL_MINUTES)}`)
  return type !== undefined && type !== "dwell" && minutes.right !== null
    ? Either.left("is for dwell rules only")
    : minutes
}

/** Not closed already, and with an instant in it (Spec §4.6.6). */
const open = ({ from, until }: Rule.Window, now: Timestamp.Timestamp): Read<undefined> => {
  if (until !== null && until <= now) return Either.left("must be in the future: this window is closed already")
  return until !== null && from !== null && until <= from
    ? Either.left("must be after active_from")
    : Either.right(undefined)
}
