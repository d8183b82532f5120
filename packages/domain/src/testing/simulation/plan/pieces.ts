import { FastCheck } from "effect"
import { type Arbitrary, badReply, CROSSING_M, DEEDS, mostly, one, orNull, reply } from "./deeds.js"
import { CROSSINGS, DAY, DOWN, HOUR, LONG_WAITS, MINUTE, OFFSETS, SECOND, WAITS } from "./edges.js"
import { type Deed, type Moment, SCOPES, SENSITIVE, type Step } from "./Plan.js"

/**
 * Stories of a few steps that lead to an edge which single steps seldom find: the end of a grace, the twentieth exhausted event, a
 * race for the last free slot. Each is drawn with other values every time, and anything may come between.
 */

type Steps = Arbitrary<ReadonlyArray<Step>>
type Line = Step | Arbitrary<Step> | Steps

const { array, boolean, constant, integer, oneof, record, tuple } = FastCheck

const isArbitrary = (line: Line): line is Arbitrary<Step> | Steps => "generate" in line
const story = (...lines: ReadonlyArray<Line>): Steps =>
  tuple(...lines.map((line): Arbitrary<Step | ReadonlyArray<Step>> => (isArbitrary(line) ? line : constant(line)))).map(
    (steps) => steps.flat() as ReadonlyArray<Step>
  )
/** With the same numbers throughout. */
const about = <A>(what: { [K in keyof A]: Arbitrary<A[K]> }, tell: (chosen: A) => Steps): Steps =>
  record(what).chain((chosen) => tell(chosen as A))

const person = integer({ min: 0, max: 1 })
const app = integer({ min: 0, max: 1 })
const connection = integer({ min: 0, max: 3 })
const places = [0, 1]

const until = (moment: Moment, of: number, offsets: ReadonlyArray<number> = OFFSETS): Arbitrary<Step> =>
  record({ do: constant("until" as const), moment: constant(moment), of: constant(of), offsetMs: one(offsets) })
