import { FastCheck } from "effect"
import { DEEDS, one, orNull } from "../deeds.js"
import { DAY, HOUR, MINUTE, SECOND } from "../edges.js"
import { type PlanStep } from "../Plan.js"
import { story, about, person, connection, until, wait, maybe, call, rule, fix, INSIDE, walk } from "./story.js"

const { array, boolean, constant, oneof, record, tuple } = FastCheck

export const eleventh = about(
  { connection, before: one([8, 9, 9, 10]), windowed: boolean() },
  ({ before, connection, windowed }) => {
    const window = windowed ? { fromMs: HOUR, untilMs: 2 * HOUR } : {}
    return story(
      ...Array.from({ length: before }, (_, n) =>
        rule(connection, {
          type: n % 2 === 0 ? "enter" : "exit",
          ...window,
          ...(n % 3 === 0 ? { target: "zone" } : {})
        })
      ),
      record({
        do: constant("together" as const),
        apartMs: one([0, 0, 1]),
        deeds: constant([
          rule(connection, window),
          rule(connection, window),
          rule(connection, { type: "dwell", ...window })
        ] as never)
      }),
      maybe(DEEDS["remove rule"]),
      rule(connection, { fromMs: 2 * HOUR, untilMs: 3 * HOUR }),
      rule(connection, { fromMs: HOUR, untilMs: 2 * HOUR }),
      rule(connection),
      call(connection, "place rules")
    )
  }
)

/**
 * An offline phone captures fixes while the window of a rule is open. The phone sends the fixes around the end of the
 * window, or later.
 */
export const late = about({ connection, person, ms: one([HOUR, 5 * MINUTE]) }, ({ connection, ms, person }) =>
  story(
    record({
      do: constant("together" as const),
      apartMs: constant(0),
      deeds: constant([
        rule(connection, { fromMs: 0, untilMs: ms, type: "enter" }),
        rule(connection, { fromMs: 0, untilMs: ms, type: "dwell" })
      ] as never)
    }),
    { do: "offline", person, phone: 0 },
    fix(person),
    wait([MINUTE, 2 * MINUTE]),
    fix(person, { edgeM: INSIDE }),
    maybe(wait([5 * MINUTE])),
    maybe(fix(person, { edgeM: INSIDE })),
    oneof(
      until("window closes", -1, [-1, 0, 1, 15 * MINUTE]),
      until("window is late", -1, [0, 1, HOUR]),
      wait([DAY, DAY + HOUR, HOUR])
    ),
    DEEDS.online,
    { do: "online", person, phone: 0, shuffle: true, duplicate: 2 },
    call(connection, "place rules"),
    fix(person),
    wait([5 * MINUTE]),
    fix(person, { edgeM: INSIDE }),
    maybe(wait([HOUR])),
    call(connection, "place rules"),
    call(connection, "place rules")
  )
)

/** The phone captures fixes before the window of a rule opens, and sends them before or after the opening. */
export const early = about(
  { connection, person, fromMs: one([5 * MINUTE, HOUR]), isOffline: boolean() },
  ({ connection, fromMs, isOffline, person }) =>
    story(
      rule(connection, { fromMs, untilMs: 2 * HOUR }),
      maybe(rule(connection, { fromMs, untilMs: 2 * HOUR, type: "exit" })),
      isOffline ? story({ do: "offline", person, phone: 0 }) : constant([]),
      until("window opens", -1, [-2 * MINUTE, -3 * MINUTE]),
      fix(person),
      isOffline ? constant([]) : story(wait([MINUTE]), fix(person, { edgeM: INSIDE })),
      until("window opens", -1, [0, 1, MINUTE]),
      { do: "online", person, phone: 0, shuffle: false, duplicate: 1 },
      wait([MINUTE]),
      fix(person, { edgeM: INSIDE }),
      wait([2 * MINUTE]),
      fix(person),
      call(connection, "place rules")
    )
)

/**
 * The first fix that a rule evaluates never fires the rule, even if the fix is inside the circle of an enter rule, or
 * outside the circle of an exit rule.
 */
export const first = about(
  { connection, person, type: one(["enter", "exit"] as const) },
  ({ connection, person, type }) =>
    story(
      maybe(fix(person, { edgeM: type === "enter" ? INSIDE : 2_000 })),
      rule(connection, { type }),
      wait([SECOND, MINUTE]),
      fix(person, { edgeM: type === "enter" ? INSIDE : 2_000 }),
      wait([2 * MINUTE, 5 * MINUTE]),
      fix(person, { edgeM: type === "enter" ? 2_000 : INSIDE })
    )
)

