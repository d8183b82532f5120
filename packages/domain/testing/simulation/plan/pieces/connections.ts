import { FastCheck } from "effect"
import { DEEDS, one } from "../deeds.js"
import { DAY, HOUR, MINUTE, SECOND } from "../edges.js"
import { type Deed, SENSITIVE, type PlanStep } from "../Plan.js"
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
  refresh,
  fix,
  INSIDE
} from "./story.js"

const { constant, integer, oneof, record } = FastCheck

export const lapse = about({ connection, days: one([1, 7, 30] as const) }, ({ connection, days }) =>
  story(
    consent({ again: connection, sensitiveDays: days, standardDays: 90 }),
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
        maybe(consent({ again: connection }))
      ),
      story(
        wait([MINUTE, 7 * DAY, 13 * DAY]),
        consent({ again: connection, sensitiveDays: days }),
        call(connection, "latest")
      )
    )
  )
)

export const expiry = about({ connection, person, days: one([1, 7] as const) }, ({ connection, days, person }) =>
  story(
    { do: "disconnect", connection },
    consent({ again: connection, standardDays: days, sensitiveDays: 90 }),
    rule(connection),
    fix(person),
    until("standard ends", connection),
    call(connection, "me", { isFresh: false }),
    refresh(connection),
    fix(person, { edgeM: INSIDE }),
    consent({ again: connection })
  )
)

/**
 * The user renews the sensitive scopes before their end date. When the old end date passes, the scopes must not end.
 */
export const renewed = about({ connection, days: one([1, 7] as const) }, ({ connection, days }) =>
  story(
    consent({ again: connection, sensitiveDays: days, standardDays: null }),
    wait([HOUR, 12 * HOUR]),
    consent({ again: connection, sensitiveDays: 30 }),
    wait([days * DAY, (days + 1) * DAY]),
    call(connection, "latest"),
    call(connection, "me")
  )
)

/**
 * The app refreshes its tokens, and uses the new access token around the time at which this token expires. Then the app
 * may refresh again. At the end, the app uses its second newest access token.
 */
export const aged = about({ connection }, ({ connection }) =>
  story(
    refresh(connection),
    until("access ends", connection, [-SECOND, -1, 0, 0, 1, MINUTE]),
    call(connection, "me", { isFresh: false }),
    maybe(refresh(connection)),
    call(connection, "places", { isFresh: false, back: 1 })
  )
)

export const race = about({ connection, n: integer({ min: 2, max: 3 }) }, ({ connection, n }) =>
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

export const spent = about({ connection, back: one([1, 1, 2]) }, ({ back, connection }) =>
  story(
    refresh(connection),
    maybe(wait([HOUR, 31 * SECOND])),
    refresh(connection),
    until("race ends", connection, [1, 0, -1, MINUTE, DAY]),
    refresh(connection, back),
    call(connection, "me", { isFresh: false }),
    refresh(connection),
    maybe(wait([5 * MINUTE])),
    consent({ again: connection }),
    refresh(connection, back + 1)
  )
)

export const code = about({ connection }, ({ connection }) =>
  story(
    consent({ again: connection, isExchanged: false }),
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

/** An operation ends or changes the connection while the app makes calls or the phone sends fixes. */
export const ending = about(
  {
    connection,
    person,
    end: oneof(
      constant<Deed>({ do: "disconnect", connection: 0 }),
      DEEDS.revoke,
      DEEDS["revoke app"],
      DEEDS["narrow app"],
      DEEDS.consent
    )
  },
  ({ connection, end, person }) => {
    const request = call(connection, "latest") as Deed
    const ended = "connection" in end ? { ...end, connection } : end
    return story(
      record({
        do: constant("together" as const),
        apartMs: one([0, 0, 1]),
        deeds: one<ReadonlyArray<Deed>>([
          [request, ended, request],
          [ended, request, refresh(connection) as Deed],
          [ended, fix(person, { edgeM: INSIDE }) as Deed, fix(person) as Deed]
        ])
      }),
      call(connection, "me"),
      refresh(connection),
      fix(person),
      maybe(wait([MINUTE, HOUR])),
      fix(person, { edgeM: INSIDE }),
      consent({ again: connection })
    )
  }
)

/** Somebody uses the tokens and the code of an app with the client id of another app, or with a wrong secret. */
export const strangers = about({ connection, client: one(["other", "wrong"] as const) }, ({ client, connection }) =>
  story(
    { do: "refresh", connection, back: 0, client },
    { do: "revoke", connection, back: 0, token: "access", client },
    { do: "exchange", connection, back: 0, verifier: "right", client },
    call(connection, "me"),
    { do: "revoke", connection, back: 0, token: "none", client: "right" }
  )
)

export const again = about({ connection, token: one(["access", "refresh"] as const) }, ({ connection, token }) =>
  story(
    oneof(
      constant([]),
      story({ do: "disconnect", connection }),
      story(DEEDS.revoke),
      story({ do: "revoke", connection, back: 0, token, client: "right" })
    ),
    call(connection, "me", { isFresh: false }),
    maybe(wait([MINUTE, HOUR])),
    consent({ again: connection, unticked: ["rules.place", "latest.read"] }),
    call(connection, "place rules"),
    call(connection, "latest"),
    DEEDS.consent,
    consent({ again: connection }),
    call(connection, "me", { back: 1, isFresh: false }),
    call(connection, "me"),
    refresh(connection, 2)
  )
)

/** A call that lists the days with fixes. The call needs the scope `history.read`. */
const days = (connection: number, purpose: number): PlanStep => ({
  ...(call(connection, "latest", { purpose }) as Extract<PlanStep, { readonly do: "call" }>),
  ask: { about: "days", agoMs: DAY }
})

export const purposes = about(
  { connection, app, purpose: integer({ min: 0, max: 2 }) },
  ({ app, connection, purpose }) => {
    const terms = { expectedDailyVolume: 2, description: "To show what is near to you" }
    return story(
      maybe({ do: "new purpose", app, key: "third", terms: { ...terms, scopes: SENSITIVE } }),
      { do: "edit purpose", app, purpose, terms: { ...terms, scopes: ["latest.read"] } },
      call(connection, "latest", { purpose }),
      call(connection, "latest", { purpose: "unknown" }),
      one([purpose, 1]).map((other) => days(connection, other)),
      maybe({ do: "new purpose", app, key: "third", terms: { ...terms, scopes: SENSITIVE } }),
      maybe(call(connection, "latest", { purpose: "none" })),
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
  }
)

export const volume = about({ connection, times: one([4, 5, 6]) }, ({ connection, times }) =>
  story(
    { do: "calls", connection, times, purpose: 1 },
    wait([HOUR, 30 * MINUTE, 2 * HOUR]),
    { do: "read flags" },
    { do: "calls", connection, times: 1, purpose: 1 },
    wait([HOUR, DAY]),
    { do: "read flags" }
  )
)
