import { FastCheck } from "effect"
import { type Arbitrary, badReply, DEEDS, one, reply } from "../deeds.js"
import { CROSSINGS, DAY, DOWN, HOUR, MINUTE, SECOND } from "../edges.js"
import { type PlanStep } from "../Plan.js"
import {
  story,
  about,
  person,
  app,
  connection,
  until,
  wait,
  maybe,
  consent,
  call,
  rule,
  fix,
  INSIDE,
  walk,
  commute,
  scriptAll
} from "./story.js"

const { array, boolean, constant, integer, oneof, record } = FastCheck

/**
 * At first, the receivers let every POST fail. About twenty events occur, because twenty successive deliveries that
 * failed at every attempt disable an endpoint.
 */
export const outage = about(
  { connection, person, bad: badReply, rush: boolean() },
  ({ bad, connection, person, rush }) =>
    story(
      scriptAll([bad]),
      rule(connection),
      rule(connection, { type: "exit" }),
      one([10, 11, 9] as const).map((times): PlanStep => commute(person, times, 3 * MINUTE)),
      // With `rush`, the twentieth delivery that failed at every attempt disables the endpoint while later deliveries
      // wait for a retry.
      rush
        ? story(wait([15 * HOUR]), commute(person, 2, 3 * MINUTE), wait([8 * HOUR + 35 * MINUTE, 9 * HOUR]))
        : wait([25 * HOUR, DAY]),
      { do: "look", app: 0 },
      maybe({ do: "redeliver", app: 0, delivery: 0, state: "failed" }),
      maybe(walk(person, "in")),
      maybe(constant([0, 1, 2].map((endpoint): PlanStep => ({ do: "enable endpoint", endpoint })))),
      scriptAll([200]),
      walk(person, "in", 5 * MINUTE),
      maybe({ do: "recover", endpoint: 0, agoMs: 2 * DAY }),
      maybe({ do: "redeliver", app: 0, delivery: 1, state: "failed" }),
      wait([HOUR, DAY])
    )
)

export const retries = about(
  { connection, person, endpoint: integer({ min: 0, max: 1 }) },
  ({ connection, endpoint, person }) =>
    story(
      rule(connection),
      oneof(
        array(oneof(badReply, reply), { minLength: 1, maxLength: 6 }).chain((replies) => scriptAll(replies)),
        // Six failures are drawn most often, because then the seventh and last attempt succeeds.
        one([6, 6, 1, 2, 3, 5, 7]).chain((failures) => scriptAll([...Array.from({ length: failures }, () => 500), 200]))
      ),
      walk(person, "in"),
      maybe(DEEDS["retry now"]),
      wait([SECOND, 30 * SECOND, 6 * MINUTE, 3 * HOUR]),
      oneof(
        constant([]),
        story({ do: "retry now", app: 0, delivery: 0, state: "trying" }),
        story(DEEDS.crash),
        story({ do: "rotate secret", endpoint }),
        story({ do: "remove endpoint", endpoint })
      ),
      wait([DAY, 10 * HOUR, HOUR]),
      maybe(DEEDS.redeliver),
      { do: "look", app: 0 }
    )
)

export const withheld = about(
  { connection, person, age: one([30, 30, 60, 300, 3_600]) },
  ({ age, connection, person }) =>
    story(
      rule(connection, { maxEventAgeS: age }),
      oneof(scriptAll([500, 200]), scriptAll(["hang", "hang", 200]), scriptAll([500, 500, 500, 200]), scriptAll([500])),
      fix(person),
      wait(CROSSINGS),
      record({
        do: constant("fix" as const),
        person: constant(person),
        phone: constant(0),
        place: constant(0),
        edgeM: constant(INSIDE),
        accuracyM: constant(10),
        ageMs: one([0, (age - 1) * SECOND, age * SECOND, age * SECOND + 1, (age + 5) * SECOND])
      }),
      wait([age * SECOND, MINUTE, HOUR, DAY]),
      maybe(DEEDS.redeliver),
      { do: "read access log", person },
      scriptAll([200])
    )
)

/**
 * While a delivery waits for its retry, something that the delivery depends on changes or is removed: a permission, the
 * rule, the place or the endpoint.
 */
