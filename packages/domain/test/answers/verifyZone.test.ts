import { verifyZone } from "@place-access/domain/answers"
import { FixHistory, ingestFixes } from "@place-access/domain/fixes"
import { StoreError } from "@place-access/domain/shared"
import { MemoryFixHistory, MemoryLimitStore, RuleSamples } from "@place-access/domain/testing"
import { expect, it } from "@effect/vitest"
import { Effect, Layer, TestClock } from "effect"
import { at, CIRCLE, EDGE, MINUTE, NOON, time } from "../support/rules.js"
import { UploadStores } from "../support/uploads.js"

const stores = MemoryFixHistory.layer.pipe(Layer.provideMerge(MemoryLimitStore.layer), Layer.provideMerge(UploadStores))

/**
 * An app, and a person with 100 readings near the boundary of `CIRCLE`. None of these readings decides whether the
 * person is inside.
 */
const nearTheEdge = Effect.gen(function* () {
  yield* TestClock.setTime(NOON)
  const { connection, user } = yield* RuleSamples.sharing()
  const phone = yield* RuleSamples.device(user.id)
  const readings = Array.from({ length: 100 }, (_, index) => ({
    capturedAt: time(NOON - index * 1_000),
    ...EDGE,
    accuracyM: 10
  }))
  yield* ingestFixes(phone, readings, [])
  return connection
})

const outcome = <A, E, R>(ask: Effect.Effect<A, E, R>) =>
  Effect.match(ask, {
    onFailure: (error) => (error as { readonly _tag: string })._tag,
    onSuccess: () => "answered"
  })

it.effect("a question that the database could not answer is not counted [M8, answers-5]", () =>
  Effect.gen(function* () {
    const connection = yield* nearTheEdge
    const ask = outcome(verifyZone(connection, CIRCLE, 600))
    const away = { ...(yield* FixHistory), newest: () => Effect.fail(StoreError.unavailable("away")) }
    const failed = yield* Effect.replicateEffect(Effect.provideService(ask, FixHistory, away), 25)
    expect(new Set(failed)).toEqual(new Set(["StoreError"]))
    expect(yield* Effect.replicateEffect(ask, 21)).toEqual([...Array<string>(20).fill("answered"), "BudgetExceeded"])
  }).pipe(Effect.provide(stores))
)

it.effect("a question during a pause takes nothing from the budget [connection-4, M8]", () =>
  Effect.gen(function* () {
    const connection = yield* nearTheEdge
    const paused = verifyZone({ ...connection, pause: { from: time(NOON), until: null } }, CIRCLE, 600)
    const during = yield* Effect.replicateEffect(paused, 25)
    expect(during.map(({ state }) => state)).toEqual(Array<string>(25).fill("unknown"))
    const ask = outcome(verifyZone(connection, CIRCLE, 600))
    expect(yield* Effect.replicateEffect(ask, 21)).toEqual([...Array<string>(20).fill("answered"), "BudgetExceeded"])
  }).pipe(Effect.provide(stores))
)

it.effect("a refused question reads the same, wherever the person is: its duration shows nothing [M8, answers-5]", () =>
  Effect.gen(function* () {
    const connection = yield* nearTheEdge
    const history = yield* FixHistory
    const reads: Array<number> = []
    const counting = FixHistory.of({
      ...history,
      newest: (userId, now, between, limit) => {
        reads.push(limit)
        return history.newest(userId, now, between, limit)
      }
    })
    const ask = (metres: number) =>
      outcome(verifyZone(connection, { ...CIRCLE, ...at(metres) }, 600)).pipe(
        Effect.provideService(FixHistory, counting),
        Effect.map((result) => [result, reads.splice(0).length] as const)
      )
    expect(yield* ask(0)).toEqual(["answered", 3])
    expect(yield* ask(CIRCLE.radiusM)).toEqual(["answered", 1])
    yield* TestClock.adjust(MINUTE)
    yield* Effect.replicateEffect(ask(CIRCLE.radiusM), 18)
    expect(yield* ask(0)).toEqual(["BudgetExceeded", 1])
    expect(yield* ask(CIRCLE.radiusM)).toEqual(["BudgetExceeded", 1])
  }).pipe(Effect.provide(stores))
)

it.effect(
  "a reading less accurate than 200 m decides nothing about a zone; an older, accurate one does [answers-5, M8]",
  () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOON)
      const { connection, user } = yield* RuleSamples.sharing()
      const phone = yield* RuleSamples.device(user.id)
      const [far, near] = [
        { ...CIRCLE, ...at(50_000) },
        { ...CIRCLE, radiusM: 10_000 }
      ]
      const states = Effect.forEach([far, near], (circle) => verifyZone(connection, circle, 600))
      const reading = (after: number, accuracyM: number) =>
        ingestFixes(phone, [{ capturedAt: time(NOON + after), ...at(0), accuracyM }], [])
      yield* reading(-2 * MINUTE, 200.1)
      expect((yield* states).map(({ state }) => state)).toEqual(["unknown", "unknown"])
      yield* reading(-4 * MINUTE, 200)
      expect(yield* states).toEqual([
        { state: "no", asOf: NOON - 4 * MINUTE },
        { state: "yes", asOf: NOON - 4 * MINUTE }
      ])
    }).pipe(Effect.provide(stores))
)
