import { DeviceStore, InvalidDeviceToken, removeDevice } from "@place-access/domain/devices"
import { FixStore, ingestFixes, settleDue } from "@place-access/domain/fixes"
import { everything } from "@place-access/domain/leases"
import { StoreError, Telemetry, type UserId } from "@place-access/domain/shared"
import { RuleSamples } from "@place-access/domain/testing"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, Metric, Option, TestClock } from "effect"
import { clockAt } from "../support/clock.js"
import { DAY, INSIDE, MINUTE, NOON, OUTSIDE, time } from "../support/rules.js"
import { reading, run } from "../support/uploads.js"

/** The number of times that rules of the type "enter" have fired, according to the metric. */
const counted = () =>
  Metric.unsafeSnapshot()
    .filter(
      ({ metricKey: { name, tags } }) =>
        name === "place_access.rule.firings" && tags.some(({ value }) => value === "enter")
    )
    .reduce((sum, { metricState }) => sum + Number((metricState as { readonly count?: number }).count), 0)

describe("crossings that the clock settles [rules-13]", () => {
  it.effect("are counted once as firings, as those of uploads are", () =>
    run(
      Effect.gen(function* () {
        const { phone } = yield* Effect.gen(function* () {
          const made = yield* RuleSamples.sharing()
          yield* RuleSamples.rule(made.connection, RuleSamples.onPlace(made.place), { type: "enter", settleS: 60 })
          return { phone: yield* RuleSamples.device(made.user.id) }
        }).pipe(Effect.withClock(clockAt(NOON - DAY)))
        const before = counted()
        yield* ingestFixes(phone, [reading(-2 * MINUTE, OUTSIDE), reading(0, INSIDE)], [])
        expect([yield* settleDue(everything.people), counted() - before]).toEqual([0, 0])
        yield* TestClock.setTime(NOON + 2 * MINUTE)
        expect([yield* settleDue(everything.people), counted() - before]).toEqual([1, 1])
        expect([yield* settleDue(everything.people), counted() - before]).toEqual([0, 1])
      }).pipe(Effect.locally(Telemetry.recorder, { observers: new Set<() => void>() }))
    )
  )
})

describe("a dwell that waits for silence, when its phone is removed [rules-14]", () => {
  it.effect.each([
    ["no device is left: nobody would hear that the person has left", undefined, 0],
    ["only a device that stays at home is left", { staysAtHome: true, lastSeenAt: time(NOON - DAY) }, 0],
    ["only a phone that has never sent anything is left", { lastSeenAt: null }, 0],
    ["another phone is left, which may be carried", { lastSeenAt: time(NOON - DAY) }, 1]
  ] as const)("%s", ([, other, events]) =>
    run(
      Effect.gen(function* () {
        const { phone } = yield* Effect.gen(function* () {
          const { connection, place, user } = yield* RuleSamples.sharing()
          const dwell = { type: "dwell", dwellMinutes: 30, silenceS: 1_800 } as const
          yield* RuleSamples.rule(connection, RuleSamples.onPlace(place), dwell)
          if (other !== undefined) yield* RuleSamples.device(user.id, other)
          return { phone: yield* RuleSamples.device(user.id) }
        }).pipe(Effect.withClock(clockAt(NOON - DAY)))
        yield* TestClock.setTime(NOON)
        yield* ingestFixes(phone, [reading(0, INSIDE)], [])
        yield* TestClock.adjust("2 minutes")
        yield* removeDevice(phone.userId, phone.id)
        yield* TestClock.adjust("2 hours")
        expect(yield* settleDue(everything.people)).toBe(events)
      })
    )
  )
})

