import type { Account } from "@place-access/domain/accounts"
import type { App } from "@place-access/domain/apps"
import { Purpose, PurposeStore } from "@place-access/domain/purposes"
import { Place, PlaceStore } from "@place-access/domain/places"
import { Entropy, PlaceId, PurposeId, type Scope, Timestamp } from "@place-access/domain/shared"
import {
  Fixtures,
  MemoryAccessLogStore,
  MemoryAccountStore,
  MemoryAppStore,
  MemoryConnectionStore,
  MemoryConsentStore,
  MemoryTokenStore,
  MemoryDatabase,
  MemoryEntropy,
  MemoryEventStore,
  MemoryFixStore,
  MemoryMailOutbox,
  MemoryPlaceStore,
  MemoryPurposeStore,
  MemoryTierStore,
  MemoryVault,
  MemoryWorkSignal
} from "@place-access/domain/testing"
import { Effect, Layer, Logger, LogLevel, TestClock, TestContext } from "effect"
import { START } from "./runContract.js"

/** The in-memory layers of all ports that consent and tokens need, and their tables. */
const world = Layer.mergeAll(
  MemoryConnectionStore.layer,
  MemoryConsentStore.layer,
  MemoryTokenStore.layer,
  MemoryAccessLogStore.layer,
  MemoryAccountStore.layer,
  MemoryAppStore.layer,
  MemoryPurposeStore.layer,
  MemoryPlaceStore.layer,
  MemoryEventStore.layer,
  MemoryFixStore.layer,
  MemoryMailOutbox.layer,
  MemoryTierStore.layer,
  MemoryWorkSignal.layer,
  MemoryEntropy.layer,
  MemoryVault.layerKeys(["k2", "k1"])
).pipe(Layer.provideMerge(MemoryDatabase.layer))

export type World = Layer.Layer.Success<typeof world>

/** Runs a program with empty stores and a test clock that stands at `START`. */
export const inWorld = <A, E>(program: Effect.Effect<A, E, World>): Promise<A> =>
  Effect.runPromise(
    TestClock.setTime(START).pipe(
      Effect.zipRight(program),
      // These tests cause refusals on purpose, and programs log each refusal. Without this line, the log would fill the
      // output of the tests.
      Logger.withMinimumLogLevel(LogLevel.None),
      Effect.provide(world),
      Effect.provide(TestContext.TestContext)
    )
  )

/** Stores a user, and an app in production that belongs to another user. */
export const pair = (overrides: Partial<App.App> = {}) =>
  Effect.gen(function* () {
    const user = yield* Fixtures.user
    const app = yield* Fixtures.app((yield* Fixtures.user).id, { status: "production", ...overrides })
    return { user, app }
  })

/** Stores a purpose that covers `scopes`. With the status `approved`, its wording counts as approved. */
export const purpose = (
  app: App.App,
  key: string,
  scopes: ReadonlyArray<Scope.SensitiveScope>,
  status: Purpose.LiveStatus = "approved",
  overrides: Fixtures.PurposeOverrides = {}
) =>
  Effect.gen(function* () {
    const terms: Purpose.PurposeTerms = { description: `To find coffee (${key})`, scopes, expectedDailyVolume: 10 }
    const live: Purpose.Live = {
      appId: app.id,
      id: PurposeId.make(yield* Entropy.id("pps")),
      key: Purpose.PurposeKey.make(key),
      status,
      terms,
      approved: status === "approved" ? terms : null,
      reviewNote: null,
      revision: 1,
      submission: null,
      createdAt: yield* Timestamp.now,
      archivedAt: null
    }
    const made = Fixtures.overridden(live, overrides)
    yield* (yield* PurposeStore).create(made)
    return made
  })

/** Stores a place of the user. */
export const place = (user: Account.Account, label: string, overrides: Partial<Place.Place> = {}) =>
  Effect.gen(function* () {
    const made: Place.Place = {
      userId: user.id,
      id: PlaceId.make(yield* Entropy.id("plc")),
      label: Place.Label.make(label),
      kind: "home",
      circle: { lat: 48.2, lon: 16.37, radiusM: 150 },
      geometryVersion: 1,
      createdAt: yield* Timestamp.now,
      archivedAt: null,
      ...overrides
    }
    yield* (yield* PlaceStore).create(made)
    return made
  })

/** The mails in the outbox that warn of a leaked token. Mails about consents and disconnections are left out. */
export const leakMails = Effect.map(MemoryDatabase, ({ mail }) =>
  [...mail.values()].filter(({ dedupeKey }) => /^(?:refresh_token|code)_reused /.test(dedupeKey))
)