/** Seven fixes inside one place, one every two minutes, which is long enough for a stay, and then a fix outside. */
const lingering = (person: number, place: number): ReadonlyArray<PlanStep> => [
  ...Array.from({ length: 7 }, (): ReadonlyArray<PlanStep> => [
    fix(person, { place, edgeM: INSIDE }),
    { do: "wait", ms: 2 * MINUTE }
  ]).flat(),
  fix(person, { place, edgeM: 2_000 })
]

/**
 * The person stays at shared places and at places that the user does not share. The app reads the visits page by page.
 */
export const stays = about({ connection, person, pages: one([1, 2]) }, ({ connection, pages, person }) => {
  const share = (places: ReadonlyArray<number>, isEarlierIncluded: boolean): PlanStep => ({
    do: "share",
    connection,
    places,
    isEarlierIncluded
  })
  const read = (limit: number): PlanStep => ({ do: "read visits", connection, limit, fromMs: null })
  const presence = (place: number): PlanStep => ({
    ...(call(connection, "me") as Extract<PlanStep, { readonly do: "call" }>),
    ask: { about: "presence", place, maxAgeS: 900 }
  })
  return story(
    share([0, 1], true),
    constant(lingering(person, 0)),
    maybe(wait([HOUR])),
    constant(lingering(person, 1)),
    read(pages),
    presence(1),
    share([0], false),
    read(1),
    presence(1),
    maybe(constant(lingering(person, 0))),
    share([], false),
    read(pages),
    wait([MINUTE, HOUR]),
    boolean().map((isEarlierIncluded) => share([0, 1], isEarlierIncluded)),
    read(100),
    presence(0)
  )
})

export const edge = about(
  { connection, person, type: one(["enter", "exit", "dwell"] as const) },
  ({ connection, person, type }) =>
    story(
      rule(connection, { type }),
      array(
        tuple(
          record({
            do: constant("fix" as const),
            person: constant(person),
            phone: constant(0),
            place: constant(0),
            edgeM: one([-51, -50, -49, 49, 50, 51, 60, -60, 101, -101, 2_000, INSIDE]),
            accuracyM: one([10, 50, 51, 60, 100, null]),
            ageMs: one([0, 0, 0, 899 * SECOND, 900 * SECOND, 900 * SECOND + 1])
          }),
          wait([MINUTE, 59 * SECOND, 119 * SECOND, 2 * MINUTE, 121 * SECOND, 5 * MINUTE - 1, 5 * MINUTE])
        ).map((pair): ReadonlyArray<PlanStep> => pair),
        { minLength: 3, maxLength: 9 }
      ).map((pairs) => pairs.flat())
    )
)

export const dwell = about({ connection, person }, ({ connection, person }) =>
  story(
    rule(connection, { type: "dwell" }),
    fix(person),
    wait([MINUTE]),
    fix(person, { edgeM: INSIDE }),
    wait([5 * MINUTE - 1, 5 * MINUTE, 5 * MINUTE + 1, 6 * MINUTE]),
    fix(person, { edgeM: INSIDE }),
    wait([SECOND, MINUTE, 5 * MINUTE]),
    fix(person, { edgeM: INSIDE }),
    maybe(fix(person, { edgeM: 51 })),
    wait([2 * MINUTE, 5 * MINUTE]),
    fix(person, { edgeM: INSIDE }),
    wait([5 * MINUTE]),
    fix(person, { edgeM: INSIDE })
  )
)

/** A rule waits after a crossing (`settle_s`), and the phone goes back before, at or after the end of the wait. */
export const settling = about(
  { connection, person, settleS: one([30, 120, 300]), type: one(["enter", "exit"] as const) },
  ({ connection, person, settleS, type }) => {
    const [from, to] = type === "enter" ? [{ edgeM: 2_000 }, { edgeM: INSIDE }] : [{ edgeM: INSIDE }, { edgeM: 2_000 }]
    const waits = [10 * SECOND, 29 * SECOND, 30 * SECOND, MINUTE, 2 * MINUTE, 121 * SECOND, 5 * MINUTE, 10 * MINUTE]
    return story(
      rule(connection, { type, settleS }),
      fix(person, from),
      wait([MINUTE, 10 * MINUTE]),
      fix(person, to),
      wait(waits),
      fix(person, from),
      wait([MINUTE, 3 * MINUTE, HOUR]),
      fix(person, to),
      wait(waits),
      fix(person, to),
      wait([MINUTE, HOUR]),
      maybe(fix(person, from)),
      maybe(wait([10 * SECOND])),
      maybe(fix(person, to)),
      wait([HOUR])
    )
  }
)

