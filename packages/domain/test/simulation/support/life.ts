import type { Simulation } from "@place-access/domain/testing"
import { Effect } from "effect"

/**
 * Lives of users, phones, apps and receivers drawn from the world's own random numbers, with a liking for the edges: what the oracles are
 * listened to for false alarms with. Whoever looks for faults of the service has plans for it.
 */

type World = Simulation.World
type Random = World["random"]

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

export const SCOPES = [
  "location.place.current",
  "location.place.lookup",
  "location.rules.place",
  "location.rules.zone",
  "location.places.watch",
  "location.visits.read",
  "location.latest.read"
]

const WAITS = [
  1,
  SECOND,
  29_999,
  30_000,
  MINUTE,
  119_999,
  120_000,
  2 * MINUTE,
  5 * MINUTE,
  5 * MINUTE,
  10 * MINUTE,
  15 * MINUTE,
  15 * MINUTE + 1,
  30 * MINUTE,
  HOUR,
  3 * HOUR
]
const AGES = [
  0,
  0,
  0,
  0,
  1,
  SECOND,
  MINUTE,
  119_999,
  120_000,
  5 * MINUTE,
  15 * MINUTE,
  15 * MINUTE + 1,
  HOUR,
  25 * HOUR
]
const METRES = [0, 0, 0, 0, 10, 149, 151, 199, 249, 251, 400, 2_000, 2_000, 2_000, 2_000]
const REPLIES: ReadonlyArray<Simulation.Reply> = [
  200,
  200,
  204,
  500,
  "hang",
  "refuse",
  "slow",
  "reset",
  "reset_after_2xx",
  { status: 302, location: "https://elsewhere.example/" },
  { status: 200, delayMillis: 5_000 },
  { status: 200, delayMillis: 4_999 }
]

export interface Options {
  readonly steps: number
  /** Also what changes the clock of the machine, kills programs and so on: what is drawn, not what the faults do. */
  readonly trouble?: boolean
  /** From when everybody is settled on. */
  readonly faults?: Simulation.Config["faults"]
}

const north = (metres: number) => 50 + metres / 111_229

export const life =
  ({ faults = {}, steps, trouble = false }: Options) =>
  (world: World) =>
    Effect.gen(function* () {
      const r = world.random
      const people = yield* Effect.forEach(["ana", "bob"], (name) => settle(world, name))
      const apps = [yield* world.app({ scopes: SCOPES }), yield* world.app({ scopes: SCOPES })]
      const hooks: Array<Simulation.Hook> = []
      for (const app of apps) {
        hooks.push(yield* app.endpoint("all"))
        hooks.push(yield* app.endpoint("some", { events: [r.pick(["rule.fired", "places.changed"])] }))
      }
      const connections: Array<Simulation.Connection> = []
      for (const app of apps) {
        for (const person of people) {
          connections.push(
            yield* app.connect(person.user, {
              scopes: SCOPES,
              places: person.places.slice(0, r.int(1, 3)),
              standardDays: r.pick([1, 7, 30, null])
            })
          )
        }
      }
      const state: State = { world, r, people, apps, hooks, connections, rules: [], trouble }
      for (const [kind, setting] of Object.entries(faults)) {
        yield* world.fault(kind as Simulation.FaultKind, typeof setting === "number" ? { p: setting } : setting)
      }
      for (let step = 0; step < steps; step++) {
        // What does not work out is part of life: the trace tells.
        if (r.chance(0.12)) {
          yield* Effect.all([Effect.ignore(act(state)), Effect.ignore(act(state))], { concurrency: "unbounded" })
        } else yield* Effect.ignore(act(state))
      }
    })

interface Person {
  readonly user: Effect.Effect.Success<ReturnType<World["user"]>>
  readonly places: Array<Effect.Effect.Success<ReturnType<Person["user"]["place"]>>>
  readonly phones: Array<Effect.Effect.Success<ReturnType<Person["user"]["phone"]>>>
}

interface State {
  readonly world: World
  readonly r: Random
  readonly people: ReadonlyArray<Person>
  readonly apps: ReadonlyArray<Effect.Effect.Success<ReturnType<World["app"]>>>
  readonly hooks: Array<Simulation.Hook>
  readonly connections: Array<Simulation.Connection>
  readonly rules: Array<{
    readonly id: string
    readonly connection: Simulation.Connection
    readonly kind: "place" | "zone"
  }>
  readonly trouble: boolean
}

