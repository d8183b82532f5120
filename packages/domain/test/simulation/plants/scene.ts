import type { Simulation } from "@place-access/domain/testing"
import { Effect } from "effect"
import type { RuleFields } from "../../../testing/simulation/Operations.js"

export const SECOND = 1_000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

export const SCOPES = [
  "location.place.current",
  "location.place.lookup",
  "location.rules.place",
  "location.rules.zone",
  "location.places.watch",
  "location.visits.read"
]

export const HOME = { lat: 50, lon: 10 }
export const north = (metres: number) => ({ lat: 50 + metres / 111_229, lon: 10 })
export const FAR = north(2_000)

export type Scene = Effect.Effect.Success<ReturnType<typeof scene>>

/** Ana shares Home, a circle of 200 m, with an app that has a webhook endpoint for all events. */
const scene = (world: Simulation.World, { production = true } = {}) =>
  Effect.gen(function* () {
    const ana = yield* world.user("ana")
    const home = yield* ana.place({ label: "Home", ...HOME, radiusM: 200 })
    const phone = yield* ana.phone()
    const app = yield* world.app({ scopes: SCOPES, production })
    const hook = yield* app.endpoint("hook")
    const connection = yield* app.connect(ana, { scopes: SCOPES, places: [home], standardDays: null })
    yield* world.advance(SECOND)
    const request = (type: RuleFields["type"], over: Partial<RuleFields> & { placeId?: string } = {}) =>
      ({
        endpoint: "POST /v1/rules/place",
        placeId: home.id,
        type,
        dwellMinutes: type === "dwell" ? 5 : null,
        webhookUrl: null,
        activeFrom: null,
        activeUntil: null,
        maxEventAgeS: null,
        ...over
      }) as const
    const rule = (type: RuleFields["type"] = "enter", over: Partial<RuleFields> = {}) =>
      Effect.map(connection.call(request(type, over)), ({ body }) => String(body["id"]))
    /** Sends one fix at each point, a minute apart. */
    const walk = (...points: ReadonlyArray<{ readonly lat: number; readonly lon: number }>) =>
      Effect.forEach(points, (point) => Effect.zipRight(world.advance(MINUTE), phone.fix(point)), { discard: true })
    return { world, ana, home, phone, app, hook, connection, request, rule, walk }
  })

/** Makes a scenario that first creates Ana, her app and her home, and then runs `then`. */
export const inScene =
  <E>(then: (scene: Scene) => Effect.Effect<unknown, E>) =>
  (world: Simulation.World): Effect.Effect<unknown, unknown> =>
    Effect.flatMap(scene(world), then)
