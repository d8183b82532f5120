import { AccountStore } from "@place-access/domain/accounts"
import { ListenerStore } from "@place-access/domain/listeners"
import { Timestamp, Vault } from "@place-access/domain/shared"
import type { Simulation } from "@place-access/domain/testing"
import { Effect } from "effect"
import { instead, type Plant } from "./plant.js"

const RULES = "location.rules.place"
const HOME = { label: "Home", lat: 52.1, lon: 5.1 }
const AWAY = { ...HOME, lat: HOME.lat + 0.1 }

/** Ana, who comes and goes, and an app with rules about her home. */
export const watched = (world: Simulation.World) =>
  Effect.gen(function* () {
    const ana = yield* world.user("ana")
    const home = yield* ana.place(HOME)
    const phone = yield* ana.phone()
    const app = yield* world.app({ scopes: [RULES] })
    const hook = yield* app.endpoint("hook")
    const connection = yield* app.connect(ana, { scopes: [RULES], places: [home] })
    const terms = { activeFrom: null, activeUntil: null, dwellMinutes: null, maxEventAgeS: null, webhookUrl: null }
    yield* connection.call({ endpoint: "POST /v1/rules/place", placeId: home.id, type: "enter", ...terms })
    yield* connection.call({ endpoint: "POST /v1/rules/place", placeId: home.id, type: "exit", ...terms })
    const walk = (way: "in" | "out") =>
      Effect.gen(function* () {
        yield* phone.at(way === "in" ? AWAY : HOME)
        yield* world.advance("1 minute")
        yield* phone.at(way === "in" ? HOME : AWAY)
        yield* world.advance("5 seconds")
      })
    return { world, ana, app, hook, connection, walk }
  })

/**
 * A scenario: a developer opens a stream of the app's events. A minute later Ana comes home, and then she leaves. The
 * stream stays open all the time.
 */
const streamScenario =
  (events: ReadonlyArray<string> = []) =>
  (world: Simulation.World) =>
    Effect.gen(function* () {
      const { app, walk } = yield* watched(world)
      yield* app.listen({ events })
      yield* world.advance("1 minute")
      yield* walk("in")
      yield* walk("out")
    })

export const plants: ReadonlyArray<Plant> = [
  {
    oracle: "N1",
    what: "a listener's secret is another one at each event",
    sabotage: instead(Vault.Vault, (vault) => {
      let count = 0
      return { derive: (purpose, key, text) => vault.derive(purpose, key, `${text}${count++}`) }
    }),
    scenario: streamScenario()
  },
  {
    oracle: "N2",
    what: "the subscription of a listener is forgotten",
    sabotage: instead(ListenerStore, (store) => ({
      live: (appId, now) => Effect.map(store.live(appId, now), (all) => all.map((one) => ({ ...one, events: [] })))
    })),
    scenario: streamScenario(["places.changed"])
  },
  {
    oracle: "N3",
    what: "events for listeners are lost",
    sabotage: instead(ListenerStore, () => ({ offer: () => Effect.succeed([]) })),
    scenario: streamScenario()
  },
  {
    oracle: "N4",
    what: "a stream goes on after its session",
    sabotage: instead(AccountStore, () => ({ closeSession: () => Effect.void })),
    scenario: (world) =>
      Effect.gen(function* () {
        const { app } = yield* watched(world)
        const listening = yield* app.listen()
        yield* listening.signOut
        yield* world.advance("1 minute")
      })
  },
  {
    oracle: "N5",
    what: "a sixth listener may listen",
    sabotage: instead(ListenerStore, (store) => ({
      open: (listener) =>
        Effect.flatMap(store.open(listener), (isOpen) =>
          isOpen
            ? Effect.succeed(true)
            : // A day later, the app's five listeners have expired. So the store accepts a sixth listener with this time.
              store.open({ ...listener, createdAt: Timestamp.plus(listener.createdAt, Timestamp.DAY) })
        )
    })),
    scenario: (world) =>
      Effect.gen(function* () {
        const { app } = yield* watched(world)
        for (let n = 0; n < 5; n++) yield* app.listen()
        yield* Effect.either(app.listen())
      })
  }
]
