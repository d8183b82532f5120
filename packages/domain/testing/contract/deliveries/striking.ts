import { Effect, TestClock } from "effect"
import type { DeliveryFinish } from "../../../src/deliveries/Delivery.js"
import type { ClaimedDelivery } from "../../../src/deliveries/DeliveryStore.js"
import { EndpointStore } from "../../../src/endpoints/EndpointStore.js"
import * as WebhookEndpoint from "../../../src/endpoints/WebhookEndpoint.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import {
  claim,
  claimOne,
  endpointNow,
  finish,
  found,
  insert,
  insertMany,
  type WebhookFixturePorts,
  of,
  withEndpoints
} from "./webhookFixtures.js"

const exhaust = (claimed: ClaimedDelivery) =>
  Effect.flatMap(Timestamp.now, (at) => finish(claimed, { _tag: "Failed", at, reason: "exhausted" }, null))

const deliver = (claimed: ClaimedDelivery) =>
  Effect.flatMap(Timestamp.now, (at) => finish(claimed, { _tag: "Delivered", at }, null))

/**
 * Stores `count` deliveries to the endpoint, and ends them one after the other as deliveries that failed at every
 * attempt.
 */
const strike = (endpoint: WebhookEndpoint.WebhookEndpoint, count: number) =>
  Effect.gen(function* () {
    yield* insertMany(endpoint, count)
    yield* Effect.forEach(of(yield* claim(), endpoint), exhaust, { discard: true })
  })

const { MAX_STRIKES } = WebhookEndpoint

/**
 * What every `DeliveryStore` must guarantee about strikes: when exhausted deliveries disable an endpoint (Spec §3.4,
 * decision W4).
 */
