import { Simulation } from "@place-access/domain/testing"
import { Effect } from "effect"

const SCOPES = ["location.rules.place"]

/** Ana comes home. The worker dies, and the app's server answers only the third attempt at the webhook with a 200. */
export const comingHome = (seed: number): Simulation.SimResult =>
  Simulation.runSync({ seed, scheduling: "random" }, (world) =>
    Effect.gen(function* () {
      const ana = yield* world.user("ana")
      const home = yield* ana.place({ label: "Home", lat: 52.1, lon: 5.1 })
      const phone = yield* ana.phone()
      const app = yield* world.app({ scopes: SCOPES })
      const hook = yield* app.endpoint("hook")
      yield* hook.script([500, "hang", 200])
      const connection = yield* app.connect(ana, { scopes: SCOPES, places: [home] })
      yield* connection.call({
        endpoint: "POST /v1/rules/place",
        placeId: home.id,
        type: "enter",
        dwellMinutes: null,
        webhookUrl: null,
        activeFrom: null,
        activeUntil: null,
        maxEventAgeS: null
      })
      // A fault during the set-up would make a step of it fail, and the scenario would stop.
      yield* world.fault("port.unknown", { p: 0.01 })
      yield* phone.fix({ lat: 52.1, lon: 5.2 })
      yield* world.advance("10 minutes")
      yield* phone.at(home)
      yield* world.crash("worker")
      yield* world.restart("worker")
      yield* world.quiesce()
    })
  )
