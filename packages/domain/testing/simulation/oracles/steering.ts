import type { Request } from "../Operations.js"
import type { Oracle, Run } from "../Oracle.js"
import { type AnsweredCall, answered, listOf, recordOf, saysPaused } from "./support/Answers.js"
import { isFiring } from "./support/deliveries/Firings.js"
import { problems } from "./support/Explained.js"
import { ground } from "./support/Ground.js"
import { erased, erasuresOf } from "./support/phones/Erasures.js"
import { visitsOf } from "./support/phones/Walks.js"
import { happened, isoOf, type Post, textOf, timeOf } from "./support/trace/Happened.js"
import { index } from "./support/trace/Ops.js"
import { oracle } from "./support/trace/oracle.js"

/**
 * Oracles of what users change in a connection (pauses, permissions and dates: decisions connection-4 to connection-6),
 * and of history that users delete.
 */

/**
 * Whether an answer says that nothing is known about where the user is or was; undefined for requests about anything
 * else.
 */
const saysNothing = ({ body, request }: AnsweredCall<Request>): boolean | undefined => {
  switch (request.endpoint) {
    case "GET /v1/answers/current-place":
    case "GET /v1/answers/places/{place_id}/presence":
    case "POST /v1/answers/verify-zone":
      return body["state"] === "unknown" && (body["asOf"] ?? null) === null
    case "GET /v1/lookup/place":
    case "GET /v1/locations/lookup":
      return body["matched"] === false && (body["asOf"] ?? null) === null && (body["fix"] ?? null) === null
    case "GET /v1/locations/latest":
      return (body["fix"] ?? null) === null
    case "GET /v1/locations/timerange":
      return listOf(body["fixes"]).length === 0
    case "GET /v1/locations/days":
      return listOf(body["days"]).length === 0
    case "GET /v1/visits":
      return listOf(body["visits"]).length === 0
    default:
      return undefined
  }
}

const g1: Oracle = {
  name: "G1",
  rule: "A paused app learns nothing about where the user is or was, and reads that it is paused; no other app reads that (decision connection-4)",
  check: (run) =>
    answered(run).flatMap((call) => {
      const { body, connectionId, did, request, status } = call
      const isEmpty = saysNothing(call)
      if (status !== 200) return []
      const say = (detail: string) => [{ at: did.end, detail: `${request.endpoint}: ${detail}` }]
      if (isEmpty === undefined) return saysPaused(body) ? say("it says that the app is paused") : []
      if (saysPaused(body) && !isEmpty) return say("it says that the app is paused, and more")
      const isPaused = ground(run).pauses.during(connectionId, did)
      if (isPaused === "yes" && !saysPaused(body))
        return say(`the app was paused${isEmpty ? "" : ", and learned of it"}`)
      return isPaused === "no" && saysPaused(body) ? say("the app was not paused") : []
    })
}

const explained = (name: "G2" | "E2", rule: string): Oracle => ({
  name,
  rule,
  check: (run) => problems(run).filter(({ invariant }) => invariant === name)
})

/**
 * Reports the POSTs of firings that `wrong` finds wrong. `wrong` also gets `begin`, the earliest entry at which the
 * worker can have checked whether the app may get the event.
 */
const eachFiring = (run: Run, wrong: (post: Post, begin: number) => string | undefined) =>
  happened(run).posts.flatMap((post) => {
    if (!isFiring(post.body["type"])) return []
    const checkedAt = post.beganAt - happened(run).slackMs
    const detail = wrong(post, Math.min(index(run).firstAt(checkedAt), post.i))
    return detail === undefined ? [] : [{ at: post.i, detail: `${textOf(post.body["event_id"])}: ${detail}` }]
  })

const g3: Oracle = {
  name: "G3",
  rule: "While an app is paused, no event of a rule is sent to it, and afterwards none from before the end of the pause (decision connection-5)",
  check: (run) => {
    const { happened: h, pauses } = ground(run)
    return eachFiring(run, (post, begin) => {
      const connectionId = textOf(post.body["grant_id"]) ?? ""
      const moment = { begin, end: post.i, beganAt: post.beganAt - h.slackMs, endedAt: post.beganAt }
      if (pauses.during(connectionId, moment) === "yes") return "its app was paused"
      const occurredAt = timeOf(post.body["occurred_at"]) ?? Infinity
      const { earliest } = pauses.lastEnd(connectionId, moment)
      return occurredAt < earliest ? `it occurred before the pause that ended at ${isoOf(earliest)}` : undefined
    })
  }
}