const wait = (ms: ReadonlyArray<number>): Arbitrary<Step> => record({ do: constant("wait" as const), ms: one(ms) })
const maybe = (line: Line): Steps => oneof(constant([]), story(line))
const consent = (over: Partial<Extract<Step, { readonly do: "consent" }>> = {}): Step => ({
  do: "consent",
  person: 0,
  app: 0,
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
const call = (
  connection: number,
  about: "me" | "latest" | "places" | "place rules",
  over: Partial<Extract<Step, { readonly do: "call" }>> = {}
): Step => ({ do: "call", connection, back: 0, isFresh: true, ask: { about }, purpose: "fitting", ...over })
const rule = (connection: number, over: Partial<Extract<Step, { readonly do: "rule" }>> = {}): Step => ({
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
const refresh = (connection: number, back = 0): Step => ({ do: "refresh", connection, back, client: "right" })
const fix = (person: number, over: Partial<Extract<Step, { readonly do: "fix" }>> = {}): Step => ({
  do: "fix",
  person,
  phone: 0,
  place: 0,
  edgeM: 2_000,
  accuracyM: 10,
  ageMs: 0,
  ...over
})
const INSIDE = -100
const walk = (person: number, way: "in" | "out", pauseMs = MINUTE): Step => ({
  do: "walk",
  way,
  person,
  phone: 0,
  place: 0,
  metres: 100,
  accuracyM: 10,
  pauseMs
})
const commute = (person: number, times: number, pauseMs: number): Step => ({
  do: "commute",
  times,
  person,
  phone: 0,
  place: 0,
  metres: 100,
  accuracyM: 10,
  pauseMs
})
const script = (endpoint: number, replies: Extract<Step, { readonly do: "script" }>["replies"]): Step => ({
  do: "script",
  endpoint,
  replies
})

/** Whoever's endpoint it is that is meant. */
const scriptAll = (replies: Extract<Step, { readonly do: "script" }>["replies"]): Steps =>
  constant([0, 1, 2].map((endpoint) => script(endpoint, replies)))

/** In the order of what is connected first: connection `n` is of person `n % 2` with app `n / 2`. */
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

const lapse = about({ connection, person, app, days: one([1, 7, 30] as const) }, ({ app, connection, days, person }) =>
  story(
    consent({ person, app, sensitiveDays: days, standardDays: 90 }),
    call(connection, "latest"),
    maybe(until("seven days left", connection)),
    maybe(DEEDS.fault),
    until("sensitive ends", connection),
    call(connection, "latest"),
    call(connection, "me"),
    maybe(call(connection, "places")),
    oneof(
      story(
        until("grace ends", connection),
        call(connection, "latest"),
        call(connection, "me"),
        maybe(consent({ person, app }))
      ),
      story(
        wait([MINUTE, 7 * DAY, 13 * DAY]),
        consent({ person, app, sensitiveDays: days }),
        call(connection, "latest")
      )
    )
  )
)

const expiry = about({ connection, person, app, days: one([1, 7] as const) }, ({ app, connection, days, person }) =>
  story(
    { do: "disconnect", connection },
    consent({ person, app, standardDays: days, sensitiveDays: 90 }),
    rule(connection),
    fix(person),
    until("standard ends", connection),
    call(connection, "me", { isFresh: false }),
    refresh(connection),
    fix(person, { edgeM: INSIDE })
  )
)

const race = about({ connection, n: integer({ min: 2, max: 3 }) }, ({ connection, n }) =>
  story(
    record({
      do: constant("together" as const),
      apartMs: one([0, 0, 1, SECOND, 29 * SECOND]),
      deeds: constant(Array.from({ length: n }, () => refresh(connection)) as never)
    }),
    until("race ends", connection, [-SECOND, 0, -1, 1, SECOND]),
    refresh(connection, 1),
    call(connection, "me", { isFresh: false, back: 1 }),
    maybe(refresh(connection))
  )
)

const spent = about({ connection, person, app, back: one([1, 1, 2]) }, ({ app, back, connection, person }) =>
  story(
    refresh(connection),
    maybe(wait([HOUR, 31 * SECOND])),
    refresh(connection),
    until("race ends", connection, [1, 0, -1, MINUTE, DAY]),
    refresh(connection, back),
    call(connection, "me", { isFresh: false }),
    refresh(connection),
    maybe(wait([5 * MINUTE])),
    consent({ person, app }),
    refresh(connection, back + 1)
  )
)

const code = about({ connection, person, app }, ({ app, connection, person }) =>
  story(
    consent({ person, app, isExchanged: false }),
    maybe(until("code ends", connection, [-1, 0, 1])),
    oneof(
      story(DEEDS.exchange),
      story({
        do: "together",
        apartMs: 0,
        deeds: [
          { do: "exchange", connection, back: 0, verifier: "right", client: "right" },
          { do: "exchange", connection, back: 0, verifier: "right", client: "right" }
        ]
      })
    ),
    { do: "exchange", connection, back: 0, verifier: "right", client: "right" },
    call(connection, "me"),
    maybe(wait([MINUTE, HOUR])),
    record({
      do: constant("exchange" as const),
      connection: constant(connection),
      back: constant(0),
      verifier: one(["right", "wrong"]),
      client: constant("right" as const)
    }),
    call(connection, "me"),
    refresh(connection)
  )
)

/** Twenty events and more of which none is taken. */
const outage = about({ connection, person, bad: badReply, rush: boolean() }, ({ bad, connection, person, rush }) =>
  story(
    scriptAll([bad]),
    rule(connection),
    rule(connection, { type: "exit" }),
    one([10, 11, 9] as const).map((times): Step => commute(person, times, 3 * MINUTE)),
    // The twentieth finds some that are still waiting.
    rush
      ? story(wait([15 * HOUR]), commute(person, 2, 3 * MINUTE), wait([8 * HOUR + 35 * MINUTE, 9 * HOUR]))
      : wait([25 * HOUR, DAY]),
    { do: "look", app: 0 },
    maybe({ do: "redeliver", app: 0, delivery: 0, state: "failed" }),
    maybe(walk(person, "in")),
    maybe(constant([0, 1, 2].map((endpoint): Step => ({ do: "enable endpoint", endpoint })))),
    scriptAll([200]),
    walk(person, "in", 5 * MINUTE),
    maybe({ do: "recover", endpoint: 0, agoMs: 2 * DAY }),
    maybe({ do: "redeliver", app: 0, delivery: 1, state: "failed" }),
    wait([HOUR, DAY])
  )
)

const retries = about(
  { connection, person, endpoint: integer({ min: 0, max: 1 }) },
  ({ connection, endpoint, person }) =>
    story(
      rule(connection),
      oneof(
        array(oneof(badReply, reply), { minLength: 1, maxLength: 6 }).chain((replies) => scriptAll(replies)),
        // As many failures as there are, but for the last.
        integer({ min: 1, max: 7 }).chain((failures) =>
          scriptAll([...Array.from({ length: failures }, () => 500), 200])
        )
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

const withheld = about({ connection, person, age: one([30, 30, 60, 300, 3_600]) }, ({ age, connection, person }) =>
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
      ageMs: one([0, (age - 1) * SECOND, age * SECOND, age * SECOND + 1])
    }),
    wait([age * SECOND, MINUTE, HOUR, DAY]),
    maybe(DEEDS.redeliver),
    { do: "read access log", person },
    scriptAll([200])
  )
)

/** What a delivery still waits for is not allowed any more. */
const takenBack = about({ connection, person, app }, ({ app, connection, person }) =>
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
      story(consent({ person, app, scopes: ["place.current", "latest.read"] })),
      story({ do: "revoke", connection, back: 0, token: "access", client: "right" })
    ),
    wait([MINUTE, HOUR, DAY]),
    maybe({ do: "declare", app, without: [] }),
    maybe({ do: "narrow app", app, without: [] }),
    maybe(consent({ person, app })),
    scriptAll([200]),
    maybe(walk(person, "in"))
  )
)

const eleventh = about(
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

/** Recorded in a window, sent when it is over. */
const late = about({ connection, person, ms: one([HOUR, 5 * MINUTE]) }, ({ connection, ms, person }) =>
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
      until("window is late", -1, [-1, 0, 1]),
      wait([DAY, DAY + HOUR, HOUR])
    ),
    DEEDS.online,
    { do: "online", person, phone: 0, shuffle: true, duplicate: 2 },
    call(connection, "place rules"),
    fix(person),
    wait([5 * MINUTE]),
    fix(person, { edgeM: INSIDE })
  )
)

const edge = about(
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
        ).map((pair): ReadonlyArray<Step> => pair),
        { minLength: 3, maxLength: 9 }
      ).map((pairs) => pairs.flat())
    )
)

