import { ingest } from "@place-access/adapters-http/fixes/Ingest"
import * as UploadTurns from "@place-access/adapters-http/fixes/UploadTurns"
import type { Device } from "@place-access/domain/devices"
import { FixStore } from "@place-access/domain/fixes"
import { type JudgedClock, StoreError, Timestamp } from "@place-access/domain/shared"
import { RuleSamples } from "@place-access/domain/testing"
import { Array as Arr, Clock, Deferred, Effect, Either, Fiber } from "effect"
import { afterAll, beforeAll, expect, it } from "vitest"
import { startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

/** Occupies the turn of the device's owner until `release` is resolved, without storing an upload. */
const holdTurn = ({ id: deviceId, userId }: Device.Device, release: Deferred.Deferred<void>) =>
  Effect.flatMap(UploadTurns.UploadTurns, (turns) =>
    turns.within(userId, { deviceId, readings: [], reports: [], arrivedAt: Timestamp.make(0) }, () =>
      Effect.as(Deferred.await(release), Arr.of(Either.right({ accepted: 0, duplicates: 0, quarantined: 0 })))
    )
  )

it("an upload that waits for its turn is judged by its arrival [fixes-6, L3]", async () => {
  const { account } = await world.person()
  const device = await world.run(RuleSamples.device(account.id))
  const arrived = world.clock.now()
  // The time of this reading is a millisecond too far in the future when the upload arrives. When the upload gets its
  // turn, ten seconds later, the time would be acceptable. The time of the arrival must decide.
  const ahead = { capturedAt: Timestamp.make(arrived + 5 * Timestamp.MINUTE + 1), lat: 52.37, lon: 4.89, accuracyM: 10 }
  const answer = await world.run(
    Effect.gen(function* () {
      const release = yield* Deferred.make<void>()
      const before = yield* Effect.fork(holdTurn(device, release))
      yield* Effect.yieldNow()
      const upload = yield* Effect.fork(ingest(device, [ahead], []))
      yield* Effect.yieldNow()
      yield* Effect.sync(() => world.clock.advance(10_000))
      yield* Deferred.succeed(release, undefined)
      yield* Fiber.join(before)
      return yield* Fiber.join(upload)
    }).pipe(Effect.provide(UploadTurns.layer))
  )
  expect(answer).toEqual({ accepted: 0, duplicates: 0, quarantined: 1 })
  expect(await world.run(Effect.flatMap(FixStore, (store) => store.latest(account.id, 10)))).toEqual([])
})

it("an upload that arrives while the clock is wrong is refused, also when the clock is put right before its turn [fixes-6]", async () => {
  const { account } = await world.person()
  const device = await world.run(RuleSamples.device(account.id))
  const reading = { capturedAt: Timestamp.make(world.clock.now()), lat: 52.37, lon: 4.89, accuracyM: 10 }
  const answer = await world.run(
    Effect.gen(function* () {
      const clock = yield* Effect.clock
      let isRight = false
      const judged: JudgedClock.JudgedClock = {
        [Clock.ClockTypeId]: Clock.ClockTypeId,
        unsafeCurrentTimeMillis: () => clock.unsafeCurrentTimeMillis() - (isRight ? 0 : Timestamp.HOUR),
        currentTimeMillis: Effect.sync(() => judged.unsafeCurrentTimeMillis()),
        unsafeCurrentTimeNanos: () => clock.unsafeCurrentTimeNanos(),
        currentTimeNanos: clock.currentTimeNanos,
        sleep: (duration) => clock.sleep(duration),
        isRight: () => isRight
      }
      const release = yield* Deferred.make<void>()
      const before = yield* Effect.fork(holdTurn(device, release))
      yield* Effect.yieldNow()
      const upload = yield* Effect.fork(Effect.either(Effect.withClock(ingest(device, [reading], []), judged)))
      yield* Effect.yieldNow()
      isRight = true
      yield* Deferred.succeed(release, undefined)
      yield* Fiber.join(before)
      return yield* Fiber.join(upload)
    }).pipe(Effect.provide(UploadTurns.layer))
  )
  expect(Either.isLeft(answer) && answer.left instanceof StoreError && answer.left.transient).toBe(true)
})
