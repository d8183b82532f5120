import { ConnectionStore, getConnection, listConsentHistory, sharePlaces } from "@place-access/domain/connection"
import type { App } from "@place-access/domain/apps"
import { AppStore } from "@place-access/domain/apps"
import { archivePlace } from "@place-access/domain/connection"
import { OUTDATED_FORM, type Scope, Timestamp } from "@place-access/domain/shared"
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
    ids.map((placeId) => ({ placeId, includeEarlierVisits: false })),
    "unchecked"
  )

const payloads = Effect.map(MemoryDatabase, ({ events }) => [...events.values()].map(({ payload }) => payload))

const changed = (placesVersion: number) => ({ type: "places.changed", placesVersion })

const allow = (app: App.App, allowedScopes: ReadonlyArray<Scope.Scope>) =>
  Effect.flatMap(AppStore, (apps) =>
    apps.update(app.id, (before) => ({
      outcome: undefined,
      after: { ...before, app: { ...before.app, allowedScopes } }
    }))
  )

describe("places.changed [§6.1-places-changed]", () => {
  it("is sent when a place was shared, and when one was withdrawn, with the version of the new set [§6.3.4, events-3]", () =>
    inWorld(
      Effect.gen(function* () {
        const it = yield* connected()
        yield* share(it, it.home.id, it.work.id)
        yield* share(it, it.work.id)
        yield* share(it)
        expect(yield* payloads).toEqual([changed(2), changed(3), changed(4)])
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
        yield* sharePlaces(
          it.user.id,
          it.connectionId,
          [{ placeId: it.home.id, includeEarlierVisits: true }],
          "unchecked"
        )
        expect(yield* payloads).toEqual([])
      })
    ))

  it("is not sent for the first set, nor without location.places.watch", () =>
    inWorld(
      Effect.gen(function* () {
        const it = yield* connected([CURRENT])
        yield* share(it, it.work.id)
        expect(yield* payloads).toEqual([])
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
        expect(yield* payloads).toEqual([changed(3)])
      })
    ))

  it("is not sent by a refused choice, nor on an ended connection", () =>
    inWorld(
      Effect.gen(function* () {
        const it = yield* connected()
        yield* Effect.flip(share(it, "plc_nobodys"))
        yield* TestClock.adjust("31 days")
        yield* Effect.flip(share(it, it.work.id))
        expect(yield* payloads).toEqual([])
      })
    ))

  it("is sent when a consent changes the set: with the new scopes, once, also when the form is posted again", () =>
    inWorld(
      Effect.gen(function* () {
        const it = yield* connected([CURRENT])
        yield* ConsentFlow.approve(it.app, it.user, [CURRENT, WATCH], { places: [it.home.id, it.work.id] })
        expect(yield* payloads).toEqual([changed(2)])
        yield* ConsentFlow.approve(it.app, it.user, [CURRENT], { places: [it.home.id] })
        yield* ConsentFlow.approve(it.app, it.user, [CURRENT, WATCH], { places: [it.home.id] })
        expect(yield* payloads).toEqual([changed(2)])
      })
    ))

  it("is not sent by a renewal, which leaves the places, nor by a new connection [events-3]", () =>
    inWorld(
      Effect.gen(function* () {
        const { app, user } = yield* sensitivePair
        const home = yield* place(user, "Home")
        const scopes = [CURRENT, WATCH, LOOKUP] as const
        yield* ConsentFlow.approve(app, user, scopes, { places: [home.id], standardDays: "1" })
        yield* ConsentFlow.approve(app, user, scopes, { places: [] })
        const { id } = (yield* (yield* ConnectionStore).listOfUser(user.id))[0]!.connection
        yield* TestClock.adjust("1 day")
        const second = yield* ConsentFlow.approve(app, user, scopes, { places: [] })
        expect(second.connectionId).not.toBe(id)
        expect(yield* payloads).toEqual([])
      })
    ))

  it("is sent to every app that shares and watches when a place is archived; the version of all of them grows, and once only [places-3]", () =>
    inWorld(
      Effect.gen(function* () {
        const { home, user, ...first } = yield* connected()
        const others = yield* Effect.forEach([[CURRENT, WATCH], [CURRENT], [CURRENT, WATCH]] as const, (scopes) =>
          Effect.gen(function* () {
            const { app } = yield* pair()
            return yield* ConsentFlow.connect(app, user, scopes, { places: [home.id], standardDays: "30" })
          })
        )
        const ids = [first, ...others].map(({ connectionId }) => connectionId)
        const [, , , elsewhere] = ids
        if (elsewhere !== undefined) yield* share({ user, connectionId: elsewhere })
        const before = new Set((yield* MemoryDatabase).events.keys())
        yield* archivePlace(user.id, home.id)
        yield* archivePlace(user.id, home.id)
        const { connections, events } = yield* MemoryDatabase
        const sent = [...events.values()].filter((event) => !before.has(event.id))
        expect(sent.map(({ connectionId, payload }) => [connectionId, payload]).sort()).toEqual(
          ids
            .slice(0, 2)
            .map((id) => [id, changed(2)])
            .sort()
        )
        expect(ids.map((id) => connections.get(id)?.placesVersion)).toEqual([2, 2, 2, 2])
        // The archived place stays shared, so that past visits keep its label.
        expect(connections.get(first.connectionId)?.places.map(({ placeId }) => placeId)).toEqual([home.id])
      })
    ))

  it("is not sent by archiving to a connection whose date has passed, which ends as of that date", () =>
    inWorld(
      Effect.gen(function* () {
        const { connectionId, home, user } = yield* connected()
        yield* TestClock.adjust("30 days")
        yield* archivePlace(user.id, home.id)
        expect(yield* payloads).toEqual([])
        const { connections, places } = yield* MemoryDatabase
        expect(connections.get(connectionId)).toMatchObject({ endReason: "expired", placesVersion: 1 })
        expect(places.get(home.id)?.archivedAt).toBe(yield* Timestamp.now)
      })
    ))
})

