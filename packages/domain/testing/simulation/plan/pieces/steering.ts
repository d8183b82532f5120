import { FastCheck } from "effect"
import { one } from "../deeds.js"
import { DAY, ERASED_AFTER, HOUR, MINUTE, SECOND } from "../edges.js"
import { type Ask, type Deed, SCOPES, SENSITIVE, type ShortScope, type PlanStep } from "../Plan.js"
import {
  about,
  call,
  connection,
  consent,
  fix,
  INSIDE,
  maybe,
  person,
  refresh,
  rule,
  scriptAll,
  type Steps,
  story,
  until,
  wait,
  walk
} from "./story.js"

const { constant, integer, oneof, record } = FastCheck

const ask = (connection: number, question: Ask): PlanStep => ({ ...call(connection, "me"), ask: question }) as PlanStep
const visits = (connection: number): PlanStep => ({ do: "read visits", connection, limit: 100, fromMs: null })
const pause = (connection: number, length: "hour" | "day" | "until_resumed" = "hour"): PlanStep => ({
  do: "pause",
  connection,
  length
})
const resume = (connection: number): PlanStep => ({ do: "resume", connection })
const steer = (connection: number, over: Partial<Extract<PlanStep, { readonly do: "steer" }>>): PlanStep => ({
  do: "steer",
  connection,
  scopes: null,
  standardDays: null,
  sensitiveDays: null,
  ...over
})
const own = (person: number): PlanStep => ({ do: "read own history", person })
const erase = (person: number, beforeMs: number, afterMs = 0, around: "now" | "last fix" = "now"): PlanStep => ({
  do: "erase",
  person,
  around,
  beforeMs,
  afterMs
})

const zone = (connection: number): PlanStep =>
  ask(connection, { about: "zone", place: 0, radiusM: 300, maxAgeS: 3_600 })

/** All kinds of calls by which an app asks where a person is or was. */
const requests = (connection: number): ReadonlyArray<PlanStep> => [
  ask(connection, { about: "presence", place: 0, maxAgeS: 3_600 }),
  ask(connection, { about: "current place", maxAgeS: 3_600 }),
  zone(connection),
  ask(connection, { about: "place at", agoMs: 15 * MINUTE, toleranceS: 900 }),
  ask(connection, { about: "location at", agoMs: MINUTE, toleranceS: 900 }),
  call(connection, "latest"),
  ask(connection, { about: "range", agoMs: DAY }),
  ask(connection, { about: "days", agoMs: DAY }),
  visits(connection)
]
const some = (connection: number): Steps => one([0, 3, 5]).map((first) => requests(connection).slice(first, first + 4))

/**
 * The person comes home during a pause, and the app asks before, at and after the end of the pause. During the pause
 * the app asks about a zone 20 times, which is its budget of an hour. None of these questions counts.
 */
export const paused = about({ connection, person, type: one(["exit", "dwell"]) }, ({ connection, person, type }) =>
  story(
    rule(connection),
    rule(connection, { type }),
    fix(person, { edgeM: 2_000 }),
    wait([3 * MINUTE]),
    oneof(story(pause(connection)), story({ do: "pause all", person, length: "hour" })),
    ...requests(connection),
    wait([MINUTE, 3 * MINUTE]),
    fix(person, { edgeM: INSIDE }),
    some(connection),
    ...Array.from({ length: 20 }, () => zone(connection)),
    maybe(consent({ again: connection })),
    oneof(
      story(until("pause ends", connection, [-1, 0, 0, 1])),
      story(wait([MINUTE, 10 * MINUTE]), resume(connection)),
      story({ do: "resume all", person })
    ),
    zone(connection),
    some(connection),
    fix(person, { edgeM: INSIDE }),
    wait([3 * MINUTE]),
    walk(person, "out"),
    wait([3 * MINUTE]),
    walk(person, "in"),
    some(connection)
  )
)

