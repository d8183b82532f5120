import { expect, it } from "@effect/vitest"
import { Account, AccountStore, admitTry, type SignInThrottle, TooManyAttempts } from "@place-access/domain/accounts"
import { MemoryAccountStore, MemoryDatabase } from "@place-access/domain/testing"
import { Effect, Either, Fiber, TestClock } from "effect"

const tried = { id: "try_1", email: Account.Email.make("ana@example.com"), address: "192.0.2.1", browser: null }

/**
 * Asks for the admission of a sign-in. The store admits the call with this number, and answers every call before it
 * with "Busy", as when it waits for the results of other sign-ins. Returns the result, and the times at which the
 * program asked the store, in milliseconds after the first call.
 */
const admittedAt = (number: number) =>
  Effect.gen(function* () {
    const accounts = yield* AccountStore
    const times: Array<number> = []
    const busy = {
      ...accounts,
      admitTry: () =>
        Effect.map(
          Effect.clockWith((clock) => clock.currentTimeMillis),
          (now): SignInThrottle.ThrottleVerdict => {
            times.push(now)
            return times.length < number ? { _tag: "Busy" } : { _tag: "Admitted" }
          }
        )
    }
    const asking = yield* Effect.fork(
      Effect.either(Effect.provideService(admitTry(tried, "password"), AccountStore, busy))
    )
    yield* TestClock.adjust("1 minute")
    return { result: yield* Fiber.join(asking), times: times.map((time) => time - (times[0] ?? 0)) }
  }).pipe(Effect.provide(MemoryAccountStore.layer), Effect.provide(MemoryDatabase.layer))

it.effect("a sign-in that waits for the results of others tries until 3.1 s have passed [accounts-5]", () =>
  Effect.gen(function* () {
    const last = yield* admittedAt(6)
    expect(Either.isRight(last.result)).toBe(true)
    expect(last.times).toEqual([0, 100, 300, 700, 1_500, 3_100])
    const refused = yield* admittedAt(7)
    expect(Either.flip(refused.result)).toMatchObject({ _tag: "Right", right: expect.any(TooManyAttempts) })
    expect(refused.times).toEqual(last.times)
  })
)
