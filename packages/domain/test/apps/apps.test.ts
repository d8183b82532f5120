import { AccountStore } from "@place-access/domain/accounts"
import {
  App,
  AppStore,
  ClientSecret,
  createApp,
  getApp,
  listApps,
  RedirectUri,
  registerRedirectUris,
  updateApp
} from "@place-access/domain/apps"
import { AppId, Timestamp } from "@place-access/domain/shared"
import {
  Fixtures,
  MemoryAccountStore,
  MemoryAuditLog,
  MemoryAppStore,
  MemoryDatabase,
  MemoryEntropy,
  MemoryVault
} from "@place-access/domain/testing"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer, Option, TestClock } from "effect"

const stores = Layer.mergeAll(
  MemoryAccountStore.layer,
  MemoryAuditLog.layer,
  MemoryAppStore.layer,
  MemoryEntropy.layer,
  MemoryVault.layer
).pipe(Layer.provideMerge(MemoryDatabase.layer))

const input = {
  name: App.AppName.make("Coffee Finder"),
  description: App.AppDescription.make("Finds good coffee."),
  homepageUrl: null,
  scopes: ["location.lookup", "location.place.current", "location.lookup"]
} as const

const uris = [RedirectUri.RedirectUri.make("https://a.example/cb")]
const refused = <A, E extends { readonly _tag: string }, R>(program: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(program), ({ _tag }) => _tag)

describe("createApp", () => {
  it.effect("is in the sandbox, without redirect URIs, and makes its owner a developer", () =>
    Effect.gen(function* () {
      const owner = yield* Fixtures.user
      const app = yield* createApp(owner, input)
      expect(app).toMatchObject({ status: "sandbox", redirectUris: [], ownerId: owner.id, revokedAt: null })
      expect(app.declaredScopes).toEqual(["location.place.current", "location.lookup"])
      expect(yield* getApp(owner, app.id, "read")).toEqual(app)
      const account = yield* (yield* AccountStore).find(owner.id)
      expect(Option.map(account, ({ roles }) => roles)).toEqual(Option.some(["developer"]))
    }).pipe(Effect.provide(stores))
  )

  it.effect("has no client secret that could be guessed: nobody is its client before URIs are registered", () =>
    Effect.gen(function* () {
      const app = yield* createApp(yield* Fixtures.user, input)
      expect(yield* refused(Fixtures.authenticateClient(app.id, ""))).toBe("InvalidClient")
    }).pipe(Effect.provide(stores))
  )
})

describe("somebody else's app", () => {
  it.effect("is not found, like one that does not exist, and is left as it is [apps-1]", () =>
    Effect.gen(function* () {
      const { app } = yield* Fixtures.registeredApp(yield* Fixtures.user)
      const before = yield* (yield* AppStore).findRegistered(app.id)
      const stranger = yield* Fixtures.userWith({ roles: ["developer", "admin"] })
      for (const id of [app.id, AppId.make("app_none")]) {
        expect(yield* refused(getApp(stranger, id, "read"))).toBe("NotFound")
        expect(
          yield* refused(updateApp(stranger, id, { name: App.AppName.make("Mine") }, "assumed", "unchecked"))
        ).toBe("NotFound")
        expect(yield* refused(registerRedirectUris(stranger, id, uris, "assumed", "unchecked"))).toBe("NotFound")
      }
      expect(yield* (yield* AppStore).findRegistered(app.id)).toEqual(before)
    }).pipe(Effect.provide(stores))
  )
})

describe("listApps", () => {
  it.effect("gives pages whose cursor is good for this account's list only", () =>
    Effect.gen(function* () {
      const [owner, other] = [yield* Fixtures.user, yield* Fixtures.user]
      const made = []
      for (let count = 0; count < 3; count++) {
        made.push(yield* createApp(owner, input))
        yield* TestClock.adjust("1 millis")
      }
      const first = yield* listApps(owner, { limit: 2, cursor: undefined })
      const cursor = first.nextCursor ?? ""
      const second = yield* listApps(owner, { limit: 2, cursor })
      expect([...first.apps, ...second.apps]).toEqual(made)
      expect(second.nextCursor).toBeNull()
      expect(yield* refused(listApps(other, { limit: 2, cursor }))).toBe("Invalid")
      expect(yield* refused(listApps(owner, { limit: 2, cursor: `${cursor}x` }))).toBe("Invalid")
    }).pipe(Effect.provide(stores))
  )
})