/** The phone is offline during the pause, and sends all stored readings after the pause has ended. */
export const backlog = about(
  { connection, person, length: one(["hour", "until_resumed"]) },
  ({ connection, length, person }) =>
    story(
      rule(connection),
      rule(connection, { type: "exit" }),
      fix(person),
      wait([3 * MINUTE]),
      { do: "offline", person, phone: 0 },
      wait([1, MINUTE]),
      pause(connection, length),
      fix(person),
      wait([3 * MINUTE]),
      fix(person, { edgeM: INSIDE }),
      wait([3 * MINUTE]),
      maybe(fix(person)),
      resume(connection),
      wait([0, 0, 1]),
      { do: "online", person, phone: 0, shuffle: false, duplicate: 1 },
      wait([3 * MINUTE]),
      walk(person, "out"),
      wait([3 * MINUTE]),
      walk(person, "in")
    )
)

/**
 * A delivery waits for its retry. Before the retry the user pauses the app, or deletes the history of the time at which
 * the event occurred.
 */
export const silenced = about(
  { connection, person, how: one(["pause", "pause and resume", "erase"] as const) },
  ({ connection, how, person }) =>
    story(
      rule(connection),
      fix(person),
      wait([3 * MINUTE]),
      scriptAll([500, 500, 200]),
      fix(person, { edgeM: INSIDE }),
      wait([0, 0, SECOND]),
      how === "erase"
        ? record({
            do: constant("erase" as const),
            person: constant(person),
            around: constant("last fix" as const),
            beforeMs: one([0, MINUTE]),
            afterMs: one([...ERASED_AFTER, 0, 1])
          })
        : pause(connection),
      ...(how === "pause and resume" ? [wait([1, 10 * SECOND, MINUTE]), resume(connection)] : []),
      wait([MINUTE, 10 * MINUTE, HOUR]),
      { do: "redeliver", app: Math.floor(connection / 2), delivery: 0, state: "failed" },
      maybe({ do: "recover", endpoint: Math.floor(connection / 2), agoMs: DAY }),
      wait([HOUR, 2 * HOUR])
    )
)

/** All scopes except `gone`. */
const without = (...gone: ReadonlyArray<ShortScope>): ReadonlyArray<ShortScope> =>
  SCOPES.filter((scope) => !gone.includes(scope))

/** The user takes a scope away from the app and gives the scope back. */
export const narrowed = about(
  { connection, person, gone: one<ReadonlyArray<ShortScope>>([["rules.place"], SENSITIVE, ["latest.read"]]) },
  ({ connection, gone, person }) =>
    story(
      maybe(consent({ again: connection, unticked: ["visits.read", "history.read"] })),
      rule(connection),
      fix(person),
      wait([3 * MINUTE]),
      steer(connection, { scopes: without(...gone) }),
      call(connection, "latest"),
      call(connection, "me"),
      visits(connection),
      maybe(fix(person, { edgeM: INSIDE })),
      wait([MINUTE, HOUR]),
      oneof(
        story(steer(connection, { scopes: SCOPES, sensitiveDays: 7 })),
        story({ do: "end exact location", connection }, call(connection, "latest"))
      ),
      call(connection, "latest"),
      call(connection, "me"),
      refresh(connection),
      fix(person, { edgeM: INSIDE }),
      wait([3 * MINUTE]),
      walk(person, "out"),
      walk(person, "in"),
      steer(connection, { scopes: SCOPES }),
      ask(connection, { about: "days", agoMs: DAY }),
      maybe(consent({ again: connection })),
      call(connection, "latest")
    )
)

/** The user changes the end date of a tier. Around the end of the tier, the user may change this end date again. */
export const moved = about(
  { connection, days: one([1, 7] as const), tier: one(["standard", "sensitive"] as const) },
  ({ connection, days, tier }) =>
    story(
      consent({ again: connection, standardDays: 30, sensitiveDays: 7 }),
      steer(connection, tier === "standard" ? { standardDays: days } : { sensitiveDays: days }),
      call(connection, "me"),
      maybe(steer(connection, tier === "standard" ? { standardDays: 7 } : { sensitiveDays: 7 })),
      tier === "standard" ? until("standard ends", connection) : until("sensitive ends", connection),
      call(connection, "latest", { isFresh: false }),
      refresh(connection),
      call(connection, "latest"),
      oneof(
        story(steer(connection, { standardDays: 30 })),
        story(steer(connection, { scopes: SCOPES, sensitiveDays: 7 })),
        story({ do: "end exact location", connection }),
        story(pause(connection))
      ),
      call(connection, "latest", { isFresh: false }),
      call(connection, "me"),
      refresh(connection)
    )
)

