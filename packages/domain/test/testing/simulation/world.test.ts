import { Simulation } from "@place-access/domain/testing"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"

const HOME = { label: "Home", lat: 52.1, lon: 5.1, radiusM: 150 }

it("a phone comes home, and the app hears of it on the fourth attempt", () => {
  const result = Simulation.runSync({ seed: 42, scheduling: "random" }, (world) =>
    Effect.gen(function* () {
      const ana = yield* world.user("ana")
      const home = yield* ana.place(HOME)
      const phone = yield* ana.phone()
      const app = yield* world.app({ scopes: ["location.rules.place"] })
      const hook = yield* app.endpoint("hook")
      yield* hook.script([500, "hang", { status: 302, location: "https://10.0.0.1/" }, 200])
      const connection = yield* app.connect(ana, { scopes: ["location.rules.place"], places: [home] })
      const answered = yield* connection.call({
        endpoint: "POST /v1/rules/place",
        placeId: home.id,
        type: "dwell",
        dwellMinutes: 5,
        webhookUrl: null,
        activeFrom: null,
        activeUntil: null,
        maxEventAgeS: null
      })
      expect(answered).toMatchObject({ status: 201 })
      yield* phone.fix({ lat: 52.1, lon: 5.2 })
      yield* world.advance("10 minutes")
      yield* phone.offline
      yield* phone.at(home)
      yield* world.advance("6 minutes")
      yield* phone.at(home)
      yield* phone.online({ shuffle: true, duplicate: 2 })
      yield* world.crash("worker")
      yield* world.restart("worker")
      yield* world.quiesce()
      expect(yield* hook.received).toHaveLength(4)
    })
  )
  expect(result.stopped).toBeNull()
})

it("who does not wait for the answer leaves nothing open: the world comes to rest", () => {
  const result = Simulation.runSync({ seed: 1 }, (world) =>
    Effect.gen(function* () {
      yield* world.fault("port.slow", { p: 1 })
      expect(yield* Effect.timeoutOption(world.user("ana"), 1)).toMatchObject({ _tag: "None" })
    })
  )
  expect(result).toMatchObject({ stopped: null, quiesced: true })
})
