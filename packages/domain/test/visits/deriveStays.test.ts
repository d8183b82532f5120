import { ingestFixes } from "@place-access/domain/fixes"
import { everything } from "@place-access/domain/leases"
import { createPlace, Place } from "@place-access/domain/places"
import { PlaceId, StoreError, Timestamp, type UserId } from "@place-access/domain/shared"
import { MemoryDatabase, VisitSamples } from "@place-access/domain/testing"
import { deriveBehind, deriveStays, StayProgress, StayStore } from "@place-access/domain/visits"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, type Layer, Logger, LogLevel, TestClock } from "effect"
import { CIRCLE, DAY, HOUR, INSIDE, MINUTE, NOON, OUTSIDE, time } from "../support/rules.js"
import { VisitStores } from "../support/visits.js"

const run = <A, E>(program: Effect.Effect<A, E, Layer.Layer.Success<typeof VisitStores>>) =>
  TestClock.setTime(NOON).pipe(Effect.zipRight(program), Effect.provide(VisitStores))

const placeOf = (userId: UserId) =>
  createPlace(userId, { label: Place.Label.make("Home"), kind: "home", circle: CIRCLE })

const ground = Effect.gen(function* () {
  const phone = yield* VisitSamples.phone
  return { phone, userId: phone.userId, home: yield* placeOf(phone.userId) }
})

/**
 * On each of `days` days, uploads a reading inside the circle and, an hour later, a reading outside. The last day's
 * first reading is from `last` milliseconds before noon.
 */
const upload = (phone: VisitSamples.Phone, days: number, last = 2 * HOUR) =>
  ingestFixes(
    phone,
    Array.from({ length: days }, (_, day) =>
      [INSIDE, OUTSIDE].map((where, index) => ({
        ...where,
        capturedAt: time(NOON - day * DAY - last + index * HOUR),
        accuracyM: 10
      }))
    ).flat(),
    []
  )

const ALL = { stepsMax: 1_000, fixesAStep: 5_000 }

const stays = Effect.map(MemoryDatabase, (tables) => tables.stays.size)

describe("deriveStays", () => {
  it.effect("goes as far as its bounds allow and on from there, and does nothing when nothing is owed [visits-7]", () =>
    run(
      Effect.gen(function* () {
        const { phone, userId } = yield* ground
        yield* deriveStays(userId, phone.id, ALL)
        yield* upload(phone, 10)
        const seen: Array<readonly [number, number]> = []
        for (let turn = 0; turn < 4; turn++) {
          const taken = yield* deriveStays(userId, phone.id, { stepsMax: 2, fixesAStep: 4 })
          seen.push([taken, yield* stays])
        }
        expect(seen).toEqual([
          [2, 4],
          // A step also reads the fixes of the last `FINAL_AFTER` (10 minutes) before its beginning once more, because
          // a stay that ended there may continue. So the later calls make three stays, and not four.
          [2, 7],
          [2, 10],
          [1, 10]
        ])
        expect(yield* VisitSamples.progress(phone)).toEqual(StayProgress.DONE)
      })
    )
  )

  it.effect("at a polite pace pauses after each step, as its share of the time demands [visits-7]", () =>
    run(
      Effect.gen(function* () {
        const { phone, userId } = yield* ground
        yield* deriveStays(userId, phone.id, ALL)
        yield* upload(phone, 10)
        const store = yield* StayStore
        let reads = 0
        const slow: typeof store = {
          ...store,
          fixes: (...args) =>
            Effect.suspend(() => {
              reads++
              return Effect.zipRight(Effect.sleep(10), store.fixes(...args))
            })
        }
        const derived = yield* deriveBehind(time(NOON), everything.people, { fixesAStep: 4, share: 0.25 }).pipe(
          Effect.provideService(StayStore, slow),
          Effect.zipWith(Timestamp.now, (steps, endedAt) => [steps, endedAt - NOON]),
          Effect.fork
        )
        yield* TestClock.adjust(MINUTE)
        expect(yield* Fiber.join(derived)).toEqual([7, reads * (10 + 30)])
      })
    )
  )

  it.effect("a step that an upload overtook is taken again, with what came [visits-7]", () =>
    run(
      Effect.gen(function* () {
        const { phone, userId } = yield* ground
        yield* upload(phone, 1)
        const store = yield* StayStore
        const context = yield* Effect.context<Layer.Layer.Success<typeof VisitStores>>()
        const raced: Array<boolean> = []
        const racing: typeof store = {
          ...store,
          commit: (commit) =>
            Effect.gen(function* () {
              if (raced.length === 0) yield* Effect.orDie(upload(phone, 3))
              const stored = yield* store.commit(commit)
              raced.push(stored)
              return stored
            }).pipe(Effect.provide(context))
        }
        yield* Effect.provideService(deriveStays(userId, phone.id, ALL), StayStore, racing)
        expect(raced.slice(0, 2)).toEqual([false, true])
        expect(yield* stays).toBe(3)
      })
    )
  )

  it.effect("a new place that an answer must not tell of makes it wait for nothing", () =>
    run(
      Effect.gen(function* () {
        const { home, phone, userId } = yield* ground
        yield* upload(phone, 3)
        yield* deriveStays(userId, phone.id, ALL)
        const hidden = yield* placeOf(userId)
        const bounds = { ...ALL, newPlaces: new Set([home.id]) }
        expect(yield* deriveStays(userId, phone.id, bounds)).toBe(0)
        yield* upload(phone, 1, MINUTE)
        expect(yield* deriveStays(userId, phone.id, bounds)).toBe(1)
        expect((yield* VisitSamples.progress(phone)).backfills.map((one) => one.placeId)).toEqual([hidden.id])
        yield* deriveStays(userId, phone.id, ALL)
        expect(yield* VisitSamples.progress(phone)).toEqual(StayProgress.DONE)
      })
    )
  )
})

