import * as UploadTurns from "@place-access/adapters-http/fixes/UploadTurns"
import { StoreError, UserId } from "@place-access/domain/shared"
import { Deferred, Effect, Either, Fiber } from "effect"
import { expect, it } from "vitest"

const [ANN, BEN] = [{ userId: UserId.make("usr_ann") }, { userId: UserId.make("usr_ben") }]

const run = <A, E>(program: Effect.Effect<A, E, UploadTurns.UploadTurns>) =>
  Effect.runPromise(Effect.provide(program, UploadTurns.layer))

it("uploads of one person come one after the other, those of two people at once [fixes-9]", () =>
  run(
    Effect.gen(function* () {
      const turns = yield* UploadTurns.UploadTurns
      const bensTurn = yield* Deferred.make<void>()
      const underWay = new Map<string, number>()
      const done: Array<number> = []
      const upload = (person: typeof ANN, n: number) =>
        turns.within(
          person,
          Effect.gen(function* () {
            const at = (underWay.get(person.userId) ?? 0) + 1
            underWay.set(person.userId, at)
            expect(at).toBe(1)
            if (person === ANN) yield* Deferred.await(bensTurn)
            else yield* Deferred.succeed(bensTurn, undefined)
            yield* Effect.yieldNow()
            underWay.set(person.userId, at - 1)
            if (person === ANN) done.push(n)
          })
        )
      const order = Array.from({ length: 20 }, (_, n) => n)
      const anns = yield* Effect.fork(Effect.forEach(order, (n) => upload(ANN, n), { concurrency: "unbounded" }))
      yield* Effect.yieldNow()
      yield* upload(BEN, 0)
      yield* Fiber.join(anns)
      expect(done).toEqual(order)
    })
  ))

it("a failed and an interrupted upload end their turn", () =>
  run(
    Effect.gen(function* () {
      const turns = yield* UploadTurns.UploadTurns
      const failed = yield* Effect.either(turns.within(ANN, Effect.fail("broken")))
      expect(failed).toEqual(Either.left("broken"))
      const stuck = yield* Effect.fork(turns.within(ANN, Effect.never))
      const next = yield* Effect.fork(turns.within(ANN, Effect.succeed("next")))
      yield* Effect.yieldNow()
      yield* Fiber.interrupt(stuck)
      expect(yield* Fiber.join(next)).toBe("next")
    })
  ))

it("beyond what may wait, an upload is refused for now, and the phone sends it again", () =>
  run(
    Effect.gen(function* () {
      const turns = yield* UploadTurns.UploadTurns
      const [release, oneIsRefused] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const upload = Effect.tapError(turns.within(ANN, Deferred.await(release)), () =>
        Deferred.succeed(oneIsRefused, undefined)
      )
      const uploads = yield* Effect.fork(
        Effect.forEach(Array.from({ length: 514 }), () => Effect.either(upload), { concurrency: "unbounded" })
      )
      yield* Deferred.await(oneIsRefused)
      yield* Deferred.succeed(release, undefined)
      const answers = yield* Fiber.join(uploads)
      const refused = answers.flatMap((answer) => (Either.isLeft(answer) ? [answer.left] : []))
      expect(refused.length).toBe(1)
      expect(refused[0] instanceof StoreError && refused[0].transient).toBe(true)
    })
  ))