const dwell = about({ connection, person }, ({ connection, person }) =>
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

const cooling = about({ connection, person }, ({ connection, person }) =>
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

const backlog = about({ connection, person }, ({ connection, person }) =>
  story(
    rule(connection, { type: "enter" }),
    rule(connection, { type: "dwell" }),
    fix(person),
    { do: "offline", person, phone: 0 },
    array(
      tuple(
        one([walk(person, "in", 3 * MINUTE), walk(person, "out", 3 * MINUTE), fix(person, { edgeM: 40 })] as const),
        wait([MINUTE, 10 * MINUTE])
      ).map((pair): ReadonlyArray<Step> => pair),
      { minLength: 2, maxLength: 5 }
    ).map((pairs) => pairs.flat()),
    maybe(wait([HOUR, DAY])),
    { do: "online", person, phone: 0, shuffle: true, duplicate: 2 },
    fix(person, { edgeM: INSIDE })
  )
)

const purposes = about({ connection, app, purpose: integer({ min: 0, max: 2 }) }, ({ app, connection, purpose }) => {
  const terms = { expectedDailyVolume: 2, description: "To show what is near to you" }
  return story(
    maybe({ do: "new purpose", app, key: "third", terms: { ...terms, scopes: SENSITIVE } }),
    { do: "edit purpose", app, purpose, terms: { ...terms, scopes: ["latest.read"] } },
    call(connection, "latest", { purpose }),
    maybe({ do: "submit purpose", app, purpose }),
    DEEDS["decide purpose"],
    call(connection, "latest", { purpose }),
    DEEDS["edit purpose"],
    call(connection, "latest", { purpose }),
    record({
      do: constant("decide purpose" as const),
      app: constant(app),
      purpose: constant(purpose),
      decision: one(["approve", "reject"])
    }),
    call(connection, "latest", { purpose }),
    maybe({ do: "archive purpose", app, purpose }),
    DEEDS.call
  )
})

const volume = about({ connection, times: one([4, 5, 6]) }, ({ connection, times }) =>
  story(
    { do: "calls", connection, times, purpose: 1 },
    wait([HOUR, 30 * MINUTE, 2 * HOUR]),
    { do: "read flags" },
    { do: "calls", connection, times: 1, purpose: 1 },
    wait([HOUR, DAY]),
    { do: "read flags" }
  )
)

const privacy = about({ connection, person }, ({ connection, person }) =>
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
    fix(person, { edgeM: INSIDE }),
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
    one([true, false]).map((isEarlierIncluded): Step => ({
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

const secrets = about({ connection, person }, ({ connection, person }) =>
  story(
    rule(connection),
    maybe(rule(connection, { webhook: 0 })),
    maybe({ do: "edit endpoint", endpoint: 0, events: ["places.changed"] }),
    constant([0, 1, 2].map((endpoint): Step => ({ do: "rotate secret", endpoint }))),
    walk(person, "in"),
    until("old secret ends", 0, [-1, 0, 1, -MINUTE]),
    { do: "test endpoint", endpoint: 0 },
    maybe({ do: "rotate secret", endpoint: 0 }),
    maybe({ do: "new secret", app: 0 }),
    walk(person, "in")
  )
)

const replays = about({ connection, person, app }, ({ app, connection, person }) =>
  story(
    rule(connection, { maxEventAgeS: 3_600 }),
    rule(connection),
    oneof(scriptAll([500, 200]), scriptAll([500]), scriptAll([200])),
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
        }) as unknown as Arbitrary<Step>
      ),
      { minLength: 2, maxLength: 4 }
    ),
    oneof(constant([]), constant([0, 1, 2].map((endpoint): Step => ({ do: "remove endpoint", endpoint })))),
    maybe({ do: "redeliver", app, delivery: 0, state: null }),
    wait([MINUTE, HOUR]),
    { do: "look", app },
    { do: "read access log", person }
  )
)

const deaths = about({ connection, person }, ({ connection, person }) =>
  story(
    rule(connection),
    scriptAll(["slow", 500, 200]),
    record({
      do: constant("fault" as const),
      fault: one(["crash", "port.unknown", "port.fail", "port.slow"]),
      p: one([0.05, 0.2]),
      times: one([1, 3])
    }),
    walk(person, "in"),
    { do: "calls", connection, times: 5, purpose: "fitting" },
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

/** What ends a connection, and what is asked of it meanwhile. */
const ending = about(
  {
    connection,
    person,
    app,
    end: oneof(
      constant<Deed>({ do: "disconnect", connection: 0 }),
      DEEDS.revoke,
      DEEDS["revoke app"],
      DEEDS["narrow app"],
      DEEDS.consent
    )
  },
  ({ app, connection, end, person }) => {
    const asked = call(connection, "latest") as Deed
    const ended = "connection" in end ? { ...end, connection } : end
    return story(
      record({
        do: constant("together" as const),
        apartMs: one([0, 0, 1]),
        deeds: one<ReadonlyArray<Deed>>([
          [asked, ended, asked],
          [ended, asked, refresh(connection) as Deed],
          [ended, fix(person, { edgeM: INSIDE }) as Deed, fix(person) as Deed]
        ])
      }),
      call(connection, "me"),
      refresh(connection),
      fix(person),
      maybe(wait([MINUTE, HOUR])),
      fix(person, { edgeM: INSIDE }),
      consent({ person, app })
    )
  }
)

/** Apps that mistake themselves for others. */
const strangers = about({ connection, client: one(["other", "wrong"] as const) }, ({ client, connection }) =>
  story(
    { do: "refresh", connection, back: 0, client },
    { do: "revoke", connection, back: 0, token: "access", client },
    { do: "exchange", connection, back: 0, verifier: "right", client },
    call(connection, "me"),
    { do: "revoke", connection, back: 0, token: "none", client: "right" }
  )
)

const again = about({ person, app, connection }, ({ app, connection, person }) =>
  story(
    oneof(constant([]), story({ do: "disconnect", connection }), story(DEEDS.revoke)),
    maybe(wait([MINUTE, HOUR])),
    DEEDS.consent,
    consent({ person, app }),
    call(connection, "me", { back: 1, isFresh: false }),
    call(connection, "me"),
    refresh(connection, 2)
  )
)

export const PIECES = {
  lapse,
  expiry,
  race,
  spent,
  code,
  outage,
  retries,
  withheld,
  takenBack,
  eleventh,
  late,
  edge,
  dwell,
  cooling,
  backlog,
  purposes,
  volume,
  privacy,
  secrets,
  replays,
  deaths,
  ending,
  strangers,
  again
} as const satisfies Record<string, Steps>
export type Piece = keyof typeof PIECES

/** Time passes, a little or a lot. */
export const pause: Steps = mostly(wait(WAITS), wait(LONG_WAITS), 30).map((step): ReadonlyArray<Step> => [step])
export const shortPause: Steps = wait(WAITS).map((step): ReadonlyArray<Step> => [step])
/** Two or three that do not wait for each other. */
export const together = (deed: Arbitrary<Step>): Steps =>
  record({
    do: constant("together" as const),
    apartMs: one([0, 0, 0, 1, SECOND]),
    deeds: array(deed, { minLength: 2, maxLength: 3 })
  }).map((step) => [step as Step])
export const crossing: Steps = record({
  do: constant("walk" as const),
  way: one(["in", "out"]),
  person,
  phone: constant(0),
  place: one([0, 0, 1]),
  metres: CROSSING_M,
  accuracyM: one([10, 10, 50, 60]),
  pauseMs: one(CROSSINGS)
}).map((step): ReadonlyArray<Step> => [step])
