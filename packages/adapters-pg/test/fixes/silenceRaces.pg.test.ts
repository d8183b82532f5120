import { EventStore } from "@place-access/domain/deliveries"
import { Event } from "@place-access/domain/events"
import { FixStore, ingestFixes, settleDue } from "@place-access/domain/fixes"
import { everything, Bucket } from "@place-access/domain/leases"
import { Timestamp } from "@place-access/domain/shared"
import { MemoryWorkSignal, RuleSamples } from "@place-access/domain/testing"
import { type Clock, Effect, Layer, TestClock } from "effect"
import { expect, it } from "vitest"
import { travel } from "../../../domain/test/support/geodesic.js"
import { migratedOn, START, withStores } from "../support/contracts.js"
import { describeServers } from "../support/postgres.js"
import { UploadStores } from "../support/uploadStores.js"

const MINUTE = 60_000
const TIMES = 12

/** A clock that stands still at `at`. */
const standing = (clock: Clock.Clock, at: number): Clock.Clock =>
  Object.assign(Object.create(clock) as Clock.Clock, {
    unsafeCurrentTimeMillis: () => at,
    currentTimeMillis: Effect.succeed(at)
  })

const reading = (capturedAt: number, metres: number) => ({
  capturedAt: Timestamp.make(capturedAt),
  ...travel(RuleSamples.CIRCLE, 90, metres),
  accuracyM: 10
})

describeServers("a worker tells a dwell of a silent phone while the phone uploads", (server) => {
  const run = withStores(migratedOn(server), Layer.merge(UploadStores, MemoryWorkSignal.layer))

  /**
   * A phone arrived at the place 20 minutes ago and has sent nothing since. Its next reading, from outside of the
   * place, arrives `early` ms before the silence fires the rule.
   */
  const race = (early: number) =>
    Effect.gen(function* () {
      yield* TestClock.setTime(START - 21 * MINUTE)
      const { connection, place, user } = yield* RuleSamples.sharing()
      const phone = yield* RuleSamples.device(user.id)
      const terms = { type: "dwell", dwellMinutes: 10, silenceS: 600 } as const
      const rule = yield* RuleSamples.rule(connection, RuleSamples.onPlace(place), terms)
      yield* TestClock.setTime(START - 20 * MINUTE)
      yield* ingestFixes(phone, [reading(START - 20 * MINUTE, 5)], [])
      yield* TestClock.setTime(START)
      const clock = standing(yield* Effect.clock, START - early)
      const uploads = Effect.withClock(ingestFixes(phone, [reading(START - MINUTE, 900)], []), clock)
      yield* Effect.all([settleDue(everything.people), uploads, settleDue(everything.people)], {
        concurrency: "unbounded"
      })
      const { events } = yield* (yield* EventStore).pending(Bucket.ALL, 10_000, yield* Timestamp.now)
      const times = events.filter(({ payload }) => Event.ruleIdOf(payload) === rule.id).map((one) => one.occurredAt)
      const { rules } = yield* (yield* FixStore).view(user.id, [], yield* Timestamp.now)
      return { times, state: rules[0]?.state }
    })

  it("before the end of the silence: told once or not at all, and the state says which [rules-14]", () =>
    run(
      Effect.gen(function* () {
        for (let n = 0; n < TIMES; n++) {
          const { state, times } = yield* race(1)
          expect(times.length).toBeLessThanOrEqual(1)
          expect(state).toMatchObject({ side: "outside", unsettled: null, lastFiredAt: times[0] ?? null })
        }
      })
    ))

  it("at the end of the silence: told once, by the worker or by the upload [rules-14]", () =>
    run(
      Effect.gen(function* () {
        for (let n = 0; n < TIMES; n++) {
          const { state, times } = yield* race(0)
          expect(times).toEqual([START - 10 * MINUTE])
          expect(state).toMatchObject({ side: "outside", unsettled: null, lastFiredAt: START - 10 * MINUTE })
        }
      })
    ))
})
