import { ConnectionStore, sharePlaces } from "@place-access/domain/connection"
import type { App } from "@place-access/domain/apps"
import { AppStore } from "@place-access/domain/apps"
import { type Scope, Timestamp } from "@place-access/domain/shared"
import { ConsentFlow, MemoryDatabase } from "@place-access/domain/testing"
import { describe, expect, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { inWorld, pair, place } from "../support/connections.js"
import { CURRENT, LOOKUP, sensitivePair } from "../support/consents.js"

const WATCH = "location.places.watch"

const connected = (scopes: ReadonlyArray<Scope.Scope> = [CURRENT, WATCH]) =>
  Effect.gen(function* () {
    const { app, user } = yield* pair()
    const [home, work] = [yield* place(user, "Home"), yield* place(user, "Work")]
    const made = yield* ConsentFlow.connect(app, user, scopes, { places: [home.id], standardDays: "30" })
    yield* TestClock.adjust("1 hour")
    return { app, user, home, work, ...made }
  })

const share = (
  { connectionId, user }: Pick<Effect.Effect.Success<ReturnType<typeof connected>>, "connectionId" | "user">,
  ...ids: ReadonlyArray<string>
) =>
  sharePlaces(
    user.id,
    connectionId,
    ids.map((placeId) => ({ placeId, includeEarlierVisits: false }))
  )

const told = Effect.map(MemoryDatabase, ({ events }) => [...events.values()].map(({ payload }) => payload))

const changed = (placesVersion: number) => ({ type: "places.changed", placesVersion })

const allow = (app: App.App, allowedScopes: ReadonlyArray<Scope.Scope>) =>
  Effect.flatMap(AppStore, (apps) =>
    apps.update(app.id, (before) => ({
      outcome: undefined,
      after: { ...before, app: { ...before.app, allowedScopes } }
    }))
  )

describe("places.changed (Spec §6.1)", () => {
  it("is sent when a place was shared, and when one was withdrawn, with the version of the new set", () =>
    inWorld(
      Effect.gen(function* () {
        const it = yield* connected()
        yield* share(it, it.home.id, it.work.id)
        yield* share(it, it.work.id)
        yield* share(it)
        expect(yield* told).toEqual([changed(2), changed(3), changed(4)])
        const { connections, events } = yield* MemoryDatabase
        expect(connections.get(it.connectionId)?.placesVersion).toBe(4)
        const now = yield* Timestamp.now
        expect([...events.values()][0]).toMatchObject({
          userId: it.user.id,
          connectionId: it.connectionId,
          appId: it.app.id,
          occurredAt: now,
          webhookUrl: null,
          maxEventAgeS: null
        })
      })
    ))

  it("is not sent when the set is the same, whatever became of earlier visits", () =>
    inWorld(
      Effect.gen(function* () {
        const it = yield* connected()
        yield* sharePlaces(it.user.id, it.connectionId, [{ placeId: it.home.id, includeEarlierVisits: true }])
        expect(yield* told).toEqual([])
      })
    ))

  it("is not sent for the first set, nor without location.places.watch", () =>
    inWorld(
      Effect.gen(function* () {
        const it = yield* connected([CURRENT])
        yield* share(it, it.work.id)
        expect(yield* told).toEqual([])
      })
    ))

  it("is not sent while an admin keeps the scope from the app", () =>
    inWorld(
      Effect.gen(function* () {
        const it = yield* connected()
        yield* allow(it.app, [CURRENT])
        yield* share(it, it.work.id)
        yield* allow(it.app, [CURRENT, WATCH])
        yield* share(it, it.home.id)
        expect(yield* told).toEqual([changed(3)])
      })
    ))

  it("is not sent by a refused choice, nor on an ended connection", () =>
    inWorld(
      Effect.gen(function* () {
        const it = yield* connected()
        yield* Effect.flip(share(it, "plc_nobodys"))
        yield* TestClock.adjust("31 days")
        yield* Effect.flip(share(it, it.work.id))
        expect(yield* told).toEqual([])
      })
    ))

  it("is sent when a consent changes the set: with the new scopes, once however often the form is posted", () =>
    inWorld(
      Effect.gen(function* () {
        const it = yield* connected([CURRENT])
        yield* ConsentFlow.approve(it.app, it.user, [CURRENT, WATCH], { places: [it.home.id, it.work.id] })
        expect(yield* told).toEqual([changed(2)])
        yield* ConsentFlow.approve(it.app, it.user, [CURRENT], { places: [it.home.id] })
        yield* ConsentFlow.approve(it.app, it.user, [CURRENT, WATCH], { places: [it.home.id] })
        expect(yield* told).toEqual([changed(2)])
      })
    ))

  it("is not sent by a renewal, which leaves the places, nor by a new connection", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, user } = yield* sensitivePair
        const home = yield* place(user, "Home")
        const scopes = [CURRENT, WATCH, LOOKUP] as const
        yield* ConsentFlow.approve(app, user, scopes, { places: [home.id], standardDays: "1" })
        yield* ConsentFlow.approve(app, user, scopes, { places: [] })
        const { id } = (yield* (yield* ConnectionStore).listOfUser(user.id))[0]!.connection
        yield* TestClock.adjust("1 day")
        const again = yield* ConsentFlow.approve(app, user, scopes, { places: [] })
        expect(again.connectionId).not.toBe(id)
        expect(yield* told).toEqual([])
      })
    ))
})
