import { FastCheck } from "effect"
import { one } from "../deeds.js"
import { HOUR, MINUTE, SECOND } from "../edges.js"
import type { Ask, PlanStep } from "../Plan.js"
import { about, call, connection, fix, INSIDE, maybe, person, rule, story, wait, walk } from "./story.js"

const { constant, integer } = FastCheck

const ask = (connection: number, question: Ask): PlanStep => ({ ...call(connection, "me"), ask: question }) as PlanStep
const share = (connection: number, places: ReadonlyArray<number>, isEarlierIncluded = false): PlanStep => ({
  do: "share",
  connection,
  places,
  isEarlierIncluded
})

/**
 * The app asks about a zone 20 to 23 times; the budget is 20 questions in an hour. About an hour later the app asks
 * once more.
 */
export const zones = about(
  { connection, person, times: integer({ min: 20, max: 23 }), radiusM: one([100, 300, 1_000]) },
  ({ connection, person, radiusM, times }) =>
    story(
      fix(person),
      ...Array.from({ length: times }, () => ask(connection, { about: "zone", place: 0, radiusM, maxAgeS: 900 })),
      wait([HOUR - 1, HOUR, HOUR - MINUTE]),
      ask(connection, { about: "zone", place: 0, radiusM, maxAgeS: 900 })
    )
)

/**
 * The app asks where the person is when the newest fix is just young enough for the question, and when the fix is just
 * too old.
 */
export const ages = about(
  { connection, person, maxAgeS: one([60, 300, 900]), edgeM: one([INSIDE, 2_000]) },
  ({ connection, edgeM, maxAgeS, person }) =>
    story(
      fix(person, { edgeM }),
      wait([maxAgeS * SECOND, maxAgeS * SECOND, maxAgeS * SECOND - 1, maxAgeS * SECOND + 1]),
      ask(connection, { about: "presence", place: 0, maxAgeS }),
      ask(connection, { about: "current place", maxAgeS }),
      ask(connection, { about: "zone", place: 0, radiusM: 300, maxAgeS }),
      wait([1, SECOND]),
      ask(connection, { about: "presence", place: 0, maxAgeS }),
      ask(connection, { about: "current place", maxAgeS })
    )
)

/**
 * The user stops sharing a place and shares it again. The rules of the place forget their states, and the app sees
 * earlier visits only if the user includes them.
 */
export const sharedAgain = about(
  { connection, person, edgeM: one([2_000, INSIDE]), isEarlierIncluded: one([false, true]) },
  ({ connection, edgeM, isEarlierIncluded, person }) =>
    story(
      rule(connection),
      rule(connection, { type: "exit" }),
      fix(person, { edgeM }),
      wait([MINUTE, 3 * MINUTE]),
      share(connection, [1]),
      maybe(fix(person, { edgeM })),
      wait([MINUTE, 5 * MINUTE]),
      share(connection, [0, 1], isEarlierIncluded),
      wait([MINUTE, 3 * MINUTE]),
      fix(person, { edgeM: edgeM > 0 ? INSIDE : 2_000 }),
      wait([3 * MINUTE]),
      walk(person, "out"),
      wait([3 * MINUTE]),
      walk(person, "in"),
      { do: "read visits", connection, limit: 100, fromMs: null }
    )
)

/**
 * The user replaces the list of shared places by a list that still has the place, so the app still sees earlier visits
 * at this place.
 */
export const kept = about(
  { connection, person, places: one([[0], [0, 1], [1, 0]]) },
  ({ connection, person, places }) =>
    story(
      { do: "visit", person, phone: 0, place: 0, edgeM: INSIDE, arrivedMs: 30 * MINUTE, stayedMs: 20 * MINUTE },
      wait([HOUR]),
      { do: "visit", person, phone: 0, place: 0, edgeM: INSIDE, arrivedMs: 30 * MINUTE, stayedMs: 20 * MINUTE },
      rule(connection),
      fix(person),
      share(connection, places),
      wait([MINUTE]),
      fix(person, { edgeM: INSIDE }),
      { do: "read visits", connection, limit: 100, fromMs: null }
    )
)

/**
 * The user archives a place. Later fixes at the place must change no answer to the app, and earlier visits must keep
 * the place's name.
 */
export const archived = about({ connection, person }, ({ connection, person }) =>
  story(
    rule(connection),
    fix(person),
    { do: "visit", person, phone: 0, place: 0, edgeM: INSIDE, arrivedMs: 30 * MINUTE, stayedMs: 20 * MINUTE },
    wait([MINUTE]),
    { do: "archive place", person, place: 0 },
    wait([1, MINUTE]),
    fix(person, { edgeM: INSIDE }),
    ask(connection, { about: "presence", place: 0, maxAgeS: 900 }),
    ask(connection, { about: "current place", maxAgeS: 900 }),
    ask(connection, { about: "place at", agoMs: 30 * MINUTE, toleranceS: 900 }),
    ask(connection, { about: "places" }),
    { do: "read visits", connection, limit: 100, fromMs: null }
  )
)

/**
 * The app asks for coordinates with an unknown purpose key, without a key and with a right key. Then the user reads the
 * access log.
 */
export const unknownPurpose = about({ connection, person, back: constant(0) }, ({ connection, person }) =>
  story(
    fix(person),
    call(connection, "latest", { purpose: "unknown" }),
    call(connection, "latest", { purpose: "none" }),
    call(connection, "latest"),
    { do: "read access log", person }
  )
)