/**
 * A phone arrives and then sends nothing for a while. The next reading comes before, at or after the time at which the
 * rule fires by silence.
 */
export const sleeping = about({ connection, person, silenceS: one([300, 600]) }, ({ connection, person, silenceS }) =>
  story(
    rule(connection, { type: "dwell", silenceS }),
    fix(person),
    wait([MINUTE]),
    fix(person, { edgeM: INSIDE }),
    wait([MINUTE, 4 * MINUTE, 10 * MINUTE - 1, 10 * MINUTE, 15 * MINUTE, HOUR]),
    oneof(constant(fix(person)), constant(fix(person, { edgeM: INSIDE })), constant(fix(person, { edgeM: 51 }))),
    wait([MINUTE, 10 * MINUTE]),
    fix(person),
    wait([3 * MINUTE]),
    fix(person, { edgeM: INSIDE }),
    wait([HOUR]),
    maybe(fix(person, { edgeM: INSIDE })),
    fix(person),
    wait([10 * MINUTE])
  )
)

export const cooling = about({ connection, person }, ({ connection, person }) =>
  story(
    rule(connection),
    rule(connection, { type: "exit" }),
    fix(person),
    wait([MINUTE]),
    fix(person, { edgeM: INSIDE }),
    wait([30 * SECOND, 59 * SECOND]),
    fix(person),
    wait([30 * SECOND, 59 * SECOND, 60 * SECOND, 61 * SECOND]),
    fix(person, { edgeM: INSIDE }),
    wait([MINUTE, 59 * SECOND, 61 * SECOND]),
    fix(person),
    wait([MINUTE, 2 * MINUTE]),
    fix(person, { edgeM: INSIDE })
  )
)

export const backlog = about({ connection, person }, ({ connection, person }) =>
  story(
    rule(connection, { type: "enter" }),
    rule(connection, { type: "dwell" }),
    fix(person),
    { do: "offline", person, phone: 0 },
    array(
      tuple(
        one([walk(person, "in", 3 * MINUTE), walk(person, "out", 3 * MINUTE), fix(person, { edgeM: 40 })] as const),
        wait([MINUTE, 10 * MINUTE])
      ).map((pair): ReadonlyArray<PlanStep> => pair),
      { minLength: 2, maxLength: 5 }
    ).map((pairs) => pairs.flat()),
    maybe(wait([HOUR, DAY])),
    { do: "online", person, phone: 0, shuffle: true, duplicate: 2 },
    fix(person, { edgeM: INSIDE })
  )
)

export const privacy = about({ connection, person }, ({ connection, person }) =>
  story(
    DEEDS.visit,
    record({
      do: constant("visit" as const),
      person: constant(person),
      phone: constant(0),
      place: one([0, 1, 2]),
      edgeM: constant(INSIDE),
      arrivedMs: one([HOUR, 2 * HOUR, DAY]),
      stayedMs: orNull(one([10 * MINUTE, HOUR]))
    }),
    { do: "visit", person, phone: 0, place: 1, edgeM: INSIDE, arrivedMs: 5 * HOUR, stayedMs: HOUR },
    { do: "visit", person, phone: 0, place: 0, edgeM: INSIDE, arrivedMs: 3 * HOUR, stayedMs: HOUR },
    { do: "share", connection, places: [0, 1, 2], isEarlierIncluded: true },
    { do: "read visits", connection, limit: 1, fromMs: null },
    one([fix(person, { edgeM: INSIDE }), fix(person)] as const),
    record({
      do: constant("call" as const),
      connection: constant(connection),
      back: constant(0),
      isFresh: constant(true),
      ask: record({
        about: one(["place at", "location at"]),
        agoMs: one([0, MINUTE, 900 * SECOND]),
        toleranceS: one([900, 0, 60])
      }),
      purpose: constant("fitting" as const)
    }),
    DEEDS.share,
    { do: "share", connection, places: [1], isEarlierIncluded: false },
    DEEDS["edit place"],
    { do: "read visits", connection, limit: 2, fromMs: null },
    one([true, false]).map((isEarlierIncluded): PlanStep => ({
      do: "share",
      connection,
      places: [0, 1, 2],
      isEarlierIncluded
    })),
    maybe(DEEDS.visit),
    maybe(DEEDS["archive place"]),
    { do: "read visits", connection, limit: 100, fromMs: null },
    DEEDS.call
  )
)