describe("an upload whose phone is removed before its commit [devices-1]", () => {
  it.effect.each([
    ["a small one", 1],
    ["a large one, which is stored in parts", 1_001]
  ] as const)("%s, is answered as with a dead token, stores nothing more and starts no waiting", ([, size]) =>
    run(
      Effect.gen(function* () {
        const { phone } = yield* Effect.gen(function* () {
          const { connection, place, user } = yield* RuleSamples.sharing()
          const dwell = { type: "dwell", dwellMinutes: 30, silenceS: 1_800 } as const
          yield* RuleSamples.rule(connection, RuleSamples.onPlace(place), dwell)
          return { phone: yield* RuleSamples.device(user.id) }
        }).pipe(Effect.withClock(clockAt(NOON - DAY)))
        yield* ingestFixes(phone, [reading(-MINUTE, INSIDE)], [])
        const store = yield* FixStore
        const devices = yield* DeviceStore
        const remove = Effect.provideService(removeDevice(phone.userId, phone.id), DeviceStore, devices)
        const removing = FixStore.of({
          ...store,
          commit: (upload) => Effect.zipRight(Effect.ignore(remove), store.commit(upload))
        })
        const readings = Array.from({ length: size }, (_, index) => reading(-index, INSIDE))
        const refused = yield* ingestFixes(phone, readings, []).pipe(
          Effect.provideService(FixStore, removing),
          Effect.either
        )
        expect(Either.getLeft(refused)).toEqual(Option.some(new InvalidDeviceToken()))
        expect(yield* store.latest(phone.userId, 10)).toHaveLength(1)
        yield* TestClock.adjust("2 hours")
        expect(yield* settleDue(everything.people)).toBe(0)
      })
    )
  )
})

/** A person who arrives at a place. The rule's wait ends one minute after noon. */
const arrives = Effect.gen(function* () {
  const made = yield* RuleSamples.sharing()
  yield* RuleSamples.rule(made.connection, RuleSamples.onPlace(made.place), { type: "enter", settleS: 60 })
  const phone = yield* RuleSamples.device(made.user.id)
  yield* ingestFixes(phone, [reading(-2 * MINUTE, OUTSIDE), reading(0, INSIDE)], []).pipe(
    Effect.withClock(clockAt(NOON))
  )
  return made.user.id
}).pipe(Effect.withClock(clockAt(NOON - DAY)))

/** The store, with a `view` that fails for some people. `calls.times` counts the calls. */
const failing = (fails: (userId: UserId) => boolean, calls = { times: 0 }) =>
  Effect.map(FixStore, (store) =>
    FixStore.of({
      ...store,
      view: (one, ...rest) => {
        calls.times++
        return fails(one) ? Effect.fail(StoreError.unavailable("lock time-out")) : store.view(one, ...rest)
      }
    })
  )

describe("a person who cannot be settled [rules-13]", () => {
  it.effect("stops nobody behind them, also when more are due than one read returns", () =>
    run(
      Effect.gen(function* () {
        const people = (yield* Effect.replicateEffect(arrives, 102)).toSorted()
        yield* TestClock.setTime(NOON + 2 * MINUTE)
        const settled = settleDue(everything.people).pipe(
          Effect.provideServiceEffect(
            FixStore,
            failing((one) => one === people[0])
          )
        )
        expect([yield* settled, yield* settled]).toEqual([101, 0])
        expect(yield* settleDue(everything.people)).toBe(1)
      })
    )
  )

  it.effect("end the run with an error, when as many as one read returns failed, and nobody could be settled", () =>
    run(
      Effect.gen(function* () {
        const people = (yield* Effect.replicateEffect(arrives, 101)).toSorted()
        yield* TestClock.setTime(NOON + 2 * MINUTE)
        const settling = (fails: (userId: UserId) => boolean) =>
          Effect.gen(function* () {
            const calls = { times: 0 }
            const settled = settleDue(everything.people).pipe(
              Effect.provideServiceEffect(FixStore, failing(fails, calls))
            )
            return [yield* Effect.either(settled), calls.times]
          })
        const error = StoreError.unavailable("lock time-out")
        expect(yield* settling(() => true)).toEqual([Either.left(error), 101])
        expect(yield* settling((one) => one !== people[100])).toEqual([Either.right(1), 101])
        expect(yield* settling((one) => one !== people[99])).toEqual([Either.right(1), 100])
        // Only 99 people are left, and the work for each of them fails. A run ends with an error only when at least 100
        // people failed and nobody succeeded: if fewer failed, the fault may be with these people and not with the
        // store.
        expect(yield* settling(() => true)).toEqual([Either.right(0), 99])
      })
    )
  )
})