/**
 * The user changes the connection around the end of the grace period: before or after the sweep has removed the
 * sensitive scopes.
 */
export const graceOver = about({ connection, days: one([1, 7] as const) }, ({ connection, days }) =>
  story(
    // The sensitive scopes end at the time of day of the consent. Without this wait, the sweep that ends the scopes
    // could run at exactly that time, and then it would always come before the user's change.
    wait([MINUTE, 7 * MINUTE]),
    consent({ again: connection, standardDays: null, sensitiveDays: days }),
    oneof(
      story(
        until("sensitive ends", connection, [-1, 0, 1, MINUTE, 20 * MINUTE]),
        steer(connection, { standardDays: 90 })
      ),
      constant([])
    ),
    until("grace ends", connection, [-1, 0, 1, MINUTE, 20 * MINUTE]),
    oneof(
      story(steer(connection, { standardDays: 90 })),
      story({ do: "end exact location", connection }),
      story(steer(connection, { scopes: without("rules.zone") }))
    ),
    maybe(wait([MINUTE, HOUR])),
    steer(connection, { scopes: SCOPES, sensitiveDays: 7 }),
    call(connection, "latest"),
    call(connection, "me"),
    wait([HOUR])
  )
)

/**
 * The user deletes a stay or a part of the stay. Afterwards the phone sends further readings from the time of the stay.
 */
export const erased = about(
  { connection, person, beforeMs: one([10 * MINUTE, 5 * MINUTE, MINUTE, HOUR, DAY]), afterMs: one(ERASED_AFTER) },
  ({ afterMs, beforeMs, connection, person }) => {
    const stay = [0, 1, 2, 3, 4].flatMap((): ReadonlyArray<PlanStep> => [
      fix(person, { edgeM: INSIDE }),
      { do: "wait", ms: 3 * MINUTE }
    ])
    const second = [MINUTE, 5 * MINUTE, 10 * MINUTE, 3 * MINUTE].map((ageMs) => fix(person, { edgeM: INSIDE, ageMs }))
    return story(
      rule(connection),
      rule(connection, { type: "exit" }),
      fix(person),
      wait([3 * MINUTE]),
      ...stay,
      { do: "visit", person, phone: 0, place: 0, edgeM: INSIDE, arrivedMs: 14 * MINUTE, stayedMs: 12 * MINUTE },
      visits(connection),
      own(person),
      one(["now", "last fix"] as const).map((around) => erase(person, beforeMs, afterMs, around)),
      ...requests(connection),
      own(person),
      ...second,
      oneof(story(fix(person, { edgeM: INSIDE })), story(fix(person))),
      wait([MINUTE, 16 * MINUTE]),
      ...requests(connection),
      own(person),
      walk(person, "out"),
      wait([3 * MINUTE]),
      walk(person, "in"),
      visits(connection)
    )
  }
)

/**
 * The user deletes a stretch of the history while the phone uploads readings from this stretch. At that time, the
 * webhook of an event from this stretch may wait for its second attempt.
 */
export const erasedMeanwhile = about(
  { connection, person, apartMs: one([0, 0, 1]), first: integer({ min: 0, max: 2 }) },
  ({ apartMs, connection, first, person }) => {
    const upload = (ageMs: number) => fix(person, { edgeM: INSIDE, ageMs }) as Deed
    // A deletion must not end in the future, so this deletion ends now.
    const gone = erase(person, 10 * MINUTE) as Deed
    const deeds = [upload(MINUTE), upload(2 * MINUTE), upload(3 * MINUTE)]
    return story(
      maybe(scriptAll([500, 200])),
      rule(connection),
      fix(person, { ageMs: 0 }),
      wait([3 * MINUTE]),
      { do: "together", apartMs: 0, deeds: [upload(MINUTE), call(connection, "latest") as Deed] },
      record({
        do: constant("together" as const),
        apartMs: constant(apartMs),
        deeds: constant([...deeds.slice(0, first), gone, ...deeds.slice(first)] as never)
      }),
      ...requests(connection),
      own(person),
      maybe(wait([MINUTE])),
      fix(person, { edgeM: INSIDE, ageMs: 5 * MINUTE }),
      own(person),
      ...requests(connection).slice(5)
    )
  }
)