const G4 = oracle(
  "G4",
  "A connection that has ended can neither be changed nor paused, and no new date revives it (Spec §3.1, decision connection-6)",
  (known, say) => {
    for (const { op, was } of known.steerings)
      if (op.outcome._tag === "ok" && was.life === "dead") say(op.to, `${op.name} was done although ${was.why}`)
  }
)

const G5 = oracle(
  "G5",
  "A user gives back only what they agreed to in this connection, and what the grace period removed only by a consent (decision connection-6)",
  (known, say) => {
    for (const { op, unagreed } of known.steerings)
      if (unagreed.length > 0) say(op.to, `${unagreed.join(", ")} was given without a consent`)
  }
)

export const steering: ReadonlyArray<Oracle> = [
  g1,
  explained(
    "G2",
    "No rule of a paused app fires; after the pause its rules begin anew, and what was captured before its end fires nothing (decision connection-5)"
  ),
  g3,
  G4,
  G5
]

// ---- deleted stretches

/** The capture times of the readings in an answer. */
const timesIn = ({ body }: AnsweredCall<Request>): ReadonlyArray<number> =>
  [body["asOf"], recordOf(body["fix"])?.["captured_at"], ...listOf(body["fixes"]).map((fix) => fix["captured_at"])]
    .map(timeOf)
    .filter((at) => at !== undefined)

interface AnsweredVisit {
  readonly arrival: number | undefined
  readonly departure: number | null | undefined
}

/**
 * What is wrong with a visit, given the stretches that its user deleted before the request for the visit; undefined
 * when nothing is wrong.
 */
const wrongVisit = (
  run: Run,
  userId: string,
  { arrival, departure }: AnsweredVisit,
  begin: number
): string | undefined => {
  if (arrival === undefined) return undefined
  for (const { args, end, outcome } of erasuresOf(run, userId)) {
    if (outcome?._tag !== "ok" || end >= begin || arrival >= args.until) continue
    if (arrival >= args.from) return `a visit begins at ${isoOf(arrival)}, which was deleted`
    if ((departure ?? Infinity) > args.from) return `the visit of ${isoOf(arrival)} goes on into what was deleted`
  }
  return undefined
}

const e1: Oracle = {
  name: "E1",
  rule: "What a user deleted is in no answer and no visit, neither an app's nor the user's own, and no upload brings it back (decision retention-choice-4)",
  check: (run) => [
    ...answered(run).flatMap((call) => {
      const { did, pair, request } = call
      const { begin, end } = did
      if (erasuresOf(run, pair.userId).length === 0) return []
      const readings = timesIn(call).filter((at) => erased(run, pair.userId, at, begin, end) === "yes")
      const visits =
        request.endpoint === "GET /v1/visits"
          ? visitsOf(call as Parameters<typeof visitsOf>[0]).map((visit) => wrongVisit(run, pair.userId, visit, begin))
          : []
      return [...readings.map((at) => `it has the reading of ${isoOf(at)}, which was deleted`), ...visits].flatMap(
        (detail) => (detail === undefined ? [] : [{ at: end, detail: `${request.endpoint}: ${detail}` }])
      )
    }),
    ...happened(run)
      .of("readOwnHistory")
      .flatMap(({ args: { userId }, begin, end, outcome }) => {
        if (outcome?._tag !== "ok") return []
        const { readings, visits } = outcome.value
        return [
          ...readings
            .filter((at) => erased(run, userId, at, begin, end) === "yes")
            .map((at) => `the user reads of ${isoOf(at)}, which was deleted`),
          ...visits.map((visit) => wrongVisit(run, userId, visit, begin))
        ].flatMap((detail) => (detail === undefined ? [] : [{ at: end, detail }]))
      })
  ]
}

const e3: Oracle = {
  name: "E3",
  rule: "An event that occurred in a deleted stretch is not sent any more (decision retention-choice-4)",
  check: (run) =>
    eachFiring(run, (post, begin) => {
      const occurredAt = timeOf(post.body["occurred_at"])
      const userId = ground(run).connections.get(textOf(post.body["grant_id"]) ?? "")?.userId
      if (occurredAt === undefined || userId === undefined) return undefined
      return erased(run, userId, occurredAt, begin, post.i) === "yes"
        ? `it occurred at ${isoOf(occurredAt)}, which was deleted`
        : undefined
    })
}

export const erasures: ReadonlyArray<Oracle> = [
  e1,
  explained("E2", "A reading of a deleted stretch fires no rule (decision retention-choice-4)"),
  e3
]
