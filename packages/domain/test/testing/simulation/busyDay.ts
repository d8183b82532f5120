import type { Simulation } from "@place-access/domain/testing"
import { Effect } from "effect"

/** A scenario of one and a half days in which most kinds of events happen. Tests compare its runs. */

const HOME = { label: "Home", lat: 52.1, lon: 5.1 }
const GYM = { label: "Gym", lat: 52.2, lon: 5.2, radiusM: 250 }
const AWAY = { lat: 52.4, lon: 5.4 }
const SCOPES = [
  "location.place.current",
  "location.place.lookup",
  "location.visits.read",
  "location.rules.place",
  "location.rules.zone",
  "location.zone.verify",
  "location.places.watch",
  "location.latest.read",
  "location.history.read",
  "location.lookup"
]
const RULE = { dwellMinutes: null, webhookUrl: null, activeFrom: null, activeUntil: null, maxEventAgeS: null }

export const busyDay: Simulation.Scenario = (world) =>
  Effect.gen(function* () {
    const [ana, ben] = [yield* world.user("ana"), yield* world.user("ben")]
    const home = yield* ana.place(HOME)
    const gym = yield* ana.place(GYM)
    const phone = yield* ana.phone()
    const app = yield* world.app({ scopes: SCOPES })
    const other = yield* world.app({ scopes: ["location.rules.zone"], production: false })
    const hook = yield* app.endpoint("all")
    const watching = yield* app.endpoint("watching", { events: ["places.changed"] })
    yield* hook.script([500, "hang", "reset", "slow", { status: 302, location: "https://10.0.0.1/" }, 200])
    yield* watching.script("reset_after_2xx")
    const connection = yield* app.connect(ana, { scopes: SCOPES, places: [home], sensitiveDays: 1, standardDays: 7 })
    yield* world.perform("consent", {
      userId: ben.id,
      appId: other.id,
      requested: ["location.rules.zone"],
      scopes: ["location.rules.zone"],
      places: [],
      earlier: [],
      standardDays: 1,
      sensitiveDays: 1,
      externalUserId: null
    })
    const created = yield* connection.call({
      endpoint: "POST /v1/rules/place",
      placeId: home.id,
      ...RULE,
      type: "dwell",
      dwellMinutes: 5
    })
    yield* connection.call({ endpoint: "POST /v1/rules/place", placeId: home.id, ...RULE, type: "enter" })
    yield* connection.call({
      endpoint: "POST /v1/rules/zone",
      label: "The square",
      lat: AWAY.lat,
      lon: AWAY.lon,
      radiusM: 500,
      ...RULE,
      type: "exit",
      maxEventAgeS: 60
    })
    yield* phone.fix(AWAY)
    yield* world.advance("5 minutes")
    yield* phone.at(home)
    yield* world.advance("6 minutes")
    yield* phone.at(home)
    yield* Effect.all(
      [
        connection.call({ endpoint: "GET /v1/answers/current-place", maxAgeS: 900 }),
        connection.call({ endpoint: "GET /v1/locations/latest" }),
        ana.share(connection, [home, gym]),
        connection.refresh,
        connection.refresh
      ],
      { concurrency: "unbounded" }
    )
    yield* world.crash("worker")
    yield* world.advance("10 seconds")
    yield* world.restart("worker")
    yield* phone.offline
    for (const place of [gym, AWAY, gym, home]) {
      yield* world.advance("20 minutes")
      yield* phone.at(place)
    }
    yield* phone.online({ shuffle: true, duplicate: 2 })
    yield* phone.visit({ arrival: yield* world.now, departure: null, lat: HOME.lat, lon: HOME.lon })
    const now = yield* world.now
    for (const request of [
      { endpoint: "GET /v1/me" },
      { endpoint: "GET /v1/answers/places" },
      { endpoint: "GET /v1/answers/places/{place_id}/presence", placeId: home.id, maxAgeS: 900 },
      { endpoint: "POST /v1/answers/verify-zone", label: "Here", lat: 52.1, lon: 5.1, radiusM: 300, maxAgeS: 900 },
      { endpoint: "GET /v1/lookup/place", at: now - 600_000, toleranceS: 900 },
      { endpoint: "GET /v1/visits", from: null, to: null, limit: 10, cursor: null },
      { endpoint: "GET /v1/locations/lookup", at: now, toleranceS: 900 },
      { endpoint: "GET /v1/locations/timerange", from: now - 86_400_000, to: now + 1, limit: 100 },
      { endpoint: "GET /v1/locations/days", from: now - 86_400_000, to: now + 1 },
      { endpoint: "GET /v1/rules/place" },
      { endpoint: "GET /v1/rules/zone" },
      { endpoint: "DELETE /v1/rules/place/{id}", ruleId: String(created.body["id"]) }
    ] as const satisfies ReadonlyArray<Simulation.Request>) {
      yield* connection.call(request)
    }
    yield* hook.rotate
    yield* hook.test
    yield* world.quiesce("26 hours")
    for (const { deliveryId, state } of yield* hook.deliveries) {
      if (state !== "trying") yield* world.perform("redeliver", { appId: app.id, deliveryId }, "developer")
    }
    yield* connection.refresh
    yield* connection.call({ endpoint: "GET /v1/locations/latest" })
    yield* ana.archive(gym)
    yield* ana.disconnect(connection)
    yield* world.perform("revokeApp", { appId: app.id }, "admin")
  })

/** The probability of each fault in the busy day. */
export const TROUBLE = {
  "port.fail": 0.01,
  "port.slow": 0.01,
  "port.unknown": 0.01,
  crash: 0.003,
  "upload.duplicate": 0.3,
  "upload.reorder": 0.3
} as const