const settle = (world: World, name: string) =>
  Effect.gen(function* () {
    const user = yield* world.user(name)
    const places = [
      yield* user.place({ label: "Home", lat: 50, lon: 10, radiusM: 200 }),
      yield* user.place({ label: "Work", lat: north(2_000), lon: 10, radiusM: 300 }),
      yield* user.place({ label: "Town", lat: 50, lon: 10, radiusM: 1_500 })
    ]
    const phones = [yield* user.phone("one"), yield* user.phone("two")]
    return { user, places, phones }
  })

type Act = (state: State) => Effect.Effect<unknown, unknown>

const act: Act = (state) => {
  const { r } = state
  const draw = r.int(0, 99)
  if (draw < 34) return walk(state)
  if (draw < 46) return wait(state)
  if (draw < 58) return makeRule(state)
  if (draw < 62) return removeRule(state)
  if (draw < 74) return ask(state)
  if (draw < 82) return share(state)
  if (draw < 94) return develop(state)
  return upset(state)
}

const wait: Act = ({ r, world }) => world.advance(r.pick(WAITS))

const walk: Act = ({ people, r, world }) =>
  Effect.gen(function* () {
    const { phones } = r.pick(people)
    const phone = r.chance(0.8) ? phones[0]! : phones[1]!
    const draw = r.int(0, 19)
    if (draw === 0) return yield* phone.offline
    if (draw < 4) return yield* phone.online({ shuffle: r.chance(0.5), duplicate: r.chance(0.3) ? 2 : 1 })
    const now = yield* world.now
    const capturedAt = now - r.pick(AGES)
    if (draw === 4 || draw === 5) {
      const arrival = now - r.pick([HOUR, 2 * HOUR, MINUTE, 0])
      const departure = r.chance(0.5) ? null : arrival + r.pick([0, 10 * MINUTE])
      return yield* phone.visit({ arrival, departure, lat: north(r.pick(METRES)), lon: 10 })
    }
    const accuracyM = r.pick([10, 10, 10, null, 0, -1, 50, 51, 100, 500])
    yield* phone.fix({ lat: north(r.pick(METRES)), lon: 10, accuracyM, capturedAt })
  })

const makeRule: Act = (state) =>
  Effect.gen(function* () {
    const { connections, hooks, people, r, rules, world } = state
    const connection = r.pick(connections)
    const now = yield* world.now
    const type = r.pick(["enter", "enter", "exit", "dwell"] as const)
    const isWindowed = r.chance(0.35)
    const fields = {
      type,
      dwellMinutes: type === "dwell" ? r.pick([5, 5, 10, 30]) : null,
      webhookUrl: r.chance(0.15) ? r.pick(hooks).url : null,
      activeFrom: isWindowed ? now + r.pick([-HOUR, 0, MINUTE, HOUR]) : null,
      activeUntil: isWindowed ? now + r.pick([0, 1, 5 * MINUTE, HOUR, HOUR, DAY]) : null,
      maxEventAgeS: r.chance(0.2) ? r.pick([30, 60, 3_600]) : null
    }
    const kind = r.chance(0.7) ? ("place" as const) : ("zone" as const)
    const zone = { lat: north(r.pick([0, 2_000])), lon: 10, radiusM: 200, label: "Zone" }
    const places = people.find(({ user }) => user.id === connection.user.id)?.places ?? []
    yield* connection.refresh
    const times = r.chance(0.1) ? 11 : 1
    for (let n = 0; n < times; n++) {
      const { body, status } = yield* connection.call(
        kind === "place"
          ? { endpoint: "POST /v1/rules/place", placeId: r.pick(places).id, ...fields }
          : { endpoint: "POST /v1/rules/zone", ...zone, ...fields }
      )
      if (status === 201) rules.push({ id: String(body["id"]), connection, kind })
    }
  })

const removeRule: Act = ({ r, rules }) =>
  Effect.gen(function* () {
    if (rules.length === 0) return
    const { connection, id, kind } = r.pick(rules)
    if (r.chance(0.3)) return yield* connection.user.removeRule(connection, id)
    yield* connection.refresh
    yield* connection.call({ endpoint: `DELETE /v1/rules/${kind}/{id}`, ruleId: id })
  })

