import type { Fix } from "@place-access/domain/fixes"
import {
  MemoryAccountStore,
  MemoryAppStore,
  MemoryConnectionStore,
  MemoryConsentStore,
  MemoryTokenStore,
  MemoryDatabase,
  MemoryDeviceStore,
  MemoryEndpointStore,
  MemoryEntropy,
  MemoryEventStore,
  MemoryFixStore,
  MemoryHistoryStore,
  MemoryPlaceStore,
  MemoryRuleStore,
  MemoryVault,
  MemoryWorkSignal,
  RuleSamples
} from "@place-access/domain/testing"
import { Effect, Layer, TestClock } from "effect"
import { clockAt } from "./clock.js"
import type { Point } from "./geodesic.js"
import { DAY, INSIDE, MINUTE, NOON, OUTSIDE, time } from "./rules.js"

/** The in-memory layers of all ports between a user's place and the outbox. */
export const UploadStores = Layer.mergeAll(
  MemoryAccountStore.layer,
  MemoryAppStore.layer,
  MemoryConnectionStore.layer,
  MemoryConsentStore.layer,
  MemoryTokenStore.layer,
  MemoryDeviceStore.layer,
  MemoryEndpointStore.layer,
  MemoryEventStore.layer,
  MemoryFixStore.layer,
  MemoryHistoryStore.layer,
  MemoryPlaceStore.layer,
  MemoryRuleStore.layer,
  MemoryEntropy.layer,
  MemoryVault.layer,
  MemoryWorkSignal.layer
).pipe(Layer.provideMerge(MemoryDatabase.layer))

/** A reading that was captured this many milliseconds after noon. */
export const reading = (after: number, where: Point, more: Partial<Fix.Reading> = {}): Fix.Reading => ({
  capturedAt: time(NOON + after),
  ...where,
  accuracyM: 10,
  ...more
})

/**
 * Three readings: outside, inside, outside. The person arrives 10 minutes before noon and leaves 5 minutes before noon.
 */
export const RIDE = [reading(-14 * MINUTE, OUTSIDE), reading(-10 * MINUTE, INSIDE), reading(-5 * MINUTE, OUTSIDE)]

/**
 * Stores a user with a phone and a shared place at `CIRCLE`. An enter rule and an exit rule on the place exist since
 * the day before.
 */
export const person = Effect.gen(function* () {
  const made = yield* RuleSamples.sharing()
  const onPlace = RuleSamples.onPlace(made.place)
  const enter = yield* RuleSamples.rule(made.connection, onPlace, {
    maxEventAgeS: 60,
    webhookUrl: "https://a.example/"
  })
  const exit = yield* RuleSamples.rule(made.connection, onPlace, { type: "exit" })
  return { ...made, enter, exit, phone: yield* RuleSamples.device(made.user.id) }
}).pipe(Effect.withClock(clockAt(NOON - DAY)))

const atNoon = <A, E, R>(program: Effect.Effect<A, E, R>) => Effect.zipRight(TestClock.setTime(NOON), program)

export const run = <A, E>(program: Effect.Effect<A, E, Layer.Layer.Success<typeof UploadStores>>) =>
  program.pipe(atNoon, Effect.provide(UploadStores))