describe("what the worker derives unasked", () => {
  it.effect("stays of phones that are more than a day behind, and of new places", () =>
    run(
      Effect.gen(function* () {
        const [behind, fresh, idle] = [yield* ground, yield* ground, yield* ground]
        for (const { phone, userId } of [behind, fresh, idle]) yield* deriveStays(userId, phone.id, ALL)
        yield* upload(behind.phone, 1, DAY + 1)
        yield* upload(fresh.phone, 1, DAY)
        yield* upload(idle.phone, 1)
        yield* deriveStays(idle.userId, idle.phone.id, ALL)
        yield* placeOf(idle.userId)
        expect(yield* deriveBehind(time(NOON), everything.people)).toBe(2)
        expect(yield* VisitSamples.progress(behind.phone)).toEqual(StayProgress.DONE)
        expect(yield* VisitSamples.progress(idle.phone)).toEqual(StayProgress.DONE)
        expect((yield* VisitSamples.progress(fresh.phone)).dueFrom).toBe(NOON - DAY)
        expect(yield* stays).toBe(3)
      })
    )
  )

  it.effect("a phone whose stays cannot be derived now holds up no other", () =>
    run(
      Effect.gen(function* () {
        const [first, second] = [yield* ground, yield* ground]
        for (const { phone } of [first, second]) yield* upload(phone, 2, 3 * DAY)
        const store = yield* StayStore
        const failing: typeof store = {
          ...store,
          fixes: (userId, ...rest) =>
            userId === first.userId ? Effect.fail(StoreError.unavailable("away")) : store.fixes(userId, ...rest)
        }
        yield* Effect.provideService(deriveBehind(time(NOON), everything.people), StayStore, failing).pipe(
          Logger.withMinimumLogLevel(LogLevel.None)
        )
        expect(yield* VisitSamples.progress(second.phone)).toEqual(StayProgress.DONE)
        expect(yield* VisitSamples.progress(first.phone)).not.toEqual(StayProgress.DONE)
      })
    )
  )
})

describe("what a device owes next", () => {
  const [home, gym, shop] = ["home", "gym", "shop"].map((id) => PlaceId.make(id)) as [PlaceId, PlaceId, PlaceId]
  const progress = (dueFrom: number | null, ...backfills: ReadonlyArray<readonly [PlaceId, number]>) => ({
    sendsVisits: false,
    dueFrom: dueFrom === null ? null : time(dueFrom),
    backfills: backfills.map(([placeId, from]) => ({ placeId, dueFrom: time(from) }))
  })
  const owed = (...args: Parameters<typeof StayProgress.next>) => {
    const step = StayProgress.next(...args)
    return step === undefined
      ? undefined
      : { from: step.from, places: [...step.placeIds], after: [step.done(time(7)), step.done(null)] }
  }
  const all = [home, gym, shop]

  it("first what was uploaded, at every place that is as far; those that are behind stay behind", () => {
    expect(owed(progress(5, [gym, 4], [shop, 5]), all)).toEqual({
      from: 5,
      places: [home, shop],
      after: [progress(7, [gym, 4]), progress(null, [gym, 4])]
    })
  })

  it("then new places, those that are farthest behind, until they are as far as the device", () => {
    expect(owed(progress(null, [gym, 4], [home, 4], [shop, 5]), all)).toEqual({
      from: 4,
      places: [gym, home],
      after: [progress(null, [gym, 7], [home, 7], [shop, 5]), progress(null, [shop, 5])]
    })
    expect(owed(progress(null, [gym, 4], [shop, 5]), all, new Set([shop]))).toEqual({
      from: 5,
      places: [shop],
      after: [progress(null, [gym, 4], [shop, 7]), progress(null, [gym, 4])]
    })
    expect(owed(progress(null), all)).toBeUndefined()
  })
})
