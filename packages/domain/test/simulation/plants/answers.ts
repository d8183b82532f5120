import { AccessLogStore } from "@place-access/domain/access-log"
import { Disclosure } from "@place-access/domain/answers"
import { EventStore } from "@place-access/domain/deliveries"
import type { Event } from "@place-access/domain/events"
import { FixHistory } from "@place-access/domain/fixes"
import { LimitStore } from "@place-access/domain/limits"
import { Timestamp } from "@place-access/domain/shared"
import type { Simulation } from "@place-access/domain/testing"
import { VisitStore } from "@place-access/domain/visits"
import { Effect, flow } from "effect"
import { ENTER } from "../../support/ruleFields.js"
import { connected, ME } from "./connected.js"
import { instead, type Plant } from "./plant.js"
import { FAR, HOME, HOUR, MINUTE, SCOPES, SECOND } from "./scene.js"

/**
 * Deliberate bugs (plants) in answers, events, counts and entries of the access log. Only the oracles that check these
 * contents can find them.
 */

const ALL = [
  ...SCOPES,
  "location.zone.verify",
  "location.latest.read",
  "location.history.read",
  "location.lookup"
] as const

/**
 * A scenario: Ana shares everything with an app, which has a rule on her home and a rule on a zone around it. She goes
 * home, and both rules fire. Then `ask` runs.
 */
const homeScenario =
  (
    ask: (connection: Simulation.Connection, home: Simulation.Place, now: number) => Effect.Effect<unknown, unknown>
  ): Plant["scenario"] =>
  (world) =>
    Effect.gen(function* () {
      const ana = yield* world.user("ana")
      const home = yield* ana.place({ label: "Home", ...HOME, radiusM: 200 })
      const phone = yield* ana.phone()
      const app = yield* world.app({ scopes: [...ALL] })
      yield* app.endpoint("hook")
      const connection = yield* app.connect(ana, { scopes: [...ALL], places: [home], standardDays: null })
      yield* connection.call({ endpoint: "POST /v1/rules/place", placeId: home.id, ...ENTER })
      yield* connection.call({ endpoint: "POST /v1/rules/zone", label: "Block", ...HOME, radiusM: 300, ...ENTER })
      for (const point of [FAR, HOME, HOME, HOME, HOME, HOME, HOME, HOME]) {
        yield* world.advance(MINUTE)
        yield* phone.fix(point)
      }
      yield* world.advance(5 * SECOND)
      yield* ask(connection, home, yield* world.now)
      yield* world.advance(MINUTE)
    })

const zone = { endpoint: "POST /v1/answers/verify-zone", label: "Block", ...HOME, radiusM: 300, maxAgeS: 900 } as const

const presence = homeScenario((connection, { id: placeId }) =>
  connection.call({ endpoint: "GET /v1/answers/places/{place_id}/presence", placeId, maxAgeS: 900 })
)
const current = homeScenario((connection) =>
  connection.call({ endpoint: "GET /v1/answers/current-place", maxAgeS: 900 })
)
const latest = homeScenario((connection) => connection.call({ endpoint: "GET /v1/locations/latest" }))
const nothing = homeScenario(() => Effect.void)

/** Plants a bug: questions about zones that were asked during a pause count as soon as the app asks after the pause. */
const countingPaused: Simulation.Sabotage = (ports) => {
  const asked = new Map<string, Array<Timestamp.Timestamp>>()
  return flow(
    instead(AccessLogStore, (store) => ({
      record: (entry) => {
        const key = `${entry.userId} ${entry.appId}`
        if (entry.endpoint === zone.endpoint && entry.disclosed === Disclosure.PAUSED)
          asked.set(key, [...(asked.get(key) ?? []), entry.at])
        return store.record(entry)
      }
    })),
    instead(LimitStore, (store) => ({
      ask: (spender, decide) => {
        const paused = asked.get(`${spender.userId} ${spender.appId}`)?.splice(0) ?? []
        return store.ask(spender, ({ calls, circles }, now) => decide({ calls: [...calls, ...paused], circles }, now))
      }
    }))
  )(ports)
}

