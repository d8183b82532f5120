import type { Request } from "../Operations.js"
import type { Oracle, Run } from "../Oracle.js"
import { saysPaused } from "./support/Answers.js"
import { ground } from "./support/Ground.js"
import { type CompletedCall, happened } from "./support/trace/Happened.js"
import { index } from "./support/trace/Ops.js"
import { into } from "./support/trace/into.js"
import { DAY, HOUR, LOCATED_KM2, TOWN_M, ZONE_QUESTIONS } from "../Specification.js"
import { type Circle, edgesApartM, leastLocatedKm2, mostLocatedKm2 } from "./support/phones/ZoneSearch.js"

/** Oracles of the budgets that limit an app's questions about zones (Spec §8, decision M8). */

/** A question about a zone: a call of verify-zone, or a new zone rule. */
interface Question {
  readonly did: CompletedCall
  readonly circle: Circle
  /** When the window of a zone rule opens; null for other rules and for verify-zone. */
  readonly opensAt: number | null
  /**
   * How the question ended. `spent`: the service answered the question, so the question counts. `refused`: the budget
   * refused the question. `open`: the trace shows neither.
   */
  readonly came: "spent" | "refused" | "open"
}

/** The questions of each person and app, in the order in which the calls began. */
const questions = (run: Run): ReadonlyMap<string, ReadonlyArray<Question>> => {
  const found = new Map<string, Array<Question>>()
  const { holderOf } = ground(run)
  for (const operation of happened(run).of("call")) {
    const { request } = operation.args
    const circle = circleOf(request)
    const opensAt = request.endpoint === "POST /v1/rules/zone" ? request.activeFrom : null
    const pair = holderOf(operation.args.token)?.pair
    if (circle === undefined || pair === undefined) continue
    const answer = operation.outcome?._tag === "ok" ? operation.outcome.value : undefined
    // During a pause the answer discloses nothing, so the question takes nothing from the budget (decision
    // connection-4).
    if (answer !== undefined && saysPaused(answer.body)) continue
    const key = `${pair.userId} ${pair.appId}`
    if (answer === undefined || answer.status >= 500)
      into(found, key, { did: operation, circle, opensAt, came: "open" })
    else if (answer.status < 300) into(found, key, { did: operation, circle, opensAt, came: "spent" })
    else if (answer.error === "budget_exceeded") into(found, key, { did: operation, circle, opensAt, came: "refused" })
  }
  return found
}

const circleOf = (request: Request): Circle | undefined =>
  request.endpoint === "POST /v1/answers/verify-zone" || request.endpoint === "POST /v1/rules/zone"
    ? { lat: request.lat, lon: request.lon, radiusM: request.radiusM }
    : undefined

/** The spans of time in which the question began to count: the call, and the opening of a window that opens later. */
const spansOf = ({ did, opensAt }: Question): ReadonlyArray<readonly [number, number]> => [
  [did.beganAt, did.endedAt],
  ...(opensAt !== null && opensAt > did.beganAt ? [[opensAt, opensAt] as const] : [])
]

/**
 * Whether two questions perhaps count towards the budget of the same day: the times from which they count are at most a
 * day apart.
 */
const mayShareDay = (one: Question, other: Question): boolean =>
  spansOf(one).some(([first, last]) =>
    spansOf(other).some(([from, until]) => first - until <= DAY && from - last <= DAY)
  )

/** The circles of the questions that are near enough to `circle` to be in the same town. Equal circles occur once. */
const inTown = (all: ReadonlyArray<Question>, circle: Circle): ReadonlyArray<Circle> => {
  const near = all.filter((one) => edgesApartM(one.circle, circle) <= TOWN_M)
  return [...new Map(near.map((one) => [JSON.stringify(one.circle), one.circle])).values()]
}

const b1: Oracle = {
  name: "B1",
  rule: "An app has 20 questions about zones of a person in any hour, verify-zone and new zone rules together: beyond them 429 budget_exceeded, and not before (Spec §8, decisions §4, M8)",
  check: (run) =>
    [...questions(run).values()].flatMap((all) => [
      ...all.flatMap(({ did }, n) => {
        const before = all.slice(0, n + 1).filter(({ came }) => came === "spent")
        const first = before.at(-ZONE_QUESTIONS - 1)?.did
        const isOver =
          before.at(-1)?.did === did &&
          first !== undefined &&
          !index(run).clockWasSet(first.begin, did.end) &&
          did.endedAt - first.beganAt < HOUR
        return isOver ? [{ at: did.end, detail: `question ${ZONE_QUESTIONS + 1} of one hour was answered` }] : []
      }),
      ...all.flatMap((question) => {
        const { came, circle, did } = question
        if (came !== "refused" || index(run).wentBack) return []
        const before = all.filter((other) => other.came !== "refused" && other.did.begin < did.end)
        const ofHour = before.filter((other) => other.did.endedAt > did.beganAt - HOUR).length
        const ofDay = inTown(
          before.filter((other) => mayShareDay(other, question)),
          circle
        )
        return ofHour >= ZONE_QUESTIONS || mostLocatedKm2([...ofDay, circle]) > LOCATED_KM2
          ? []
          : [
              {
                at: did.end,
                detail: `refused after ${ofHour} questions of one hour and ${ofDay.length} circles of one day`
              }
            ]
      })
    ])
}

const b2: Oracle = {
  name: "B2",
  rule: "The circles that an app asks about within a day, or whose windows open on that day, do not locate the person in a town: beyond that 429 budget_exceeded (M8)",
  check: (run) =>
    [...questions(run).values()].flatMap((all) =>
      all.flatMap((question) => {
        const { came, circle, did } = question
        if (came !== "spent" || index(run).wentBack) return []
        return spansOf(question).flatMap(([, last]) => {
          const before = all.filter(
            (other) =>
              other.came === "spent" &&
              other.did.end < did.begin &&
              spansOf(other).some(([first, until]) => last - first < DAY && until <= last)
          )
          if (before.some((other) => JSON.stringify(other.circle) === JSON.stringify(circle))) return []
          const located = leastLocatedKm2([...inTown(before, circle), circle])
          return located > LOCATED_KM2
            ? [{ at: did.end, detail: `circles of one day find a person in ${located.toFixed(1)} km² of a town` }]
            : []
        })
      })
    )
}

export const budgets: ReadonlyArray<Oracle> = [b1, b2]
