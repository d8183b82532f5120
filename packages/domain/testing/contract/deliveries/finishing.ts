import { Effect, TestClock } from "effect"
import * as Delivery from "../../../src/deliveries/Delivery.js"
import { EndpointStore } from "../../../src/endpoints/EndpointStore.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import {
  claim,
  claimOne,
  endpointNow,
  finish,
  first,
  found,
  insert,
  type WebhookFixturePorts,
  of,
  withEndpoints
} from "./webhookFixtures.js"

const answered = (
  attempt: number,
  at: Timestamp.Timestamp,
  overrides: Partial<Delivery.Attempt> = {}
): Delivery.Attempt => ({
  attempt,
  startedAt: at,
  endedAt: Timestamp.plus(at, 123),
  status: 500,
  error: "answered 500",
  snippet: 'no "good" \\ 🦉',
  exchange: {
    url: "https://hooks.example.com/a?b={c}",
    request: [["x-api-key", "(hidden)"]],
    response: [["server", 'say "no" \\ {1,2} NULL']]
  },
  ...overrides
})

const ends: ReadonlyArray<readonly [string, (now: Timestamp.Timestamp) => Delivery.DeliveryFinish]> = [
  ["delivered", (at) => ({ _tag: "Delivered", at })],
  ["exhausted", (at) => ({ _tag: "Failed", at, reason: "exhausted" })],
  ["not authorised", (at) => ({ _tag: "Failed", at, reason: "not_authorised" })],
  ["too old", (at) => ({ _tag: "TooOld", at })],
  ["tried again later", (at) => ({ _tag: "Retry", attempt: 2, dueAt: Timestamp.plus(at, 30_000) })],
  ["postponed", (at) => ({ _tag: "Postponed", dueAt: Timestamp.plus(at, 5_000), faultsSince: Timestamp.plus(at, -7) })]
]

const moves: Contract<WebhookFixturePorts> = ends.map(([what, end]) => ({
  name: `finish: ${what} moves the row as \`Delivery.move\` says, and logs the attempt`,
  run: withEndpoints((endpoint) =>
    Effect.gen(function* () {
      yield* insert(endpoint)
      const claimed = yield* claimOne(endpoint)
      yield* TestClock.adjust(1_500)
      const now = yield* Timestamp.now
      const how = end(now)
      const attempt = how._tag === "Postponed" ? null : answered(1, Timestamp.plus(now, -200))
      Check.isTrue(yield* finish(claimed, how, attempt), "written")
      const attempts = attempt === null ? [] : [attempt]
      const expected = { delivery: Delivery.move(claimed.delivery, how), isReplayed: false, attempts }
      Check.equal(yield* found(claimed.delivery), expected, "stored")
      const { dueAt } = expected.delivery
      Check.equal(of(yield* claim(), endpoint), [], "not to be claimed now")
      if (dueAt === null) return
      yield* TestClock.adjust(dueAt - now)
      Check.equal((yield* claimOne(endpoint)).delivery, expected.delivery, "to be claimed when due")
    })
  )
}))

