import { FastCheck } from "effect"
import { one } from "../deeds.js"
import { HOUR, MINUTE, SECOND } from "../edges.js"
import type { Ask, PlanStep } from "../Plan.js"
import {
  about,
  app,
  call,
  connection,
  consent,
  fix,
  INSIDE,
  maybe,
  person,
  refresh,
  rule,
  story,
  wait,
  walk
} from "./story.js"

/** Stories at limits that the other stories seldom reach. */

const { constant } = FastCheck

const ask = (connection: number, question: Ask): PlanStep => ({ ...call(connection, "me"), ask: question }) as PlanStep
const where = (connection: number): ReadonlyArray<PlanStep> => [
  ask(connection, { about: "presence", place: 0, maxAgeS: 900 }),
  ask(connection, { about: "current place", maxAgeS: 900 })
]

/**
 * A rule names one of the app's two endpoints, and another rule names no endpoint. Only the events of the second rule
 * go to both endpoints.
 */
export const ownAddress = about(
  { connection, person, app, webhook: one([0, 1]), isMoved: one([false, false, true]) },
  ({ app, connection, isMoved, person, webhook }) =>
    story(
      { do: "endpoint", app, url: "new", events: [] },
      rule(connection, { webhook }),
      maybe(rule(connection, { type: "exit" })),
      walk(person, "in"),
      wait([SECOND, HOUR]),
      isMoved ? story({ do: "move endpoint", endpoint: 0 }) : constant([]),
      wait([3 * MINUTE]),
      walk(person, "out"),
      wait([3 * MINUTE]),
      walk(person, "in"),
      wait([MINUTE]),
      { do: "look", app }
    )
)

/**
 * The phone sends the reading of a crossing when this reading is just young enough to fire a rule, or just too old.
 * Later, the phone captures a second crossing while the window of a rule is open, and sends it after the window has
 * ended. Between capture and upload, the app makes another rule.
 */
export const stale = about(
  {
    connection,
    person,
    type: one(["enter", "exit"] as const),
    ageMs: one([900 * SECOND, 900 * SECOND + 1, 901 * SECOND, 930 * SECOND, 16 * MINUTE])
  },
  ({ ageMs, connection, person, type }) => {
    const [from, to] = type === "enter" ? [{ edgeM: 2_000 }, { edgeM: INSIDE }] : [{ edgeM: INSIDE }, { edgeM: 2_000 }]
    return story(
      rule(connection, { type }),
      fix(person, from),
      wait([20 * MINUTE, HOUR]),
      fix(person, { ...to, ageMs }),
      wait([3 * MINUTE]),
      fix(person, from),
      wait([3 * MINUTE, 20 * MINUTE]),
      fix(person, to),
      { do: "offline", person, phone: 0 },
      rule(connection, { type, fromMs: 0, untilMs: 5 * MINUTE }),
      fix(person, from),
      wait([MINUTE]),
      fix(person, to),
      wait([4 * MINUTE, 5 * MINUTE, 10 * MINUTE]),
      rule(connection, { type }),
      { do: "online", person, phone: 0, shuffle: false, duplicate: 1 }
    )
  }
)

/**
 * The clock of a phone is ahead. A reading that is at most five minutes ahead counts as a present reading. A reading
 * that is further ahead is quarantined, and stays in quarantine, because the phone's next reading has an earlier time.
 */
export const ahead = about(
  {
    connection,
    person,
    edgeM: one([INSIDE, 2_000]),
    aheadMs: one([5 * MINUTE, 5 * MINUTE + 1, 6 * MINUTE, 30 * MINUTE, 90 * MINUTE])
  },
  ({ aheadMs, connection, edgeM, person }) =>
    story(
      rule(connection),
      fix(person, { edgeM: edgeM > 0 ? INSIDE : 2_000 }),
      wait([SECOND, MINUTE]),
      fix(person, { edgeM, ageMs: -aheadMs }),
      constant(where(connection)),
      call(connection, "latest"),
      wait([SECOND, MINUTE]),
      fix(person, { edgeM: edgeM > 0 ? INSIDE : 2_000 }),
      constant(where(connection)),
      call(connection, "latest")
    )
)

/**
 * Somebody sends a code with a redirect URI that differs from the redirect URI of the app's request. The service
 * refuses this, and the code can still be exchanged.
 */
export const redirected = about({ connection }, ({ connection }) => {
  const exchange = (over: Partial<Extract<PlanStep, { readonly do: "exchange" }>> = {}): PlanStep => ({
    do: "exchange",
    connection,
    back: 0,
    verifier: "right",
    client: "right",
    ...over
  })
  return story(
    consent({ again: connection, isExchanged: false }),
    exchange({ redirectUri: "wrong" }),
    maybe(exchange({ redirectUri: "wrong", verifier: "wrong" })),
    exchange(),
    call(connection, "me"),
    exchange({ redirectUri: "wrong" }),
    call(connection, "me"),
    refresh(connection)
  )
})

/**
 * A tablet stays at home while its owner is away with a phone. Then one reading of the tablet has a wrong position, or
 * somebody carries the tablet away for a while and brings it back.
 */
export const tablet = about(
  {
    connection,
    person,
    awayMs: one([MINUTE, 5 * MINUTE, 15 * MINUTE, 15 * MINUTE + 1, 30 * MINUTE])
  },
  ({ awayMs, connection, person }) =>
    story(
      { do: "add phone", person },
      fix(person, { phone: 1, edgeM: INSIDE }),
      rule(connection),
      rule(connection, { type: "exit" }),
      fix(person, { edgeM: INSIDE }),
      wait([3 * MINUTE]),
      fix(person),
      wait([3 * MINUTE]),
      fix(person, { phone: 1, edgeM: INSIDE }),
      constant(where(connection)),
      wait([MINUTE, 3 * MINUTE]),
      fix(person, { phone: 1, edgeM: 5_000 }),
      wait([awayMs]),
      fix(person, { phone: 1, edgeM: INSIDE }),
      constant(where(connection)),
      wait([3 * MINUTE]),
      fix(person),
      wait([MINUTE]),
      fix(person, { phone: 1, edgeM: INSIDE }),
      constant(where(connection))
    )
)