/** Plants a bug that changes the body of the answers of one endpoint. */
const answering =
  (
    endpoint: Simulation.Endpoint,
    change: (body: Readonly<Record<string, unknown>>) => object
  ): Simulation.SabotageAnswers =>
  (request, answer) =>
    request.endpoint === endpoint ? { ...answer, body: { ...answer.body, ...change(answer.body) } } : answer

/** Performs a write one second late. The caller continues immediately, as if the write had been done. */
const later = <E>(write: Effect.Effect<void, E>): Effect.Effect<void> =>
  Effect.asVoid(Effect.forkDaemon(Effect.zipRight(Effect.sleep(SECOND), Effect.ignore(write))))

const INVERTED: Readonly<Record<string, string>> = { yes: "no", no: "yes" }

/** Plants a bug that changes the target of each firing before it is sent. */
const targeting = (change: (target: Event.RuleFired["target"]) => Event.RuleFired["target"]) =>
  instead(EventStore, (store) => ({
    pending: (...args) =>
      Effect.map(store.pending(...args), ({ events, ...rest }) => ({
        ...rest,
        events: events.map((event) =>
          "target" in event.payload
            ? { ...event, payload: { ...event.payload, target: change(event.payload.target) } }
            : event
        )
      }))
  }))

export const plants: ReadonlyArray<Plant> = [
  {
    oracle: "Q1",
    what: "presence is inverted",
    sabotageAnswers: answering("GET /v1/answers/places/{place_id}/presence", ({ state }) => ({
      state: INVERTED[String(state)] ?? state
    })),
    scenario: presence
  },
  {
    oracle: "Q2",
    what: "the answer is never a place",
    sabotageAnswers: answering("GET /v1/answers/current-place", ({ state }) =>
      state === "at_place" ? { state: "elsewhere", place: null } : {}
    ),
    scenario: current
  },
  {
    oracle: "Q3",
    what: "the answer is never inside the zone",
    sabotageAnswers: answering("POST /v1/answers/verify-zone", ({ state }) => (state === "yes" ? { state: "no" } : {})),
    scenario: homeScenario((connection) => connection.call(zone))
  },
  {
    oracle: "Q4",
    what: "the latest location is the second newest",
    sabotage: instead(FixHistory, (store) => ({
      newest: (userId, now, within, limit) =>
        limit > 1
          ? store.newest(userId, now, within, limit)
          : Effect.map(store.newest(userId, now, within, 2), (fixes) => (fixes.length > 1 ? fixes.slice(1) : fixes))
    })),
    scenario: latest
  },
  {
    oracle: "Q5",
    what: "a range lacks its first fix",
    sabotage: instead(FixHistory, (store) => ({
      range: (userId, now, within, limit, after) =>
        Effect.map(store.range(userId, now, within, limit, after), ({ items, next }) => ({
          items: items.slice(1),
          next
        }))
    })),
    scenario: homeScenario((connection, _, now) =>
      connection.call({ endpoint: "GET /v1/locations/timerange", from: now - HOUR, to: now, limit: 100 })
    )
  },
  {
    oracle: "Q5",
    what: "a day counts one fix too few",
    sabotageAnswers: answering("GET /v1/locations/days", ({ days }) => ({
      days: (days as ReadonlyArray<{ fixes: number }>).map((day) => ({ ...day, fixes: day.fixes - 1 }))
    })),
    scenario: homeScenario((connection, _, now) =>
      connection.call({ endpoint: "GET /v1/locations/days", from: now - HOUR, to: now })
    )
  },
  {
    oracle: "Q6",
    what: "a look-up of coordinates ignores fixes from after the moment",
    sabotage: instead(FixHistory, (store) => ({
      around: (userId, now, at, toleranceMs) =>
        Effect.map(store.around(userId, now, at, toleranceMs), (fixes) =>
          fixes.filter(({ capturedAt }) => capturedAt <= at)
        )
    })),
    scenario: homeScenario((connection, _, now) =>
      connection.call({ endpoint: "GET /v1/locations/lookup", at: now - 20 * SECOND, toleranceS: 900 })
    )
  },
  {
    oracle: "V8",
    what: "visits end five minutes late",
    sabotage: instead(VisitStore, (store) => ({
      stays: (query) =>
        Effect.map(store.stays(query), (stays) =>
          stays.map((stay) => ({
            ...stay,
            departure: stay.departure === null ? null : Timestamp.plus(stay.departure, 5 * MINUTE + 1)
          }))
        )
    })),
    scenario: (world) =>
      Effect.gen(function* () {
        const ana = yield* world.user("ana")
        const home = yield* ana.place({ label: "Home", ...HOME, radiusM: 200 })
        const phone = yield* ana.phone()
        const app = yield* world.app({ scopes: [...SCOPES] })
        const connection = yield* app.connect(ana, { scopes: [...SCOPES], places: [home] })
        for (const point of [FAR, HOME, HOME, HOME, HOME, HOME, HOME, HOME, FAR, FAR, FAR, FAR]) {
          yield* world.advance(MINUTE)
          yield* phone.fix(point)
        }
        yield* world.advance(MINUTE)
        yield* connection.call({ endpoint: "GET /v1/visits", from: null, to: null, limit: 100, cursor: null })
      })
  },
  {
    oracle: "H8",
    what: "the label of a firing is always Elsewhere",
    sabotage: targeting((target) => ({ ...target, label: "Elsewhere" })),
    scenario: nothing
  },
  {
    oracle: "H8",
    what: "the place of a firing is always null",
    sabotage: targeting((target) => ({ ...target, placeId: null })),
    scenario: nothing
  },
  {
    oracle: "H9",
    what: "the label of a firing has the coordinates of its zone",
    sabotage: targeting(({ label, placeId }) => ({
      placeId,
      label: `${label} (${HOME.lat}.00001, ${HOME.lon}.00001)`
    })),
    scenario: nothing
  },
  {
    oracle: "B1",
    what: "verify-zone has no budget",
    sabotage: instead(LimitStore, (store) => ({
      ask: (spender, decide) => store.ask(spender, ({ circles }, now) => decide({ calls: [], circles }, now))
    })),
    scenario: homeScenario((connection) => Effect.replicateEffect(connection.call(zone), 21))
  },
  {
    oracle: "B1",
    what: "a question during a pause takes from the budget",
    sabotage: countingPaused,
    scenario: homeScenario((connection) =>
      Effect.gen(function* () {
        yield* connection.user.pause(connection)
        yield* Effect.replicateEffect(connection.call(zone), 20)
        yield* connection.user.resume(connection)
        yield* connection.call(zone)
      })
    )
  },
  {
    oracle: "B2",
    what: "circles have no budget for the day",
    isRare: "It takes four circles of more than 2 km about one town within a day.",
    sabotage: instead(LimitStore, (store) => ({
      ask: (spender, decide) => store.ask(spender, ({ calls }, now) => decide({ calls, circles: [] }, now))
    })),
    scenario: homeScenario((connection) =>
      Effect.forEach([3_000, 4_000, 5_000, 6_000], (radiusM) => connection.call({ ...zone, radiusM }))
    )
  },
  {
    oracle: "A5",
    what: "entries never say what was disclosed",
    sabotageAnswers: (_, answer) => ({ ...answer, disclosed: null }),
    scenario: latest
  },
  {
    oracle: "A5",
    what: "an entry says that the user was at a place when the answer said that they were not",
    sabotageAnswers: (request, answer) =>
      request.endpoint === "GET /v1/answers/places/{place_id}/presence" && answer.disclosed !== null
        ? { ...answer, disclosed: answer.disclosed.replace("were at", "were not at") }
        : answer,
    scenario: presence
  },
  {
    oracle: "A6",
    what: "the log forgets what was disclosed",
    sabotage: instead(AccessLogStore, (store) => ({ record: (entry) => store.record({ ...entry, disclosed: null }) })),
    scenario: latest
  },
  {
    oracle: "A6",
    what: "the entry of calls with a dead token says that they were answered",
    sabotage: instead(AccessLogStore, (store) => ({
      recordRepeat: (entry) => store.recordRepeat({ ...entry, status: 200 })
    })),
    scenario: (world) =>
      Effect.gen(function* () {
        const { ana, connection } = yield* connected(world)
        yield* ana.disconnect(connection)
        yield* Effect.replicateEffect(connection.call(ME), 2)
      })
  },
  {
    oracle: "A7",
    what: "entries have no purpose",
    sabotage: instead(AccessLogStore, (store) => ({ record: (entry) => store.record({ ...entry, purpose: null }) })),
    isInFront: true,
    scenario: latest
  },
  {
    oracle: "A7",
    what: "an entry has a purpose key that the app does not have",
    sabotage: instead(AccessLogStore, (store) => ({
      record: (entry) =>
        store.record(
          entry.error === "invalid_purpose" && entry.purpose === null
            ? { ...entry, purpose: "never_registered" }
            : entry
        )
    })),
    isInFront: true,
    scenario: homeScenario((connection) =>
      connection.call({ endpoint: "GET /v1/locations/latest" }, { purpose: "never_registered" })
    )
  },
  {
    oracle: "Q1",
    what: "a fix that is just as old as max_age allows does not count",
    sabotage: instead(FixHistory, (store) => ({
      newest: (userId, now, { from, until }, limit) =>
        store.newest(userId, now, { from: from === null ? null : Timestamp.plus(from, 1), until }, limit)
    })),
    scenario: homeScenario((connection, { id: placeId }, now) =>
      Effect.zipRight(
        connection.app.world.advanceTo(now - 5 * SECOND + 900 * SECOND),
        connection.call({ endpoint: "GET /v1/answers/places/{place_id}/presence", placeId, maxAgeS: 900 })
      )
    )
  },
  {
    oracle: "Q3",
    what: "a zone is judged by a fix that is older than max_age allows",
    sabotageAnswers: answering("POST /v1/answers/verify-zone", ({ state }) =>
      state === "unknown" ? { state: "yes" } : {}
    ),
    scenario: homeScenario((connection, _, now) =>
      Effect.zipRight(connection.app.world.advanceTo(now - 5 * SECOND + 901 * SECOND), connection.call(zone))
    )
  },
  {
    oracle: "A9",
    what: "an answer leaves before its entry is written",
    sabotage: instead(AccessLogStore, (store) => ({
      record: (entry) => (entry.endpoint.startsWith("webhook ") ? store.record(entry) : later(store.record(entry)))
    })),
    isInFront: true,
    scenario: presence
  },
  {
    oracle: "A9",
    what: "a webhook is sent before its entry is written",
    sabotage: instead(AccessLogStore, (store) => ({
      record: (entry) => (entry.endpoint.startsWith("webhook ") ? later(store.record(entry)) : store.record(entry))
    })),
    isInFront: true,
    scenario: nothing
  },
  {
    oracle: "A8",
    what: "the entry of a firing does not say where it was",
    sabotage: instead(AccessLogStore, (store) => ({
      list: (userId, filter, limit, after) =>
        Effect.map(store.list(userId, filter, limit, after), ({ items, next }) => ({
          next,
          items: items.map((entry) =>
            entry.endpoint.startsWith("webhook ") ? { ...entry, disclosed: "a firing" } : entry
          )
        }))
    })),
    scenario: nothing
  },
  {
    oracle: "A8",
    what: "the entry of a firing names the zone of somebody else",
    sabotage: instead(AccessLogStore, (store) => ({
      list: (userId, filter, limit, after) =>
        Effect.map(store.list(userId, filter, limit, after), ({ items, next }) => ({
          next,
          items: items.map((entry) =>
            /^webhook (?:place|zone)\./.test(entry.endpoint) ? { ...entry, disclosed: "that you entered Pier" } : entry
          )
        }))
    })),
    scenario: (world) =>
      Effect.gen(function* () {
        const ben = yield* world.user("ben")
        const app = yield* world.app({ scopes: [...ALL] })
        const connection = yield* app.connect(ben, { scopes: [...ALL], places: [], standardDays: null })
        yield* connection.call({ endpoint: "POST /v1/rules/zone", label: "Pier", ...HOME, radiusM: 300, ...ENTER })
        yield* nothing(world)
      })
  }
]