const ask: Act = ({ connections, people, r, world }) =>
  Effect.gen(function* () {
    const connection = r.pick(connections)
    const now = yield* world.now
    yield* connection.refresh
    const draw = r.int(0, 5)
    if (draw < 2) {
      let cursor: string | null = null
      const limit = r.pick([1, 2, 100])
      for (let page = 0; page < 5; page++) {
        const from = r.chance(0.1) ? now - HOUR : null
        const request = { endpoint: "GET /v1/visits", from, to: null, limit, cursor } as const
        const answer: Simulation.Answered = yield* connection.call(request)
        const next = answer.body["nextCursor"]
        if (typeof next !== "string") return
        cursor = next
      }
      return
    }
    if (draw === 2) {
      const at = now - r.pick([0, MINUTE, HOUR, DAY])
      return yield* connection.call({ endpoint: "GET /v1/lookup/place", at, toleranceS: r.pick([0, 60, 900, 86_400]) })
    }
    const place = r.pick(r.pick(people).places)
    if (draw === 3)
      return yield* connection.call({
        endpoint: "GET /v1/answers/places/{id}/presence",
        placeId: place.id,
        maxAgeS: 900
      })
    if (draw === 4) return yield* connection.call({ endpoint: r.pick(["GET /v1/rules/place", "GET /v1/rules/zone"]) })
    return yield* connection.call({ endpoint: "GET /v1/answers/places" })
  })

const share: Act = ({ connections, people, r }) =>
  Effect.gen(function* () {
    const connection = r.pick(connections)
    const { places, user } = people.find(({ user }) => user.id === connection.user.id)!
    const draw = r.int(0, 9)
    if (draw < 4) return yield* user.share(connection, r.shuffle(places).slice(0, r.int(0, 3)), r.chance(0.3))
    if (draw < 9) {
      const at = r.int(0, places.length - 1)
      const edit = r.pick([
        { label: r.pick(["Home", "Flat", "House"]) },
        { lat: north(r.pick([0, 2_000, 5_000])) },
        { radiusM: r.pick([200, 300]) }
      ])
      places[at] = yield* user.change(places[at]!, edit)
      return
    }
    if (r.chance(0.2)) yield* user.archive(r.pick(places))
  })

const develop: Act = ({ apps, hooks, r, world }) =>
  Effect.gen(function* () {
    const draw = r.int(0, 11)
    const hook = r.pick(hooks)
    if (draw < 5) return yield* hook.script(r.chance(0.5) ? r.pick(REPLIES) : [r.pick(REPLIES), r.pick(REPLIES), 200])
    if (draw === 5) return yield* hook.rotate
    if (draw === 6) return yield* hook.test
    if (draw === 7) return yield* hook.enable
    const app = r.pick(apps)
    if (draw === 8) {
      if (r.chance(0.3)) return yield* hook.remove
      hooks.push(yield* app.endpoint(`more-${hooks.length}`))
      return
    }
    if (draw === 9) {
      const events = r.pick([[], ["rule.fired"], ["places.changed"]])
      return yield* world.perform("editEndpoint", { appId: app.id, endpointId: hook.id, events })
    }
    const { deliveries } = yield* world.do("readDeliveries", { appId: app.id })
    if (draw === 10) yield* world.perform("readEndpoints", { appId: app.id })
    if (deliveries.length === 0) return
    const { deliveryId } = r.pick(deliveries)
    yield* world.perform(r.pick(["redeliver", "retryNow"]), { appId: app.id, deliveryId })
    if (r.chance(0.3)) {
      const since = (yield* world.now) - DAY
      yield* world.perform("recover", { appId: app.id, endpointId: hook.id, since })
    }
  })

const upset: Act = (state) =>
  Effect.gen(function* () {
    const { apps, connections, people, r, trouble, world } = state
    const draw = r.int(0, trouble ? 9 : 5)
    const app = r.pick(apps)
    if (draw === 0) {
      const at = r.int(0, connections.length - 1)
      const old = connections[at]!
      const { places, user } = people.find(({ user }) => user.id === old.user.id)!
      if (r.chance(0.5)) yield* user.disconnect(old)
      connections[at] = yield* old.app.connect(user, {
        scopes: r.chance(0.7) ? SCOPES : SCOPES.slice(0, 4),
        places: places.slice(0, r.int(1, 3)),
        standardDays: r.pick([1, 30, null])
      })
      return
    }
    if (draw === 1) {
      const scopes = r.chance(0.7) ? SCOPES : SCOPES.filter((scope) => scope !== "location.rules.place")
      return yield* world.perform("declareScopes", { appId: app.id, scopes })
    }
    if (draw === 2) {
      const scopes = r.chance(0.7) ? SCOPES : SCOPES.filter((scope) => scope !== "location.rules.zone")
      return yield* world.perform("narrowApp", { appId: app.id, scopes })
    }
    if (draw < 6) return yield* world.advance(r.pick([HOUR, 2 * HOUR, DAY]))
    if (draw < 8) {
      const program = r.pick(["worker", "server"])
      yield* world.crash(program)
      yield* world.advance(r.pick([0, SECOND, MINUTE, HOUR]))
      return yield* world.restart(program)
    }
    if (r.chance(0.2)) yield* world.jump(r.pick([-HOUR, -MINUTE, MINUTE, HOUR]))
  })
