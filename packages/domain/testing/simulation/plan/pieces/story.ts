import { FastCheck } from "effect"
import { type Arbitrary, mostly, one, orNull } from "../deeds.js"
import { MINUTE, OFFSETS } from "../edges.js"
import { type Moment, SCOPES, type PlanStep } from "../Plan.js"

/**
 * A story is a sequence of steps that leads to a situation which random single steps rarely reach. Examples are the end
 * of a grace period, the twentieth delivery in a row that failed at every attempt, and several requests at the same
 * time for the tenth rule. Each run draws its own values for the story.
 */

export type Steps = Arbitrary<ReadonlyArray<PlanStep>>
type Line = PlanStep | Arbitrary<PlanStep> | Steps

const { array, constant, integer, oneof, record, tuple } = FastCheck

const isArbitrary = (line: Line): line is Arbitrary<PlanStep> | Steps => "generate" in line
export const story = (...lines: ReadonlyArray<Line>): Steps =>
  tuple(
    ...lines.map((line): Arbitrary<PlanStep | ReadonlyArray<PlanStep>> => (isArbitrary(line) ? line : constant(line)))
  ).map((steps) => steps.flat() as ReadonlyArray<PlanStep>)
/**
 * Draws the values of a story once, so that all steps of the story use one connection. The person and the app of the
 * story, if it has them, are the person and the app of this connection. The function assumes a plan with two people and
 * two apps, whose first steps (`beginning`) connect every person with every app.
 */
export const about = <A>(what: { [K in keyof A]: Arbitrary<A[K]> }, tell: (chosen: A) => Steps): Steps =>
  record(what).chain((drawn) => {
    const chosen = { ...drawn } as Record<string, unknown>
    const { connection } = chosen
    if (typeof connection === "number") {
      if ("person" in chosen) chosen["person"] = connection % 2
      if ("app" in chosen) chosen["app"] = Math.floor(connection / 2)
    }
    return tell(chosen as A)
  })

export const person = integer({ min: 0, max: 1 })
export const app = integer({ min: 0, max: 1 })
export const connection = integer({ min: 0, max: 3 })
const places = [0, 1]

export const until = (moment: Moment, of: number, offsets: ReadonlyArray<number> = OFFSETS): Arbitrary<PlanStep> =>
  record({ do: constant("until" as const), moment: constant(moment), of: constant(of), offsetMs: one(offsets) })
export const wait = (ms: ReadonlyArray<number>): Arbitrary<PlanStep> =>
  record({ do: constant("wait" as const), ms: one(ms) })
export const maybe = (line: Line): Steps => oneof(constant([]), story(line))
export const consent = (over: Partial<Extract<PlanStep, { readonly do: "consent" }>> = {}): PlanStep => ({
  do: "consent",
  person: 0,
  app: 0,
  again: null,
  scopes: SCOPES,
  unticked: [],
  places,
  earlier: [],
  standardDays: null,
  sensitiveDays: 30,
  externalUserId: null,
  isExchanged: true,
  ...over
})
export const call = (
  connection: number,
  about: "me" | "latest" | "places" | "place rules",
  over: Partial<Extract<PlanStep, { readonly do: "call" }>> = {}
): PlanStep => ({ do: "call", connection, back: 0, isFresh: true, ask: { about }, purpose: "fitting", ...over })
export const rule = (connection: number, over: Partial<Extract<PlanStep, { readonly do: "rule" }>> = {}): PlanStep => ({
  do: "rule",
  connection,
  target: "place",
  place: 0,
  radiusM: 150,
  type: "enter",
  dwellMinutes: 5,
  fromMs: null,
  untilMs: null,
  maxEventAgeS: null,
  webhook: null,
  ...over
})
export const refresh = (connection: number, back = 0): PlanStep => ({
  do: "refresh",
  connection,
  back,
  client: "right"
})
export const fix = (person: number, over: Partial<Extract<PlanStep, { readonly do: "fix" }>> = {}): PlanStep => ({
  do: "fix",
  person,
  phone: 0,
  place: 0,
  edgeM: 2_000,
  accuracyM: 10,
  ageMs: 0,
  ...over
})
export const INSIDE = -100
export const walk = (person: number, way: "in" | "out", pauseMs = MINUTE): PlanStep => ({
  do: "walk",
  way,
  person,
  phone: 0,
  place: 0,
  metres: 100,
  accuracyM: 10,
  pauseMs
})
export const commute = (person: number, times: number, pauseMs: number): PlanStep => ({
  do: "commute",
  times,
  person,
  phone: 0,
  place: 0,
  metres: 100,
  accuracyM: 10,
  pauseMs
})
const script = (endpoint: number, replies: Extract<PlanStep, { readonly do: "script" }>["replies"]): PlanStep => ({
  do: "script",
  endpoint,
  replies
})

/** Sets the replies of the receivers of all endpoints. */
export const scriptAll = (replies: Extract<PlanStep, { readonly do: "script" }>["replies"]): Steps =>
  constant([0, 1, 2].map((endpoint) => script(endpoint, replies)))

/**
 * Connects every person with every app. The connection with index `n` connects person `n % people` with app `n /
 * people`, rounded down.
 */
export const beginning = (people: number, apps: number): Steps =>
  array(
    record({
      standardDays: mostly(constant(null), one([90, 30, 7, 1]), 2),
      sensitiveDays: one([30, 7, 1, 90]),
      earlier: one<ReadonlyArray<number>>([[], [0], [1]]),
      externalUserId: orNull(constant("customer-1"), 1)
    }),
    { minLength: people * apps, maxLength: people * apps }
  ).map((terms) => terms.map((term, n) => consent({ person: n % people, app: Math.floor(n / people), ...term })))
