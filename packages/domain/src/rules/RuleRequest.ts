// How a request for a new rule is checked. Decisions rules-1, rules-2, rules-3 and rules-4.
import { Either, ParseResult, Schema } from "effect"
import * as Coordinates from "../places/Coordinates.js"
import type * as Geometry from "../places/Geometry.js"
import { Label } from "../places/Place.js"
import { Invalid, Problem, Timestamp } from "../shared/index.js"
import * as Rule from "./Rule.js"

/**
 * A rule's terms as the app sent them. The fields are `unknown`, so that one check can report the problems of all
 * fields together. Null and absent mean the same.
 */
export interface TermsRequest {
  readonly type?: unknown
  readonly dwellMinutes?: unknown
  readonly settleS?: unknown
  readonly silenceS?: unknown
  readonly webhookUrl?: unknown
  /** A time in ISO 8601. `activeUntil` has the same form. */
  readonly activeFrom?: unknown
  readonly activeUntil?: unknown
  readonly maxEventAgeS?: unknown
}

export interface PlaceRuleRequest extends TermsRequest {
  readonly placeId?: unknown
}

export interface ZoneRuleRequest extends TermsRequest {
  readonly lat?: unknown
  readonly lon?: unknown
  readonly radiusM?: unknown
  readonly label?: unknown
}

/** The fields of a rule that the app chooses. Rules about places and rules about zones both have these fields. */
export type RuleTerms = Pick<
  Rule.Rule,
  "type" | "dwellMinutes" | "settleS" | "silenceS" | "webhookUrl" | "window" | "maxEventAgeS"
>

/** A request whose fields are valid. `createPlaceRule` checks later whether the place exists. */
export interface CheckedPlace {
  readonly placeId: string
  readonly terms: RuleTerms
}

export interface CheckedZone {
  readonly target: Rule.ZoneTarget
  readonly terms: RuleTerms
}

/** Returns the checked request, or all problems together. A problem has the field's name as in the JSON body. */
export const checkPlace = (
  request: PlaceRuleRequest,
  now: Timestamp.Timestamp
): Either.Either<CheckedPlace, Invalid> => {
  const reading = new Reading()
  const read = terms(reading, request, now)
  return reading.checked({ placeId: reading.read("place_id", required(request.placeId, text), ""), terms: read })
}

/** Like `checkPlace`, for a rule about a zone that the app draws. */
export const checkZone = (request: ZoneRuleRequest, now: Timestamp.Timestamp): Either.Either<CheckedZone, Invalid> => {
  const reading = new Reading()
  const read = terms(reading, request, now)
  const circle: Geometry.Circle = {
    lat: reading.read("lat", required(request.lat, latitude), 0),
    lon: reading.read("lon", required(request.lon, longitude), 0),
    radiusM: reading.read("radius_m", required(request.radiusM, radius), 0)
  }
  const name = reading.read("label", required(request.label, label), "")
  return reading.checked({ target: { _tag: "Zone", circle, label: name }, terms: read })
}

const terms = (reading: Reading, request: TermsRequest, now: Timestamp.Timestamp): RuleTerms => {
  const type = isType(request.type) ? request.type : undefined
  const read: RuleTerms = {
    type: reading.read("type", required(request.type, ruleType), "enter"),
    dwellMinutes: reading.read("dwell_minutes", dwellMinutes(request.dwellMinutes, type), null),
    settleS: reading.read("settle_s", settleS(request.settleS, type), null),
    silenceS: reading.read("silence_s", silenceS(request.silenceS, type), null),
    webhookUrl: reading.read("webhook_url", optional(request.webhookUrl, text), null),
    window: {
      from: reading.read("active_from", optional(request.activeFrom, timestamp), null),
      until: reading.read("active_until", optional(request.activeUntil, timestamp), null)
    },
    maxEventAgeS: reading.read("max_event_age_s", optional(request.maxEventAgeS, wholeNumber(MAX_EVENT_AGE_S)), null)
  }
  reading.read("active_until", open(read.window, now), undefined)
  reading.read("max_event_age_s", outlives(read), undefined)
  return read
}

/** Collects the problems of a request while its fields are read. */
class Reading {
  private readonly problems: Array<Problem> = []

  /**
   * Returns the value of a field. For a wrong value, the method adds a problem and returns `instead`. No rule is made
   * with `instead`, because `checked` fails when there is a problem.
   */
  read<A>(field: string, read: FieldResult<A>, instead: A): A {
    if (Either.isRight(read)) return read.right
    this.problems.push(new Problem({ field, message: read.left }))
    return instead
  }

  checked<A>(value: A): Either.Either<A, Invalid> {
    const [first, ...rest] = this.problems
    return first === undefined ? Either.right(value) : Either.left(new Invalid({ problems: [first, ...rest] }))
  }
}

interface Range {
  readonly min: number
  readonly max: number
}

const DWELL_MINUTES: Range = { min: Rule.MIN_DWELL_MINUTES, max: Rule.MAX_DWELL_MINUTES }
const SETTLE_S: Range = { min: 0, max: Rule.MAX_SETTLE_S }
const SILENCE_S: Range = { min: Rule.MIN_SILENCE_S, max: Rule.MAX_SILENCE_S }
const MAX_EVENT_AGE_S: Range = { min: Rule.MIN_EVENT_AGE_S, max: Rule.MAX_EVENT_AGE_S }