export const takenBack = about({ connection, person, app }, ({ app, connection, person }) =>
  story(
    rule(connection),
    scriptAll([500, 500, 200]),
    walk(person, "in"),
    oneof(
      story({ do: "disconnect", connection }),
      story({ do: "narrow app", app, without: ["rules.place"] }),
      story({ do: "declare", app, without: ["rules.place"] }),
      story({ do: "share", connection, places: [1], isEarlierIncluded: false }),
      story(DEEDS["remove rule"]),
      story(DEEDS["user removes rule"]),
      story(DEEDS["remove endpoint"]),
      story({ do: "archive place", person, place: 0 }),
      story({ do: "move endpoint", endpoint: 0 }),
      story(consent({ again: connection, scopes: ["place.current", "latest.read"] })),
      story({ do: "revoke", connection, back: 0, token: "access", client: "right" })
    ),
    call(connection, "place rules"),
    wait([MINUTE, HOUR, DAY]),
    { do: "declare", app, without: [] },
    { do: "narrow app", app, without: [] },
    consent({ again: connection }),
    scriptAll([200]),
    maybe(walk(person, "in"))
  )
)

/** A developer creates more endpoints than an app may have. */
export const addresses = about({ app, events: one([[], ["rule.fired"]] as const) }, ({ app, events }) =>
  story(
    ...[0, 1, 2, 3, 4, 5].map((): PlanStep => ({ do: "endpoint", app, url: "new", events })),
    maybe(DEEDS["remove endpoint"]),
    { do: "endpoint", app, url: "new", events: [] },
    { do: "look", app }
  )
)

export const secrets = about({ connection, person, app }, ({ app, connection, person }) =>
  story(
    rule(connection),
    maybe(rule(connection, { webhook: 0 })),
    maybe({ do: "endpoint", app, url: "new", events: [] }),
    maybe({ do: "edit endpoint", endpoint: 0, events: ["places.changed"] }),
    constant([0, 1, 2].map((endpoint): PlanStep => ({ do: "rotate secret", endpoint }))),
    walk(person, "in"),
    until("old secret ends", 0, [-1, 0, 1, -MINUTE]),
    { do: "test endpoint", endpoint: 0 },
    maybe({ do: "rotate secret", endpoint: 0 }),
    maybe({ do: "new secret", app: 0 }),
    walk(person, "in")
  )
)

export const replays = about({ connection, person, app }, ({ app, connection, person }) =>
  story(
    rule(connection, { maxEventAgeS: 3_600 }),
    rule(connection),
    oneof(scriptAll([500, 200]), scriptAll([500]), scriptAll([200]), scriptAll([200, 500, 200])),
    walk(person, "in"),
    { do: "redeliver", app, delivery: 0, state: "trying" },
    maybe({ do: "retry now", app, delivery: 0, state: "trying" }),
    DEEDS.redeliver,
    wait([SECOND, 31 * SECOND, HOUR, 61 * MINUTE, DAY]),
    array(
      oneof(
        DEEDS.redeliver,
        DEEDS["retry now"],
        record({
          do: one(["redeliver", "retry now"]),
          app: constant(app),
          delivery: one([0, 1, 2]),
          state: one([null, "delivered", "failed"])
        }) as unknown as Arbitrary<PlanStep>
      ),
      { minLength: 2, maxLength: 4 }
    ),
    oneof(constant([]), constant([0, 1, 2].map((endpoint): PlanStep => ({ do: "remove endpoint", endpoint })))),
    maybe({ do: "redeliver", app, delivery: 0, state: null }),
    wait([MINUTE, HOUR, DAY]),
    { do: "look", app },
    { do: "read access log", person }
  )
)

export const deaths = about({ connection, person }, ({ connection, person }) =>
  story(
    rule(connection),
    scriptAll(["slow", 500, 200]),
    record({
      do: constant("fault" as const),
      fault: one(["crash", "port.unknown", "port.fail", "port.slow"]),
      p: one([0.05, 0.2]),
      times: one([1, 3])
    }),
    oneof(
      story(walk(person, "in"), { do: "calls", connection, times: 5, purpose: "fitting" }),
      story({ do: "calls", connection, times: 8, purpose: "fitting" }, walk(person, "in"))
    ),
    record({
      do: constant("crash" as const),
      program: one(["worker", "server", "worker2"]),
      downMs: one(DOWN)
    }),
    walk(person, "out"),
    wait([MINUTE, HOUR]),
    { do: "look", app: 0 },
    { do: "read access log", person }
  )
)
