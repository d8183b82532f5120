import { FixHistory } from "@place-access/domain/fixes"
import { PurposeStore, VolumeFlagStore } from "@place-access/domain/purposes"
import { Timestamp, UserId } from "@place-access/domain/shared"
import { Context, Effect } from "effect"
import { connected, HOUR, LATEST } from "./connected.js"
import { instead, type Plant } from "./plant.js"

const DESCRIPTION = "Finds what is nearest"
const SENSITIVE = ["location.latest.read", "location.history.read"]

export const plants: ReadonlyArray<Plant> = [
  {
    oracle: "P1",
    what: "production uses drafts",
    sabotage: instead(PurposeStore, (store) => ({
      list: (appId) =>
        Effect.map(store.list(appId), (all) =>
          all.map((purpose) => ({ ...purpose, approved: purpose.approved ?? purpose.terms }))
        )
    })),
    scenario: (world) =>
      Effect.gen(function* () {
        const { app, connection } = yield* connected(world)
        const terms = { description: DESCRIPTION, scopes: SENSITIVE, expectedDailyVolume: 100 }
        yield* world.perform("createPurpose", { appId: app.id, key: "nearest", ...terms })
        yield* connection.call(LATEST, { purpose: "nearest" })
      })
  },
  {
    oracle: "P2",
    what: "the location is read before the purpose is checked",
    isInFront: true,
    sabotage: instead(PurposeStore, (store, ports) => ({
      list: (appId) =>
        Effect.gen(function* () {
          const within = { from: null, until: null }
          yield* Context.get(ports, FixHistory).newest(UserId.make("usr_of_the_call"), yield* Timestamp.now, within, 1)
          return yield* store.list(appId)
        })
    })),
    scenario: (world) =>
      Effect.gen(function* () {
        const { connection } = yield* connected(world)
        yield* connection.call(LATEST, { purpose: null })
      })
  },
  {
    oracle: "P3",
    what: "an edit of an approved purpose takes effect before its review",
    sabotage: instead(PurposeStore, (store) => ({
      list: (appId) =>
        Effect.map(store.list(appId), (all) =>
          all.map((purpose) => ({ ...purpose, approved: purpose.approved && purpose.terms }))
        )
    })),
    scenario: (world) =>
      Effect.gen(function* () {
        const { app, connection } = yield* connected(
          world,
          {},
          { purposes: [{ key: "navigation", scopes: SENSITIVE }] }
        )
        const purposeId = app.purposes[0]?.id ?? ""
        const terms = { description: DESCRIPTION, scopes: ["location.history.read"], expectedDailyVolume: 100 }
        yield* world.perform("editPurpose", { appId: app.id, purposeId, ...terms })
        yield* connection.call(LATEST, { purpose: "navigation" })
      })
  },
  {
    oracle: "P4",
    what: "a key can be taken twice",
    sabotage: instead(PurposeStore, (store) => ({
      create: (purpose) =>
        Effect.catchTag(store.create(purpose), "Conflict", () =>
          store.create({ ...purpose, key: `${purpose.key.slice(0, 30)}_again` as typeof purpose.key })
        )
    })),
    scenario: (world) =>
      Effect.gen(function* () {
        const { app } = yield* connected(world)
        const terms = { description: DESCRIPTION, scopes: SENSITIVE, expectedDailyVolume: 100 }
        yield* world.perform("createPurpose", { appId: app.id, key: "nearest", ...terms })
        yield* world.perform("createPurpose", { appId: app.id, key: "nearest", ...terms })
      })
  },
  {
    oracle: "P5",
    what: "more than half of the expected volume is flagged",
    sabotage: instead(VolumeFlagStore, (store) => ({
      raise: (window) => store.raise({ ...window, factor: window.factor / 4 })
    })),
    scenario: (world) =>
      Effect.gen(function* () {
        const purposes = [{ key: "navigation", scopes: SENSITIVE, expectedDailyVolume: 3 }]
        const { connection } = yield* connected(world, {}, { purposes })
        yield* Effect.replicateEffect(connection.call(LATEST), 6)
        yield* world.advance(HOUR)
      })
  }
]