type FieldResult<A> = Either.Either<A, string>

const isType = Schema.is(Rule.RuleType)
const decodeTime = Schema.decodeUnknownEither(Timestamp.FromIso)
const decodeLabel = Schema.decodeEither(Label)

const ruleType = (value: unknown): FieldResult<Rule.RuleType> =>
  isType(value) ? Either.right(value) : Either.left(`must be one of ${Rule.RuleType.literals.join(", ")}`)

const text = (value: unknown): FieldResult<string> =>
  typeof value === "string" ? Either.right(value) : Either.left("must be a string")

/** Reads the label of a zone. The user sees it in the access log, so it must follow the rules for labels of places. */
const label = (value: unknown): FieldResult<string> =>
  Either.flatMap(text(value), (words) => Either.mapLeft(decodeLabel(words), wording))

/** The messages of a schema's error, as one text. */
const wording = (error: ParseResult.ParseError): string =>
  ParseResult.ArrayFormatter.formatErrorSync(error)
    .map(({ message }) => message)
    .join(", ")

const numberIn =
  <A extends number>(schema: Schema.Schema<A, number>, message: string) =>
  (value: unknown): FieldResult<number> =>
    Schema.is(schema)(value) ? Either.right(value) : Either.left(message)

const latitude = numberIn(Coordinates.Latitude, "must be a number from -90 to 90")
const longitude = numberIn(Coordinates.Longitude, "must be a number from -180 to 180")
const radius = numberIn(Coordinates.RadiusM, "must be a number from 100 to 10000")

const timestamp = (value: unknown): FieldResult<Timestamp.Timestamp> =>
  Either.mapLeft(decodeTime(value), () => "must be an ISO 8601 timestamp with a zone, such as 2026-01-31T09:30:00.000Z")

const must = ({ min, max }: Range): string => `must be a whole number from ${min} to ${max}`

const wholeNumber =
  (range: Range) =>
  (value: unknown): FieldResult<number> =>
    typeof value === "number" && Number.isInteger(value) && value >= range.min && value <= range.max
      ? Either.right(value)
      : Either.left(must(range))

const optional = <A>(value: unknown, read: (value: unknown) => FieldResult<A>): FieldResult<A | null> =>
  value === undefined || value === null ? Either.right(null) : read(value)

const required = <A>(value: unknown, read: (value: unknown) => FieldResult<A>): FieldResult<A> =>
  value === undefined || value === null ? Either.left("is missing") : read(value)

/**
 * Reads `dwell_minutes`, which is required for dwell rules. For other types the result is null, whatever the app sent
 * (Spec §2.6, amendment M11).
 */
const dwellMinutes = (value: unknown, type: Rule.RuleType | undefined): FieldResult<number | null> => {
  if (type !== undefined && !Rule.PROPERTIES[type].hasDwellTime) return Either.right(null)
  const minutes = optional(value, wholeNumber(DWELL_MINUTES))
  return type !== undefined && Either.isRight(minutes) && minutes.right === null
    ? Either.left(`is required for ${type} rules and ${must(DWELL_MINUTES)}`)
    : minutes
}

/**
 * Reads `settle_s`. For dwell rules the result is null, whatever the app sent: a dwell rule waits for the dwell time
 * already (decision rules-13).
 */
const settleS = (value: unknown, type: Rule.RuleType | undefined): FieldResult<number | null> =>
  type !== undefined && !Rule.PROPERTIES[type].firesOnCrossing
    ? Either.right(null)
    : optional(value, wholeNumber(SETTLE_S))

/**
 * Reads `silence_s`, which only dwell rules have. For other types the result is null, whatever the app sent (decision
 * rules-14).
 */
const silenceS = (value: unknown, type: Rule.RuleType | undefined): FieldResult<number | null> =>
  type !== undefined && !Rule.PROPERTIES[type].hasDwellTime
    ? Either.right(null)
    : optional(value, wholeNumber(SILENCE_S))

/**
 * Refuses a maximum age of events that is not greater than `settle_s` and `silence_s`. With such a maximum, an event
 * that waited for `settle_s` or `silence_s` would already be too old when it is written, and would not be sent.
 */
const outlives = ({
  maxEventAgeS,
  settleS,
  silenceS
}: Pick<RuleTerms, "maxEventAgeS" | "settleS" | "silenceS">): FieldResult<undefined> => {
  if (maxEventAgeS === null) return Either.right(undefined)
  if (settleS !== null && maxEventAgeS <= settleS)
    return Either.left("must be greater than settle_s: an event is written settle_s after it occurred")
  return silenceS !== null && maxEventAgeS <= silenceS
    ? Either.left("must be greater than silence_s: an event is written silence_s after it occurred")
    : Either.right(undefined)
}

/** Checks that the rule's window is not over and has at least one instant (Spec §4.6.6). */
const open = ({ from, until }: Rule.RuleWindow, now: Timestamp.Timestamp): FieldResult<undefined> => {
  if (until !== null && until <= now) return Either.left("must be in the future: this window is closed already")
  return until !== null && from !== null && until <= from
    ? Either.left("must be after active_from")
    : Either.right(undefined)
}
