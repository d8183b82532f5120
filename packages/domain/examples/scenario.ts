import { FixStore } from "@place-access/domain/fixes"
import type { LimitStore } from "@place-access/domain/limits"
import type { StoreError } from "@place-access/domain/shared"
import { Simulation } from "@place-access/domain/testing"
import { Context, Effect, Layer } from "effect"

const SCOPES = ["location.rules.place", "location.zone.verify"]

/** Ana comes home with two phones while the app's server fails again and again. */
export const evening: Simulation.Scenario = (world) =>
  Effect.gen(function* () {
    const ana = yield* world.user("ana")
    const home = yield* ana.place({ label: "Home", lat: 52.1, lon: 5.1 })
    const phone = yield* ana.phone("phone")
    const watch = yield* ana.phone("watch")
    const app = yield* world.app({ scopes: SCOPES })
    const hook = yield* app.endpoint("hook")
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
    yield* connection.call({
      endpoint: "POST /v1/answers/verify-zone",
      label: "Work",
      lat: 52.1,
      lon: 5.3,
      radiusM: 200,
      maxAgeS: 600
    })

    // From here on one store call in fifty takes effect and is reported as failed, and one in fifty takes long.
    yield* world.fault("port.unknown", { p: 0.02 })
    yield* world.fault("port.slow", { p: 0.02 })
    // The webhook receiver answers with an error, hangs, refuses the connection, redirects, fails twice, then succeeds.
    yield* hook.script([500, "hang", "refuse", { status: 302, location: "https://10.0.0.1/" }, 503, 503, 200])
    yield* phone.fix({ lat: 52.1, lon: 5.2 })
    yield* phone.offline
    yield* world.advance("10 minutes")
    yield* phone.at(home)
    yield* Effect.all([phone.online({ shuffle: true, duplicate: 2 }), watch.at(home)], { concurrency: "unbounded" })

    yield* world.advance("1 hour")
    yield* world.crash("worker")
    yield* world.advance("10 minutes")
    yield* world.restart("worker")
    yield* world.advance("23 hours")
    if ((yield* hook.received).length >= 7) yield* world.mark("the seventh attempt")
  })

/** An oracle of your own: a function that finds broken rules in the trace. */
export const toldOnce: Simulation.Oracle = {
  name: "told-once",
  rule: "However many phones see one arrival, the app hears of it once",
  check: ({ entries }) => {
    const told = entries.filter((entry) => entry.kind === "posted")
    const first = told[0]?.body["event_id"]
    const again = told.find(({ body }) => body["event_id"] !== first)
    return again === undefined ? [] : [{ at: again.i, detail: `two events: ${String(first)} and another` }]
  }
}

/** Runs the evening once. The seed decides which ready fibre runs first, the ids, and which store calls fail. */
export const run = (seed: number, sabotage?: Simulation.Sabotage): Simulation.SimResult =>
  Simulation.runSync(
    {
      seed,
      scheduling: "random",
      oracles: [...Simulation.Oracles.all, toldOnce],
      sabotage
    },
    evening
  )

/**
 * Plants a bug: a `commit` that does not compare versions. It accepts an upload even when another upload was committed
 * since `view`.
 */
export const careless: Simulation.Sabotage = (ports) => {
  const store = Context.get(ports, FixStore)
  return Context.add(ports, FixStore, {
    ...store,
    commit: (commit) =>
      Effect.flatMap(store.view(commit.userId, [], commit.uploads[0].receivedAt), ({ version }) =>
        store.commit({ ...commit, version })
      )
  })
}

/** The result of the first seed whose run breaks a rule; undefined when no run breaks one. */
export const hunt = (seeds: number, sabotage?: Simulation.Sabotage): Simulation.SimResult | undefined => {
  for (let seed = 1; seed <= seeds; seed++) {
    const result = run(seed, sabotage)
    if (result.violations.length > 0) return result
  }
  return undefined
}

/** Runs the scenario `evening` over your own `LimitStore`, and over the stores in memory for everything else. */
export const runOver = (seed: number, own: Layer.Layer<LimitStore, StoreError>): Promise<Simulation.SimResult> => {
  const stores = Layer.merge(Simulation.memory.stores, own)
  const backend: Simulation.Backend = { name: "limits of our own", isHosted: true, stores }
  return Simulation.run({ seed, scheduling: "random", oracles: Simulation.Oracles.all, backend }, evening)
}
