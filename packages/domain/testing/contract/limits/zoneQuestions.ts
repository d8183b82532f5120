import { Effect, Either, TestClock } from "effect"
import { askZone } from "../../../src/limits/spendLimits.js"
import type { Spender } from "../../../src/limits/Budget.js"
import type { LimitStore } from "../../../src/limits/LimitStore.js"
import type { Circle } from "../../../src/places/Geometry.js"
import * as Entropy from "../../../src/shared/Entropy.js"
import { AppId, UserId } from "../../../src/shared/Ids.js"
import { DAY, HOUR, MINUTE } from "../../../src/shared/Timestamp.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"

const spender = Effect.gen(function* () {
  return { userId: UserId.make(yield* Entropy.id("usr")), appId: AppId.make(yield* Entropy.id("app")) }
})

const QUAY: Circle = { lat: 52.1, lon: 4.9, radiusM: 400 }
/** Four large circles in one town. An app may ask about at most three of these circles within 24 hours. */
const LARGE: ReadonlyArray<Circle> = [52.1, 52.13, 52.16, 52.19].map((lat) => ({ lat, lon: 4.9, radiusM: 8_000 }))

/**
 * Asks about a circle. Returns "asked", or, if the budget is used up, the number of milliseconds that the app must
 * wait.
 */
const ask = (whose: Spender, circle = QUAY) =>
  Effect.map(
    Effect.either(askZone(whose, circle)),
    Either.match({
      onRight: () => "asked" as const,
      onLeft: (error) => (error._tag === "BudgetExceeded" ? error.retryAfterMillis : Check.fail("the store failed"))
    })
  )

const times = <A, E, R>(count: number, one: Effect.Effect<A, E, R>) =>
  Effect.all(Array.from({ length: count }, () => one))

export const zoneQuestionCases: Contract<LimitStore | Entropy.Entropy> = [
  {
    name: "ask: twenty in an hour, then refused until the instant at which the oldest falls out",
    run: Effect.gen(function* () {
      const whose = yield* spender
      yield* ask(whose)
      yield* TestClock.adjust("10 minutes")
      Check.equal(new Set(yield* times(19, ask(whose))), new Set(["asked"] as const), "at 10 min")
      Check.equal(yield* ask(whose), 50 * MINUTE, "the 21st")
      yield* TestClock.adjust(50 * MINUTE - 1)
      Check.equal(yield* ask(whose), 1, "a millisecond before")
      yield* TestClock.adjust(1)
      Check.equal(yield* ask(whose), "asked", "the oldest has fallen out")
      Check.equal(yield* ask(whose), 10 * MINUTE, "and that one alone")
    })
  },
  {
    name: "ask: what is refused costs nothing",
    run: Effect.gen(function* () {
      const whose = yield* spender
      yield* times(20, ask(whose))
      for (let call = 0; call < 5; call++) {
        yield* TestClock.adjust("10 minutes")
        yield* ask(whose)
      }
      yield* TestClock.adjust("10 minutes")
      Check.equal(new Set(yield* times(20, ask(whose))), new Set(["asked"] as const), "all twenty")
    })
  },
  {
    name: "ask: circles are kept for a day, and the same one again narrows nothing down",
    run: Effect.gen(function* () {
      const whose = yield* spender
      for (const circle of LARGE.slice(0, 3)) Check.equal(yield* ask(whose, circle), "asked", "one of three")
      yield* TestClock.adjust(2 * HOUR)
      Check.equal(yield* ask(whose, LARGE[3]), DAY - 2 * HOUR + 1, "the fourth")
      Check.equal(yield* ask(whose, LARGE[0]), "asked", "the first again")
      yield* TestClock.adjust(DAY - 2 * HOUR)
      Check.equal(yield* ask(whose, LARGE[3]), 1, "at the day's last instant")
      yield* TestClock.adjust(1)
      Check.equal(yield* ask(whose, LARGE[3]), "asked", "a day later")
    })
  },
  {
    name: "ask: another app and another person have nothing to do with it",
    run: Effect.gen(function* () {
      const [whose, other] = [yield* spender, yield* spender]
      yield* times(20, ask(whose))
      Check.equal(yield* ask({ ...whose, appId: other.appId }), "asked", "the person's other app")
      Check.equal(yield* ask({ ...whose, userId: other.userId }), "asked", "the app's other person")
    })
  },
  {
    name: "ask: of many at once exactly twenty [limits-8]",
    run: Effect.gen(function* () {
      const whose = yield* spender
      const all = yield* Effect.all(
        Array.from({ length: 30 }, () => ask(whose)),
        { concurrency: "unbounded" }
      )
      Check.equal(all.filter((one) => one === "asked").length, 20, "asked")
      Check.equal(all.filter((one) => one === HOUR).length, 10, "refused for an hour")
    })
  }
]