describe("a form of places that was opened before the last change [connection-10]", () => {
  const chosen = (placeId: string, includeEarlierVisits = false) => ({ placeId, includeEarlierVisits })

  it("does not share a withdrawn place again, nor its earlier visits", () =>
    inWorld(
      Effect.gen(function* () {
        const { connectionId: id, home, user, work } = yield* connected()
        const save = (places: Parameters<typeof sharePlaces>[2], shown: Parameters<typeof sharePlaces>[3]) =>
          Effect.either(sharePlaces(user.id, id, places, shown))
        const refused = { _tag: "Left", left: { _tag: "Conflict", reason: OUTDATED_FORM } }
        yield* sharePlaces(user.id, id, [], "unchecked")
        expect(yield* save([chosen(home.id), chosen(work.id)], [chosen(home.id)])).toMatchObject(refused)
        expect(yield* save([chosen(home.id)], [])).toMatchObject({ _tag: "Right", right: { placesVersion: 3 } })
        const withEarlier = [chosen(home.id, true)]
        expect(yield* save(withEarlier, withEarlier)).toMatchObject(refused)
        const { places } = yield* getConnection(user.id, id)
        expect(places).toMatchObject([{ placeId: home.id, includeEarlierVisits: false }])
      })
    ))

  it("is accepted when it changes nothing, so a button that is pressed twice does no harm", () =>
    inWorld(
      Effect.gen(function* () {
        const { connectionId: id, home, user, work } = yield* connected()
        const [shown, wanted] = [[chosen(home.id)], [chosen(work.id)]]
        for (const _ of [1, 2]) {
          const { places, placesVersion } = yield* sharePlaces(user.id, id, wanted, shown)
          expect([places.map(({ placeId }) => placeId), placesVersion]).toEqual([[work.id], 2])
        }
        // An archived place stays shared, although no form shows it.
        yield* archivePlace(user.id, work.id)
        yield* sharePlaces(user.id, id, [], [chosen(work.id)])
        yield* sharePlaces(user.id, id, [chosen(home.id)], [chosen(work.id)])
      })
    ))
})

describe("earlier visits in the consent history [connection-7]", () => {
  it("sharing or withdrawing the earlier visits of a place is an entry, also when the set of places stays the same", () =>
    inWorld(
      Effect.gen(function* () {
        const it = yield* connected()
        const { connectionId, home, user, work } = it
        const shareHome = (includeEarlierVisits: boolean) =>
          sharePlaces(user.id, connectionId, [{ placeId: home.id, includeEarlierVisits }], "unchecked")
        yield* shareHome(true)
        yield* shareHome(true)
        yield* shareHome(false)
        yield* sharePlaces(user.id, connectionId, [{ placeId: work.id, includeEarlierVisits: true }], "unchecked")
        yield* share(it)
        const history = yield* listConsentHistory(user.id, connectionId)
        const labels = (places: (typeof history)[number]["earlierVisits"]) => places?.map(({ label }) => label)
        expect(
          history.map(({ added, change, earlierVisits, removed }) => ({
            change,
            agreed: labels(earlierVisits),
            added: labels(added.earlierVisits),
            removed: labels(removed.earlierVisits)
          }))
        ).toEqual([
          { change: "places_changed", agreed: [], added: [], removed: ["Work"] },
          { change: "places_changed", agreed: ["Work"], added: ["Work"], removed: [] },
          { change: "places_changed", agreed: [], added: [], removed: ["Home"] },
          { change: "places_changed", agreed: ["Home"], added: ["Home"], removed: [] },
          { change: "connected", agreed: [], added: [], removed: [] }
        ])
      })
    ))

  it("an entry that does not record earlier visits says nothing about them, and neither does the entry after it", () =>
    inWorld(
      Effect.gen(function* () {
        const { connectionId, home, user } = yield* connected()
        const { consentHistory } = yield* MemoryDatabase
        const old = (consentHistory.get(connectionId) ?? []).map((entry) => ({
          ...entry,
          agreement: { ...entry.agreement, earlierVisits: null }
        }))
        consentHistory.set(connectionId, old)
        yield* sharePlaces(user.id, connectionId, [{ placeId: home.id, includeEarlierVisits: true }], "unchecked")
        const [after, first] = yield* listConsentHistory(user.id, connectionId)
        expect([after?.earlierVisits?.map(({ label }) => label), first?.earlierVisits]).toEqual([["Home"], null])
        expect([after?.added.earlierVisits, first?.added.earlierVisits]).toEqual([[], []])
      })
    ))
})