describe("updateApp", () => {
  it.effect("stores the changed fields", () =>
    Effect.gen(function* () {
      const owner = yield* Fixtures.user
      const app = yield* createApp(owner, input)
      const after = yield* updateApp(
        owner,
        app.id,
        {
          scopes: ["location.visits.read"],
          name: App.AppName.make("Other")
        },
        "assumed",
        "unchecked"
      )
      expect(after).toEqual({ ...app, name: "Other", declaredScopes: ["location.visits.read"], revision: 2 })
      expect(yield* getApp(owner, app.id, "read")).toEqual(after)
    }).pipe(Effect.provide(stores))
  )

  it.effect("scopes added to an app in review: Conflict, and nothing of the change is stored", () =>
    Effect.gen(function* () {
      const owner = yield* Fixtures.user
      const app = yield* Fixtures.app(owner.id, { status: "in_review", declaredScopes: ["location.visits.read"] })
      const change = { name: App.AppName.make("Other"), scopes: ["location.visits.read", "location.lookup"] } as const
      expect(yield* refused(updateApp(owner, app.id, change, "assumed", "unchecked"))).toBe("Conflict")
      expect(yield* getApp(owner, app.id, "read")).toEqual(app)
    }).pipe(Effect.provide(stores))
  )

  it.effect("of a revoked app: Conflict, and a new client secret is not issued either", () =>
    Effect.gen(function* () {
      const owner = yield* Fixtures.user
      const { app } = yield* Fixtures.registeredApp(owner, { status: "production" })
      yield* (yield* AppStore).update(app.id, (before, now) => ({
        outcome: 0,
        after: { ...before, app: { ...before.app, revokedAt: now } }
      }))
      expect(
        yield* refused(updateApp(owner, app.id, { name: App.AppName.make("Other") }, "assumed", "unchecked"))
      ).toBe("Conflict")
      expect(yield* refused(registerRedirectUris(owner, app.id, uris, "assumed", "unchecked"))).toBe("Conflict")
    }).pipe(Effect.provide(stores))
  )
})

describe("registerRedirectUris", () => {
  it.effect(
    "replaces the URIs and gives a secret of [A-Za-z0-9_-], of which only the SHA-256 is stored [§2.1-client-secret]",
    () =>
      Effect.gen(function* () {
        const owner = yield* Fixtures.user
        const { app } = yield* Fixtures.registeredApp(owner)
        const registered = yield* registerRedirectUris(owner, app.id, uris, "assumed", "unchecked")
        expect(registered.app.redirectUris).toEqual(uris)
        expect(registered.clientSecret).toMatch(/^pa_cs_[A-Za-z0-9_-]{52}$/)
        const { apps } = yield* MemoryDatabase
        expect(JSON.stringify([...apps])).not.toContain(registered.clientSecret)
        expect(yield* getApp(owner, app.id, "read")).toEqual(registered.app)
      }).pipe(Effect.provide(stores))
  )

  it.effect("the secret before it works for another 24 hours, and the new one on and on [decisions §4]", () =>
    Effect.gen(function* () {
      const owner = yield* Fixtures.user
      const { app, clientSecret: old } = yield* Fixtures.registeredApp(owner)
      yield* TestClock.adjust("400 days")
      const { app: after, clientSecret: next } = yield* registerRedirectUris(
        owner,
        app.id,
        uris,
        "assumed",
        "unchecked"
      )
      expect(next).not.toBe(old)
      yield* TestClock.adjust(ClientSecret.OVERLAP - 1)
      expect(yield* Fixtures.authenticateClient(app.id, old)).toEqual(after)
      yield* TestClock.adjust(1)
      expect(yield* refused(Fixtures.authenticateClient(app.id, old))).toBe("InvalidClient")
      yield* TestClock.adjust(1000 * Timestamp.DAY)
      expect(yield* Fixtures.authenticateClient(app.id, next)).toEqual(after)
    }).pipe(Effect.provide(stores))
  )
})

describe("the secret of a client", () => {
  it.effect(
    "another app's secret, a changed, empty or unknown one, an unknown or impossible id: InvalidClient [apps-8]",
    () =>
      Effect.gen(function* () {
        const owner = yield* Fixtures.user
        const { app, clientSecret } = yield* Fixtures.registeredApp(owner)
        const other = yield* Fixtures.registeredApp(owner)
        expect(yield* Fixtures.authenticateClient(app.id, clientSecret)).toEqual(app)
        const wrong = [
          [app.id, other.clientSecret],
          [app.id, `${clientSecret}x`],
          [app.id, clientSecret.slice(0, -1)],
          [app.id, clientSecret.toUpperCase()],
          [app.id, ""],
          ["app_none", clientSecret],
          ["", clientSecret],
          ["\u0000", clientSecret],
          ["x".repeat(10_000), clientSecret]
        ] as const
        for (const [id, secret] of wrong)
          expect(yield* refused(Fixtures.authenticateClient(id, secret))).toBe("InvalidClient")
      }).pipe(Effect.provide(stores))
  )

  it.effect("the stored hash is no secret", () =>
    Effect.gen(function* () {
      const { app } = yield* Fixtures.registeredApp(yield* Fixtures.user)
      const registered = Option.getOrThrow(yield* (yield* AppStore).findRegistered(app.id))
      expect(yield* refused(Fixtures.authenticateClient(app.id, registered.secrets[0]!.hash))).toBe("InvalidClient")
    }).pipe(Effect.provide(stores))
  )

  it.effect("an app that an admin revoked still proves itself: it is its connections that are gone [apps-8]", () =>
    Effect.gen(function* () {
      const owner = yield* Fixtures.user
      const revokedAt = yield* Timestamp.now
      const { app, clientSecret } = yield* Fixtures.registeredApp(owner, { revokedAt })
      expect((yield* Fixtures.authenticateClient(app.id, clientSecret)).id).toBe(app.id)
      expect(yield* refused(Fixtures.authenticateClient(app.id, "pa_cs_another"))).toBe("InvalidClient")
    }).pipe(Effect.provide(stores))
  )
})