export const striking: Contract<WebhookFixturePorts> = [
  {
    name: "strikes: one for each event that used up its attempts; a success forgets them [§3.4-success]",
    run: withEndpoints((endpoint, other) =>
      Effect.gen(function* () {
        yield* strike(endpoint, MAX_STRIKES - 1)
        Check.equal(yield* endpointNow(endpoint), { ...endpoint, strikes: MAX_STRIKES - 1 }, "one short")
        yield* insert(endpoint)
        yield* deliver(yield* claimOne(endpoint))
        Check.equal(yield* endpointNow(endpoint), endpoint, "forgotten")
        yield* strike(endpoint, MAX_STRIKES - 1)
        Check.equal((yield* endpointNow(endpoint)).disabledAt, null, "and counted from the start")
        Check.equal(yield* endpointNow(other), other, "the app's other endpoint has its own")
      })
    )
  },
  {
    name: `strikes: the ${MAX_STRIKES}th disables the endpoint and fails what waits there, at the next epoch`,
    run: withEndpoints((endpoint, other) =>
      Effect.gen(function* () {
        yield* strike(endpoint, MAX_STRIKES - 1)
        yield* insert(endpoint)
        const last = yield* claimOne(endpoint)
        const now = yield* Timestamp.now
        const waiting = [
          yield* insert(endpoint),
          yield* insert(endpoint, { createdAt: Timestamp.plus(now, Timestamp.HOUR) })
        ]
        const elsewhere = yield* insert(other)
        yield* TestClock.adjust(1_000)
        yield* exhaust(last)
        const disabledAt = yield* Timestamp.now
        const expected = { ...endpoint, strikes: MAX_STRIKES, disabledAt, epoch: 1 }
        Check.equal(yield* endpointNow(endpoint), expected, "disabled")
        for (const row of waiting) {
          const { delivery, attempts } = yield* found(row)
          Check.equal(
            [delivery.state, delivery.failReason, delivery.dueAt, delivery.endedAt, attempts],
            ["failed", "endpoint_disabled", null, disabledAt, []],
            "what waited"
          )
        }
        Check.equal(
          of(yield* claim(), endpoint, other).map(({ delivery }) => delivery.id),
          [elsewhere.id],
          "to claim"
        )
        yield* (yield* EndpointStore).update(endpoint.appId, endpoint.id, WebhookEndpoint.enable)
        Check.equal(of(yield* claim(), endpoint), [], "nothing comes back when it is enabled")
        Check.equal((yield* endpointNow(endpoint)).strikes, 0, "with no strikes")
      })
    )
  },
  {
    name: "strikes: a row under way when the endpoint is disabled ends by its own answer and does not count [§3.4-disabled]",
    run: withEndpoints((endpoint) =>
      Effect.gen(function* () {
        yield* strike(endpoint, MAX_STRIKES - 1)
        yield* insertMany(endpoint, 3)
        const [last, arrives, fails] = of(yield* claim(), endpoint)
        if (last === undefined || arrives === undefined || fails === undefined) return Check.fail("three are claimed")
        yield* exhaust(last)
        yield* (yield* EndpointStore).update(endpoint.appId, endpoint.id, WebhookEndpoint.enable)
        Check.isTrue(yield* exhaust(fails), "its end is written")
        Check.equal((yield* endpointNow(endpoint)).strikes, 0, "but it belongs to an earlier epoch")
        yield* strike(yield* endpointNow(endpoint), 1)
        Check.isTrue(yield* deliver(arrives), "so is an arrival")
        Check.equal((yield* endpointNow(endpoint)).strikes, 1, "which forgives nothing of this epoch")
        Check.equal((yield* found(arrives.delivery)).delivery.state, "delivered", "it arrived")
      })
    )
  },
  {
    name: "strikes: replays and tests count neither for nor against [§3.4-by-hand]",
    run: withEndpoints((endpoint) =>
      Effect.gen(function* () {
        yield* strike(endpoint, 3)
        yield* insert(endpoint, { replayNo: 1 })
        yield* exhaust(yield* claimOne(endpoint))
        Check.equal((yield* endpointNow(endpoint)).strikes, 3, "not against")
        yield* insert(endpoint, { replayNo: 2 })
        yield* deliver(yield* claimOne(endpoint))
        Check.equal((yield* endpointNow(endpoint)).strikes, 3, "not for")
        yield* insert(endpoint, { isTest: true })
        yield* exhaust(yield* claimOne(endpoint))
        Check.equal((yield* endpointNow(endpoint)).strikes, 3, "a test not against")
        yield* insert(endpoint, { isTest: true })
        yield* deliver(yield* claimOne(endpoint))
        Check.equal((yield* endpointNow(endpoint)).strikes, 3, "a test not for")
      })
    )
  },
  {
    name: "strikes: what ends in any other way does not count [W3-authorised]",
    run: withEndpoints((endpoint) =>
      Effect.gen(function* () {
        yield* strike(endpoint, 3)
        const at = yield* Timestamp.now
        const others: ReadonlyArray<DeliveryFinish> = [
          { _tag: "Failed", at, reason: "not_authorised" },
          { _tag: "Failed", at, reason: "endpoint_disabled" },
          { _tag: "TooOld", at },
          { _tag: "Retry", attempt: 2, dueAt: Timestamp.plus(at, Timestamp.HOUR) },
          { _tag: "Postponed", dueAt: Timestamp.plus(at, Timestamp.HOUR), faultsSince: at }
        ]
        for (const how of others) {
          yield* insert(endpoint)
          yield* finish(yield* claimOne(endpoint), how, null)
        }
        Check.equal((yield* endpointNow(endpoint)).strikes, 3, "as before")
      })
    )
  },
  {
    name: "strikes: of many at once none is lost and none counted twice",
    run: withEndpoints((endpoint) =>
      Effect.gen(function* () {
        yield* insertMany(endpoint, 15)
        const claims = of(yield* claim(), endpoint)
        const thrice = claims.flatMap((one) => [one, one, one])
        const written = yield* Effect.forEach(thrice, exhaust, { concurrency: "unbounded" })
        Check.equal(written.filter(Boolean).length, 15, "each is written once")
        Check.equal((yield* endpointNow(endpoint)).strikes, 15, "strikes")
      })
    )
  },
  {
    name: "strikes: however many pass the limit at once, the endpoint is disabled once",
    run: withEndpoints((endpoint) =>
      Effect.gen(function* () {
        yield* insertMany(endpoint, MAX_STRIKES + 5)
        const claims = of(yield* claim(), endpoint)
        yield* Effect.forEach(claims, exhaust, { concurrency: "unbounded" })
        const { epoch, strikes, disabledAt } = yield* endpointNow(endpoint)
        Check.equal([epoch, strikes, disabledAt], [1, MAX_STRIKES, yield* Timestamp.now], "epoch, strikes, since when")
      })
    )
  }
]
