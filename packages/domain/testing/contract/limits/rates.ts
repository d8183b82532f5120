import { Effect, TestClock } from "effect"
import { LimitStore } from "../../../src/limits/LimitStore.js"
import * as Rate from "../../../src/limits/Rate.js"
import * as Subject from "../../../src/limits/Subject.js"
import { takeCall } from "../../../src/limits/spendLimits.js"
import * as Entropy from "../../../src/shared/Entropy.js"
import { ConnectionId } from "../../../src/shared/Ids.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"

const subject = Effect.map(Entropy.id("con"), (id) => Subject.connection(ConnectionId.make(id)))

const { MINUTE } = Timestamp

const counted = (whose: Subject.LimitSubject, at: Timestamp.Timestamp, windowMillis = MINUTE) =>
  Effect.flatMap(LimitStore, (store) => store.count(whose, windowMillis, at))

/**
 * Makes one call at each offset, in milliseconds from `start`. Returns for each call the number of calls so far in the
 * window of the rate limit, including this call, and the end of this window in milliseconds from `start`.
 */
const inTurn = (whose: Subject.LimitSubject, start: Timestamp.Timestamp, offsets: ReadonlyArray<number>) =>
  Effect.forEach(offsets, (offset) =>
    Effect.map(counted(whose, Timestamp.plus(start, offset)), ({ endsAt, used }) => [used, endsAt - start])
  )

export const rateCases: Contract<LimitStore | Entropy.Entropy> = [
  {
    name: "count: a window begins with its first call, holds its last millisecond, and the next begins with a call after that",
    run: Effect.gen(function* () {
      const start = yield* Timestamp.now
      Check.equal(
        yield* inTurn(yield* subject, start, [0, 0, MINUTE - 1, MINUTE, MINUTE + 5, 5 * MINUTE, 6 * MINUTE - 1]),
        [
          [1, MINUTE],
          [2, MINUTE],
          [3, MINUTE],
          [1, 2 * MINUTE],
          [2, 2 * MINUTE],
          [1, 6 * MINUTE],
          [2, 6 * MINUTE]
        ],
        "used and end"
      )
    })
  },
  {
    name: "count: a call of a server whose clock is behind belongs to the window that has begun",
    run: Effect.gen(function* () {
      const start = yield* Timestamp.now
      Check.equal(
        yield* inTurn(yield* subject, start, [0, -40]),
        [
          [1, MINUTE],
          [2, MINUTE]
        ],
        "used and end"
      )
    })
  },
  {
    name: "count: after the clock was set back by more than a window, a call begins a new window [limits-6]",
    run: Effect.gen(function* () {
      const start = yield* Timestamp.now
      Check.equal(
        yield* inTurn(yield* subject, start, [0, 0, -MINUTE, -MINUTE - 1, -MINUTE]),
        [
          [1, MINUTE],
          [2, MINUTE],
          [3, MINUTE],
          [1, -1],
          [2, -1]
        ],
        "used and end"
      )
    })
  },
  {
    name: "count: of calls at once no two get the same number, and subjects have nothing to do with each other [limits-6]",
    run: Effect.gen(function* () {
      const now = yield* Timestamp.now
      const subjects = yield* Effect.all([subject, subject, subject])
      const calls = Array.from({ length: 150 }, (_, index) => subjects[index % 3] ?? Check.fail("three subjects"))
      const windows = yield* Effect.forEach(
        calls,
        (whose) => Effect.map(counted(whose, now), ({ used }) => ({ whose, used })),
        { concurrency: "unbounded" }
      )
      for (const one of subjects) {
        const numbers = windows.filter(({ whose }) => whose === one).map(({ used }) => used)
        Check.equal(
          numbers.sort((a, b) => a - b),
          Array.from({ length: 50 }, (_, index) => index + 1),
          "1 to 50"
        )
      }
    })
  },
  {
    name: "take: the last call of the rate passes, the next is refused, and at the reset the subject has all of them again",
    run: Effect.gen(function* () {
      const [whose, rate] = [yield* subject, Rate.perMinute(600)]
      const take = Effect.map(takeCall(whose, rate), ({ isAdmitted, remaining, resetMillis }) => [
        isAdmitted,
        remaining,
        resetMillis
      ])
      Check.equal(yield* take, [true, 599, MINUTE], "the first")
      yield* TestClock.adjust(10)
      yield* Effect.all(
        Array.from({ length: 598 }, () => take),
        { concurrency: "unbounded", discard: true }
      )
      Check.equal(yield* take, [true, 0, MINUTE - 10], "the 600th")
      Check.equal(yield* take, [false, 0, MINUTE - 10], "the 601st")
      yield* TestClock.adjust(MINUTE - 11)
      Check.equal(yield* take, [false, 0, 1], "a millisecond before the reset")
      yield* TestClock.adjust(1)
      Check.equal(yield* take, [true, 599, MINUTE], "at the reset")
    })
  }
]
