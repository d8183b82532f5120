import {
  AppFigures,
  FiguresStore,
  figuresRecorder,
  recordFigures,
  reportFigures,
  type Tally
} from "@place-access/domain/figures"
import { AppId, StoreError, Timestamp } from "@place-access/domain/shared"
import { Effect, FiberRef, Layer, Logger, TestClock, TestContext } from "effect"
import { describe, expect, it } from "vitest"

const APP = AppId.make("app_1")

/** A store that keeps the batches that it gets. It fails for each batch for whose index `refuses` is true. */
const makeStore = (refuses: (index: number) => boolean = () => false) => {
  const batches: Array<Tally.FiguresBatch> = []
  let index = 0
  const layer = Layer.succeed(FiguresStore, {
    add: (batch: Tally.FiguresBatch) =>
      Effect.suspend(() => {
        if (refuses(index++)) return Effect.fail(StoreError.unavailable("away"))
        batches.push(batch)
        return Effect.void
      })
  } as unknown as typeof FiguresStore.Service)
  return { batches, layer }
}

const fire = reportFigures((to) => to.fired(APP, Timestamp.make(0)))

const run = <A>(program: Effect.Effect<A, never, FiguresStore>, layer: Layer.Layer<FiguresStore>) =>
  Effect.runPromise(
    program.pipe(
      Effect.provide(layer),
      Effect.provide(Logger.remove(Logger.defaultLogger)),
      Effect.provide(TestContext.TestContext)
    )
  )

const firings = (batches: ReadonlyArray<Tally.FiguresBatch>) =>
  batches.map(({ hours }) => hours.reduce<AppFigures.AppCounts>(AppFigures.add, AppFigures.NOTHING).firings)

describe("recording", () => {
  it("stores once a second what was reported, nothing when nothing was, and the rest at the end [figures-1]", async () => {
    const { batches, layer } = makeStore()
    const seen: Array<number> = []
    await run(
      Effect.gen(function* () {
        yield* Effect.asVoid(recordFigures())
        yield* fire
        yield* fire
        seen.push(batches.length)
        yield* TestClock.adjust("1 second")
        seen.push(batches.length)
        yield* TestClock.adjust("5 seconds")
        seen.push(batches.length)
        yield* fire
      }).pipe(Effect.scoped),
      layer
    )
    expect(seen).toEqual([0, 1, 1])
    expect(firings(batches)).toEqual([2, 1])
  })

  it("stores what was reported at once when the caller asks for it, and not a second time", async () => {
    const { batches, layer } = makeStore()
    await run(
      Effect.gen(function* () {
        const storeNow = yield* recordFigures()
        yield* fire
        yield* storeNow
        expect(firings(batches)).toEqual([1])
        yield* TestClock.adjust("1 second")
      }).pipe(Effect.scoped),
      layer
    )
    expect(firings(batches)).toEqual([1])
  })

  it("a store that is away costs its counts alone: nobody waits, and the next second is stored [figures-1]", async () => {
    const { batches, layer } = makeStore((index) => index === 0)
    await run(
      Effect.gen(function* () {
        yield* Effect.asVoid(recordFigures())
        yield* fire
        yield* TestClock.adjust("1 second")
        yield* fire
        yield* TestClock.adjust("1 second")
      }).pipe(Effect.scoped),
      layer
    )
    expect(firings(batches)).toEqual([1])
  })

  it("without a recorder a report does nothing", async () => {
    expect(await Effect.runPromise(Effect.zipRight(fire, FiberRef.get(figuresRecorder)))).toBeNull()
  })
})
