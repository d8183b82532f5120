import { Effect, Either, Option, TestClock } from "effect"
import * as Delivery from "../../../src/deliveries/Delivery.js"
import { DeliveryStore } from "../../../src/deliveries/DeliveryStore.js"
import * as Replay from "../../../src/deliveries/Replay.js"
import type { WebhookEndpoint } from "../../../src/endpoints/WebhookEndpoint.js"
import { EndpointStore } from "../../../src/endpoints/EndpointStore.js"
import * as Entropy from "../../../src/shared/Entropy.js"
import { DeliveryId } from "../../../src/shared/Ids.js"
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
  type WebhookFixturePorts,
  of,
  withEndpoints
} from "./webhookFixtures.js"

const newId = Effect.map(Entropy.id("dlv"), (id) => DeliveryId.make(id))

const replay = (row: Pick<Delivery.Delivery, "appId" | "id">) =>
  Effect.gen(function* () {
    const id = yield* newId
    return yield* (yield* DeliveryStore).replay(row.appId, row.id, (state, now) => Replay.decide(state, id, now))
  })

const hurry = (row: Pick<Delivery.Delivery, "appId" | "id">) =>
  Effect.gen(function* () {
    const outcome = yield* (yield* DeliveryStore).hurry(row.appId, row.id, yield* Timestamp.now)
    return Option.getOrNull(outcome)
  })

/** Stores a delivery that was created `age` milliseconds ago and has failed. */
const failed = (
  to: WebhookEndpoint,
  age: number,
  reason: Delivery.FailReason = "exhausted",
  overrides: { readonly maxEventAgeS?: number } = {}
) =>
  Effect.gen(function* () {
    const now = yield* Timestamp.now
    const row = yield* insert(to, { createdAt: Timestamp.plus(now, -age), ...overrides })
    yield* finish(yield* claimOne(to), { _tag: "Failed", at: now, reason }, null)
    return row
  })

const recover = (
  to: WebhookEndpoint,
  since: Timestamp.Timestamp,
  count: number,
  overrides: { readonly before?: Timestamp.Timestamp; readonly dueFrom?: Timestamp.Timestamp } = {}
) =>
  Effect.gen(function* () {
    const now = yield* Timestamp.now
    const ids = yield* Effect.replicateEffect(newId, count)
    const { appId, id: endpointId } = to
    const span = { since, before: Timestamp.plus(now, 1) }
    return yield* (yield* DeliveryStore).recover({ appId, endpointId, ...span, ids, now, dueFrom: now, ...overrides })
  })

const log = (to: WebhookEndpoint) =>
  Effect.map(
    Effect.flatMap(DeliveryStore, (store) => store.list(to.appId, { endpointId: to.id }, 100, undefined)),
    ({ items }) => items
  )

const disable = ({ appId, id }: WebhookEndpoint) =>
  Effect.gen(function* () {
    const now = yield* Timestamp.now
    yield* (yield* EndpointStore).update(appId, id, (before) => ({
      ...before,
      disabledAt: now,
      epoch: before.epoch + 1
    }))
  })

/**
 * A delivery that still waits for an attempt, although its endpoint was disabled and enabled again after the delivery
 * was created. The next claim of due deliveries would end this delivery.
 */
const ofEarlierEpoch = (to: WebhookEndpoint) =>
  Effect.gen(function* () {
    const row = yield* insert(to)
    // Disabling an endpoint ends only waiting deliveries. This delivery is in flight, so it waits again after its lease
    // has ended.
    yield* claimOne(to)
    yield* disable(to)
    yield* (yield* EndpointStore).update(to.appId, to.id, (before) => ({ ...before, disabledAt: null }))
    yield* TestClock.adjust(Delivery.LEASE)
    return row
  })

