import { createPlace, Place } from "@place-access/domain/places"
import { ConnectionId } from "@place-access/domain/shared"
import { MemoryDatabase, RuleSamples, VisitSamples } from "@place-access/domain/testing"
import { listVisits, StayStore } from "@place-access/domain/visits"
import { expect, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { CIRCLE, NOON, time } from "../support/rules.js"
import { VisitStores } from "../support/visits.js"

it.effect("an answer about visits derives 20 steps at most, however many devices are due [visits-7]", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(NOON)
    const { userId } = yield* VisitSamples.phone
    const { devices, staysDueFrom } = yield* MemoryDatabase
    // Only a few phones can be registered, but every imported file counts as a device. So a person can have many more
    // devices than phones.
    for (let index = 0; index < 30; index++) {
      const device = yield* RuleSamples.draftDevice(userId)
      devices.set(device.id, device)
      staysDueFrom.set(device.id, time(NOON))
    }
    const home = yield* createPlace(userId, { label: Place.Label.make("Home"), kind: "home", circle: CIRCLE })
    const stays = yield* StayStore
    let steps = 0
    const shared = [{ placeId: home.id, sharedAt: time(NOON), includeEarlierVisits: true }]
    const asker = { userId, id: ConnectionId.make("con_1"), pause: null, places: shared }
    const ask = listVisits(asker, time(NOON), { from: null, to: null, limit: 100, cursor: undefined }).pipe(
      Effect.provideService(StayStore, {
        ...stays,
        commit: (step) => Effect.suspend(() => (steps++, stays.commit(step)))
      })
    )
    expect((yield* ask).complete).toBe(false)
    expect(steps).toBe(20)
    let calls = 1
    while (!(yield* ask).complete && calls < 10) calls++
    expect(calls).toBeLessThan(10)
    expect(yield* stays.due(userId)).toEqual([])
  }).pipe(Effect.provide(VisitStores))
)