export const finishing: Contract<WebhookFixturePorts> = [
  ...moves,
  {
    name: "finish: a row has the time of the first fault of our own until its next attempt; a claim keeps that time [W3-faults]",
    run: withEndpoints((endpoint) =>
      Effect.gen(function* () {
        const now = yield* Timestamp.now
        const row = yield* insert(endpoint)
        const faultsSince = Timestamp.plus(now, -7)
        yield* finish(yield* claimOne(endpoint), { _tag: "Postponed", dueAt: now, faultsSince }, null)
        const claimed = yield* claimOne(endpoint)
        Check.equal(claimed.delivery.faultsSince, faultsSince, "claimed")
        const retry = { _tag: "Retry", attempt: 2, dueAt: Timestamp.plus(now, 30_000) } as const
        yield* finish(claimed, retry, answered(1, now))
        Check.equal((yield* found(row)).delivery, Delivery.move(claimed.delivery, retry), "after an answer")
      })
    )
  },
  {
    name: "finish: the log keeps every attempt, in order [§6.4.6-stored]",
    run: withEndpoints((endpoint) =>
      Effect.gen(function* () {
        yield* insert(endpoint)
        const attempts: Array<Delivery.Attempt> = []
        for (let attempt = 1; attempt <= 12; attempt++) {
          const claimed = yield* claimOne(endpoint)
          const now = yield* Timestamp.now
          const row = answered(attempt, now, { status: null, error: "refused", snippet: null })
          attempts.push(row)
          yield* finish(claimed, { _tag: "Retry", attempt: attempt + 1, dueAt: Timestamp.plus(now, 10) }, row)
          yield* TestClock.adjust(10)
        }
        const { delivery } = yield* claimOne(endpoint)
        Check.equal((yield* found(delivery)).attempts, attempts, "attempts")
      })
    )
  },
  {
    name: "finish: without the lease nothing is written",
    run: withEndpoints((endpoint) =>
      Effect.gen(function* () {
        yield* insert(endpoint)
        const claimed = yield* claimOne(endpoint)
        const before = yield* found(claimed.delivery)
        const now = yield* Timestamp.now
        const stranger = { ...claimed, lease: "lse_of_somebody_else" }
        for (const [what, end] of ends) {
          Check.isTrue(!(yield* finish(stranger, end(now), answered(1, now))), `${what} is refused`)
        }
        Check.equal(yield* found(claimed.delivery), before, "row and log stay")
        Check.equal(yield* endpointNow(endpoint), endpoint, "so does the endpoint")
      })
    )
  },
  {
    name: "finish: late, after the lease was taken over, writes nothing; who took over does [W2-lease, deliveries-3]",
    run: withEndpoints((endpoint) =>
      Effect.gen(function* () {
        yield* insert(endpoint)
        const slow = yield* claimOne(endpoint)
        yield* TestClock.adjust(Delivery.LEASE)
        const quick = yield* claimOne(endpoint)
        const now = yield* Timestamp.now
        const failed = { _tag: "Failed", at: now, reason: "exhausted" } as const
        Check.isTrue(!(yield* finish(slow, failed, answered(1, now))), "the late one is refused")
        Check.equal((yield* endpointNow(endpoint)).strikes, 0, "and does not count")
        Check.isTrue(yield* finish(quick, { _tag: "Delivered", at: now }, null), "the new holder's is written")
        Check.isTrue(!(yield* finish(slow, failed, answered(1, now))), "the late one is refused again")
        const { delivery, attempts } = yield* found(quick.delivery)
        Check.equal([delivery.state, attempts], ["delivered", []], "delivered, with nothing of the late one in the log")
      })
    )
  },
  {
    name: "finish: late but not overtaken is written",
    run: withEndpoints((endpoint) =>
      Effect.gen(function* () {
        yield* insert(endpoint)
        const claimed = yield* claimOne(endpoint)
        yield* TestClock.adjust(2 * Delivery.LEASE)
        Check.isTrue(yield* finish(claimed, { _tag: "Delivered", at: yield* Timestamp.now }, null), "written")
        Check.equal((yield* found(claimed.delivery)).delivery.state, "delivered", "stored")
      })
    )
  },
  {
    name: "finish: once",
    run: withEndpoints((endpoint) =>
      Effect.gen(function* () {
        yield* insert(endpoint)
        const claimed = yield* claimOne(endpoint)
        const now = yield* Timestamp.now
        const once = yield* Effect.all(
          Array.from({ length: 6 }, (_, index) =>
            finish(claimed, { _tag: "Failed", at: now, reason: "exhausted" }, answered(1, Timestamp.plus(now, index)))
          ),
          { concurrency: "unbounded" }
        )
        Check.equal(once.filter(Boolean).length, 1, "of six at once")
        Check.equal((yield* found(claimed.delivery)).attempts.length, 1, "one attempt logged")
        Check.equal((yield* endpointNow(endpoint)).strikes, 1, "counted once")
      })
    )
  },
  {
    name: "finish: only within the app that the row belongs to",
    run: withEndpoints((endpoint, other) =>
      Effect.gen(function* () {
        yield* insert(endpoint)
        const claimed = yield* claimOne(endpoint)
        const strange = {
          ...claimed,
          delivery: { ...claimed.delivery, appId: `${other.appId}x` as typeof other.appId }
        }
        Check.isTrue(!(yield* finish(strange, { _tag: "Delivered", at: yield* Timestamp.now }, null)), "refused")
      })
    )
  },
  {
    name: "finish: a retry of a row whose endpoint was disabled meanwhile ends it; an arrival is an arrival [§3.5-disabled]",
    run: withEndpoints((endpoint) =>
      Effect.gen(function* () {
        const rows = [yield* insert(endpoint), yield* insert(endpoint), yield* insert(endpoint)]
        const claims = of(yield* claim(), endpoint)
        const held = (index: number) => first(claims.filter(({ delivery }) => delivery.id === rows[index]?.id))
        yield* (yield* EndpointStore).update(endpoint.appId, endpoint.id, (before, at) => ({
          ...before,
          disabledAt: at,
          epoch: before.epoch + 1
        }))
        const now = yield* Timestamp.now
        yield* finish(held(0), { _tag: "Retry", attempt: 2, dueAt: Timestamp.plus(now, 30_000) }, answered(1, now))
        yield* finish(held(1), { _tag: "Postponed", dueAt: Timestamp.plus(now, 5_000), faultsSince: now }, null)
        yield* finish(held(2), { _tag: "Delivered", at: now }, answered(1, now, { status: 200, error: null }))
        const ended = yield* Effect.forEach(rows, (row) => Effect.map(found(row), ({ delivery }) => delivery))
        const failed = ["failed", "endpoint_disabled", null, 1]
        Check.equal(
          ended.map(({ state, failReason, dueAt, attempt }) => [state, failReason, dueAt, attempt]),
          [failed, failed, ["delivered", null, null, 1]],
          "how they ended"
        )
        Check.equal((yield* found(first(rows))).attempts.length, 1, "the attempt is in the log")
      })
    )
  }
]