/** What every `DeliveryStore` must guarantee about deliveries that a developer sends again by hand (Spec §4.7). */
export const replaying: Contract<WebhookFixturePorts> = [
  {
    name: "replay: a new row of the same event and endpoint, due at once; the original stays as it ended, marked replayed [§3.5-failed, deliveries-9]",
    run: withEndpoints((endpoint) =>
      Effect.gen(function* () {
        const original = yield* failed(endpoint, 5_000)
        const before = yield* found(original)
        const outcome = yield* replay(original)
        if (Option.isNone(outcome) || Either.isLeft(outcome.value)) return Check.fail("it is replayed")
        const row = outcome.value.right
        const now = yield* Timestamp.now
        Check.equal(
          yield* found(row),
          {
            delivery: { ...Delivery.begin(original), id: row.id, replayNo: 1, createdAt: now, dueAt: now },
            isReplayed: false,
            attempts: []
          },
          "the replay"
        )
        Check.equal(yield* found(original), { ...before, isReplayed: true }, "the original")
        Check.equal(
          (yield* log(endpoint)).map((one) => [one.delivery.id, one.isReplayed]),
          [
            [row.id, false],
            [original.id, true]
          ],
          "listed"
        )
        Check.equal((yield* claimOne(endpoint)).delivery.id, row.id, "claimed")
      })
    )
  },
  {
    name: "replay: refused while the row or a replay of it is tried, for a disabled endpoint; none of another app [deliveries-9]",
    run: withEndpoints((endpoint) =>
      withEndpoints((other) =>
        Effect.gen(function* () {
          const refused = (row: Delivery.NewDelivery, why: Replay.ReplayRefusal) =>
            Effect.map(replay(row), (outcome) => Check.equal(outcome, Option.some(Either.left(why)), why))
          const waiting = yield* insert(endpoint)
          yield* refused(waiting, "pending")
          yield* finish(
            yield* claimOne(endpoint),
            { _tag: "Failed", at: yield* Timestamp.now, reason: "exhausted" },
            null
          )
          Check.isTrue(Option.isNone(yield* replay({ ...waiting, appId: other.appId })), "another app's")
          yield* replay(waiting)
          yield* refused(waiting, "pending")
          yield* disable(endpoint)
          Check.equal(of(yield* claim(), endpoint), [], "what waits ends")
          yield* refused(waiting, "endpoint_disabled")
        })
      )
    )
  },
  {
    name: "replay: of several at once one is queued; the next after it ended is the second [§4.7-redeliver]",
    run: withEndpoints((endpoint) =>
      Effect.gen(function* () {
        const original = yield* failed(endpoint, 0)
        const outcomes = yield* Effect.all(
          Array.from({ length: 5 }, () => replay(original)),
          { concurrency: "unbounded" }
        )
        const queued = outcomes.filter((one) => Option.isSome(one) && Either.isRight(one.value))
        Check.equal(queued.length, 1, "queued")
        yield* finish(yield* claimOne(endpoint), { _tag: "Delivered", at: yield* Timestamp.now }, null)
        yield* replay(original)
        Check.equal((yield* claimOne(endpoint)).delivery.replayNo, 2, "the second")
      })
    )
  },
  {
    name: "replay: never counts against the endpoint, nor for it [§3.4-by-hand]",
    run: withEndpoints((endpoint) =>
      Effect.gen(function* () {
        const original = yield* failed(endpoint, 0)
        for (const how of ["exhausted", "delivered"] as const) {
          yield* replay(original)
          const at = yield* Timestamp.now
          const end =
            how === "delivered" ? ({ _tag: "Delivered", at } as const) : { _tag: "Failed" as const, at, reason: how }
          yield* finish(yield* claimOne(endpoint), end, null)
          Check.equal((yield* endpointNow(endpoint)).strikes, 1, `${how}: the original's alone`)
        }
      })
    )
  },
  {
    name: "hurry: the next attempt is due now, with its number; one under way, ended, or of another app is left alone [§4.7-retry-now]",
    run: withEndpoints((endpoint) =>
      Effect.gen(function* () {
        const now = yield* Timestamp.now
        const row = yield* insert(endpoint)
        const later = { _tag: "Retry", attempt: 2, dueAt: Timestamp.plus(now, Timestamp.HOUR) } as const
        yield* finish(yield* claimOne(endpoint), later, null)
        Check.equal(of(yield* claim(), endpoint), [], "not due")
        Check.equal(yield* hurry(row), "hurried", "asked for")
        const claimed = yield* claimOne(endpoint)
        Check.equal([claimed.delivery.attempt, claimed.delivery.dueAt], [2, now], "the same attempt, now")
        Check.equal(yield* hurry(row), "under_way", "under way")
        yield* finish(claimed, { _tag: "Delivered", at: now }, null)
        Check.equal(yield* hurry(row), "ended", "ended")
        Check.equal((yield* log(endpoint)).length, 1, "no second copy")
        yield* withEndpoints((stranger) =>
          Effect.map(hurry({ ...row, appId: stranger.appId }), (outcome) => Check.equal(outcome, null, "another app"))
        )
      })
    )
  },
  {
    name: "hurry: the attempt counts neither for nor against the endpoint; the automatic one after it does [§3.4-by-hand, deliveries-10]",
    run: withEndpoints((endpoint) =>
      Effect.gen(function* () {
        const now = yield* Timestamp.now
        const later = Timestamp.plus(now, Timestamp.HOUR)
        const retry = (attempt: number, dueAt: Timestamp.Timestamp) => ({ _tag: "Retry", attempt, dueAt }) as const
        const exhausted = { _tag: "Failed", at: now, reason: "exhausted" } as const
        const strikes = Effect.map(endpointNow(endpoint), (one) => one.strikes)
        const hurried = Effect.gen(function* () {
          const row = yield* insert(endpoint)
          yield* finish(yield* claimOne(endpoint), retry(2, later), null)
          yield* hurry(row)
          return yield* claimOne(endpoint)
        })
        yield* finish(yield* hurried, exhausted, null)
        Check.equal(yield* strikes, 0, "against")
        // `Postponed` means that the service itself could not make the attempt. The service repeats the attempt with
        // the same number, and the repetition also counts as an attempt that the developer brought forward.
        yield* finish(yield* hurried, { _tag: "Postponed", dueAt: now, faultsSince: now }, null)
        yield* finish(yield* claimOne(endpoint), exhausted, null)
        Check.equal(yield* strikes, 0, "against, after a fault of ours")
        yield* finish(yield* hurried, retry(3, now), null)
        yield* finish(yield* claimOne(endpoint), exhausted, null)
        Check.equal(yield* strikes, 1, "the automatic one after it")
        yield* finish(yield* hurried, { _tag: "Delivered", at: now }, null)
        Check.equal(yield* strikes, 1, "for")
        const due = yield* insert(endpoint)
        Check.equal(yield* hurry(due), "hurried", "one that is due already")
        yield* finish(yield* claimOne(endpoint), { _tag: "Delivered", at: now }, null)
        Check.equal(yield* strikes, 0, "is automatic")
      })
    )
  },
  {
    name: "hurry, replay: a row from before its endpoint was disabled is not attempted any more: it ends, and can be replayed [deliveries-8]",
    run: withEndpoints((endpoint, other) =>
      Effect.gen(function* () {
        const hurried = yield* ofEarlierEpoch(endpoint)
        Check.equal(yield* hurry(hurried), "ended", "hurried")
        const replayed = yield* ofEarlierEpoch(other)
        const outcome = yield* replay(replayed)
        Check.isTrue(Option.isSome(outcome) && Either.isRight(outcome.value), "replayed")
        for (const row of [hurried, replayed]) {
          const { failReason, state } = (yield* found(row)).delivery
          Check.equal([state, failReason], ["failed", "endpoint_disabled"], "how the row ended")
        }
        Check.equal((yield* claimOne(other)).delivery.replayNo, 1, "the replay is attempted")
      })
    )
  },
  {
    name: "recover: what was created in the span, failed and was not replayed, the oldest first, in the order that it is due [deliveries-11]",
    run: withEndpoints((endpoint, other) =>
      Effect.gen(function* () {
        const now = yield* Timestamp.now
        yield* failed(endpoint, 9_001)
        const rows = [yield* failed(endpoint, 9_000), yield* failed(endpoint, 7_000, "endpoint_disabled")]
        const done = yield* failed(endpoint, 6_000)
        yield* replay(done)
        yield* finish(yield* claimOne(endpoint), { _tag: "Delivered", at: now }, null)
        // Both events are 60 s old. The rule of the first event allows at most 59 s, so this event is too old to be
        // sent again. The rule of the second event allows 60 s.
        yield* failed(endpoint, 5_000, "not_sent", { maxEventAgeS: 59 })
        rows.push(yield* failed(endpoint, 4_000, "not_sent", { maxEventAgeS: 60 }))
        yield* failed(other, 3_000)
        yield* failed(endpoint, 2_000)
        const since = Timestamp.plus(now, -9_000)
        const before = Timestamp.plus(now, -2_000)
        Check.equal(yield* recover(endpoint, since, 2, { before }), 2, "as many as there are ids")
        Check.equal(yield* recover(endpoint, since, 9, { before, dueFrom: Timestamp.plus(now, 2) }), 1, "the rest")
        Check.equal(yield* recover(endpoint, since, 9, { before }), 0, "nothing is left")
        const queued = (yield* log(endpoint))
          .filter(({ delivery }) => delivery.state === "trying")
          .map(({ delivery }) => delivery)
          .sort((a, b) => (a.dueAt ?? 0) - (b.dueAt ?? 0))
        Check.equal(
          queued.map(({ dueAt, envelope, originalAt, replayNo }) => [envelope.eventId, dueAt, originalAt, replayNo]),
          rows.map((row, index) => [row.envelope.eventId, Timestamp.plus(now, index), row.createdAt, 1]),
          "in order"
        )
        yield* disable(endpoint)
        Check.equal(yield* recover(endpoint, since, 9), 0, "a disabled endpoint")
      })
    )
  },
  {
    name: "recover: what still waits from before its endpoint was disabled ends, and is replayed too [deliveries-8, deliveries-11]",
    run: withEndpoints((endpoint) =>
      Effect.gen(function* () {
        const since = Timestamp.plus(yield* Timestamp.now, -60_000)
        const old = yield* ofEarlierEpoch(endpoint)
        const current = yield* insert({ ...endpoint, epoch: endpoint.epoch + 1 })
        Check.equal(yield* recover(endpoint, since, 9), 1, "the old one")
        const { failReason, state } = (yield* found(old)).delivery
        Check.equal([state, failReason], ["failed", "endpoint_disabled"], "how the row ended")
        Check.equal((yield* found(current)).delivery.state, "trying", "the other one waits")
        const replays = (yield* log(endpoint)).filter(({ delivery }) => delivery.replayNo > 0)
        Check.equal(
          replays.map(({ delivery }) => delivery.envelope.eventId),
          [old.envelope.eventId],
          "the replay"
        )
      })
    )
  },
  {
    name: "recover: what the user did not allow is left out; it can be replayed by itself [deliveries-11]",
    run: withEndpoints((endpoint) =>
      Effect.gen(function* () {
        const since = Timestamp.plus(yield* Timestamp.now, -9_000)
        const withheld = yield* failed(endpoint, 5_000, "not_authorised")
        yield* failed(endpoint, 4_000)
        Check.equal(yield* recover(endpoint, since, 9), 1, "the other one")
        const at = yield* Timestamp.now
        yield* finish(yield* claimOne(endpoint), { _tag: "Failed", at, reason: "not_authorised" }, null)
        Check.equal(yield* recover(endpoint, since, 9), 0, "a replay that the user did not allow")
        const outcome = yield* replay(withheld)
        Check.isTrue(Option.isSome(outcome) && Either.isRight(outcome.value), "replayed")
      })
    )
  },
  {
    name: "recover: an event that failed as address_changed is replayed once; then it can be replayed by itself [deliveries-11]",
    run: withEndpoints((endpoint) =>
      Effect.gen(function* () {
        const since = Timestamp.plus(yield* Timestamp.now, -9_000)
        yield* failed(endpoint, 5_000, "address_changed")
        Check.equal(yield* recover(endpoint, since, 9), 1, "the first delivery")
        const again = yield* claimOne(endpoint)
        const at = yield* Timestamp.now
        yield* finish(again, { _tag: "Failed", at, reason: "address_changed" }, null)
        Check.equal(yield* recover(endpoint, since, 9), 0, "a replay that failed in this way")
        const outcome = yield* replay(again.delivery)
        Check.isTrue(Option.isSome(outcome) && Either.isRight(outcome.value), "replayed")
        yield* finish(yield* claimOne(endpoint), { _tag: "Failed", at, reason: "not_sent" }, null)
        Check.equal(yield* recover(endpoint, since, 9), 1, "a replay that failed in another way")
      })
    )
  }
]
