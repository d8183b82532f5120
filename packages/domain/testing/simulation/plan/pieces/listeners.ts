import { FastCheck } from "effect"
import { one } from "../deeds.js"
import { CROSSINGS, MINUTE, SECOND } from "../edges.js"
import type { PlanStep } from "../Plan.js"
import { about, app, connection, maybe, person, rule, story, wait, walk } from "./story.js"

const { constant, integer, oneof } = FastCheck

const listen = (app: number, over: Partial<Extract<PlanStep, { readonly do: "listen" }>> = {}): PlanStep => ({
  do: "listen",
  app,
  endpoint: null,
  events: [],
  forMs: 5 * MINUTE,
  ...over
})
const removeEndpoints: ReadonlyArray<PlanStep> = [0, 1, 2].map((endpoint) => ({ do: "remove endpoint", endpoint }))

/** One to three listeners get events, while the app has endpoints that get the same events or has no endpoint. */
export const listened = about(
  {
    connection,
    person,
    app,
    maxEventAgeS: one([null, null, 30]),
    events: one<ReadonlyArray<"rule.fired" | "places.changed">>([[], ["rule.fired"], ["places.changed"]]),
    pauseMs: one(CROSSINGS)
  },
  ({ app, connection, events, maxEventAgeS, pauseMs, person }) =>
    story(
      rule(connection, { maxEventAgeS }),
      rule(connection, { type: "exit" }),
      maybe(rule(connection, { webhook: 0 })),
      oneof(constant([]), constant(removeEndpoints)),
      listen(app, { events }),
      maybe(listen(app, { endpoint: 0 })),
      walk(person, "in", pauseMs),
      maybe({ do: "rotate secret", endpoint: 0 }),
      maybe({ do: "share", connection, places: [1], isEarlierIncluded: false }),
      walk(person, "out"),
      maybe({ do: "stop listening", listener: 0 }),
      listen(app),
      { do: "share", connection, places: [0, 1], isEarlierIncluded: false },
      walk(person, "in"),
      wait([SECOND, MINUTE, 5 * MINUTE]),
      { do: "read access log", person }
    )
)

/**
 * While a developer listens, the session ends, the app is revoked, the endpoints are removed, or the user disconnects
 * or stops sharing the place.
 */
export const listenersEnded = about({ connection, person, app }, ({ app, connection, person }) =>
  story(
    rule(connection),
    maybe(rule(connection, { type: "exit" })),
    listen(app),
    listen(app, { endpoint: 0 }),
    maybe(walk(person, "in", MINUTE)),
    oneof(
      constant<ReadonlyArray<PlanStep>>([
        { do: "end listening session", listener: 0 },
        { do: "end listening session", listener: 1 }
      ]),
      constant<ReadonlyArray<PlanStep>>([{ do: "revoke app", app }]),
      constant(removeEndpoints),
      constant<ReadonlyArray<PlanStep>>([{ do: "disconnect", connection }]),
      constant<ReadonlyArray<PlanStep>>([{ do: "share", connection, places: [1], isEarlierIncluded: false }])
    ),
    wait([0, SECOND, 14 * SECOND, 16 * SECOND, MINUTE]),
    walk(person, "in", MINUTE),
    wait([SECOND, MINUTE])
  )
)

/**
 * The server dies while a developer listens. A second developer of the same app may also listen, but only for a short
 * time.
 */
export const listenersLost = about(
  { connection, person, app, downMs: one([0, SECOND, 31 * SECOND, MINUTE]), forMs: one([SECOND, 59 * SECOND, MINUTE]) },
  ({ app, connection, downMs, forMs, person }) =>
    story(
      rule(connection),
      rule(connection, { type: "exit" }),
      oneof(constant([]), constant(removeEndpoints)),
      listen(app),
      maybe(listen(app, { forMs })),
      {
        do: "together",
        apartMs: 0,
        deeds: [
          { do: "fix", person, phone: 0, place: 0, edgeM: -100, accuracyM: 10, ageMs: 0 },
          { do: "crash", program: "server", downMs }
        ]
      },
      wait([SECOND, 44 * SECOND, 46 * SECOND, 2 * MINUTE]),
      walk(person, "out", MINUTE),
      listen(app),
      walk(person, "in", MINUTE),
      wait([MINUTE, 5 * MINUTE]),
      { do: "read access log", person }
    )
)

/**
 * A developer opens six event streams, although an app may have only five listeners at a time. After one listener has
 * left, the developer opens two more streams.
 */
export const manyListeners = about({ app, left: integer({ min: 0, max: 4 }) }, ({ app, left }) =>
  story(
    ...[0, 1, 2, 3, 4, 5].map(() => listen(app)),
    { do: "stop listening", listener: left },
    wait([0, SECOND]),
    listen(app),
    listen(app),
    wait([SECOND, 46 * SECOND])
  )
)
