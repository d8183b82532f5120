import { Effect, Logger, LogLevel, Option, TestClock } from "effect"
import * as Delivery from "../../../src/deliveries/Delivery.js"
import { type ClaimedDelivery, DeliveryStore } from "../../../src/deliveries/DeliveryStore.js"
import { EndpointStore } from "../../../src/endpoints/EndpointStore.js"
import { EndpointUrl } from "../../../src/endpoints/EndpointUrl.js"
import * as WebhookEndpoint from "../../../src/endpoints/WebhookEndpoint.js"
import * as Entropy from "../../../src/shared/Entropy.js"
import { DeliveryId } from "../../../src/shared/Ids.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import {
  claim,
  claimOne,
  draft,
  draftEndpoint,
  endpointNow,
  finish,
  first,
  found,
  insert,
  insertMany,
  type WebhookFixturePorts,
  of,
  withEndpoints
} from "./webhookFixtures.js"

const disable = (endpoint: WebhookEndpoint.WebhookEndpoint, now: Timestamp.Timestamp) => ({
  ...endpoint,
  disabledAt: now,
  epoch: endpoint.epoch + 1
})

export const claiming: Contract<WebhookFixturePorts> = [
  {
    name: "insert: a row is trying, its first attempt due when it was made",
    run: withEndpoints((endpoint) =>
      Effect.gen(function* () {
        const row = yield* insert(endpoint, { maxEventAgeS: 30 })
        Check.equal(yield* found(row), { delivery: Delivery.begin(row), isReplayed: false, attempts: [] }, "stored")
      })
    )
  },
  {
    name: "insert: idempotent by (event, endpoint, replay), also at the same time",
    run: withEndpoints((one, two) =>
      Effect.gen(function* () {
        const store = yield* DeliveryStore
        const original = yield* insert(one)
        const rival = Effect.map(Entropy.id("dlv"), (id) => ({
          ...original,
          id: DeliveryId.make(id),
          maxEventAgeS: 99
        }))
        const rivals = yield* Effect.all(Array.from({ length: 6 }, () => rival))
        yield* Effect.forEach(rivals, (row) => store.insert([row]), { concurrency: "unbounded" })
        const other = { ...(yield* rival), endpointId: two.id }
        const replay = { ...(yield* rival), replayNo: 1 }
        yield* store.insert([yield* rival, other, replay, original])
        const { items } = yield* store.list(one.appId, {}, 50, undefined)
        const ids = items.map(({ delivery }) => delivery.id).sort()
        Check.equal(ids, [original.id, other.id, replay.id].sort(), "the first, the other endpoint's and the replay")
        Check.equal((yield* found(original)).delivery, Delivery.begin(original), "the first stays as it was")
      })
    )
  },
  {
    name: "insert: nothing at all is fine",
    run: Effect.flatMap(DeliveryStore, (store) => store.insert([]))
  },
  {
    name: "insert: for an endpoint disabled in the meantime it ends as failed at once [§3.4-disabled]",
    run: withEndpoints((endpoint) =>
      Effect.gen(function* () {
        yield* (yield* EndpointStore).update(endpoint.appId, endpoint.id, disable)
        const row = yield* insert(endpoint)
        const { delivery } = yield* found(row)
        Check.equal(
          [delivery.state, delivery.failReason, delivery.dueAt, delivery.endedAt],
          ["failed", "endpoint_disabled", null, row.createdAt],
          "ended"
        )
        Check.equal(of(yield* claim(), endpoint), [], "and is not claimed")
      })
    )
  },
  {
    name: "insert: for an endpoint that is gone nothing is stored",
    run: withEndpoints((endpoint) =>
      Effect.gen(function* () {
        const store = yield* DeliveryStore
        const row = yield* draft(yield* draftEndpoint(endpoint.appId))
        yield* store.insert([row])
        Check.isTrue(Option.isNone(yield* store.find(row.appId, row.id)), "not stored")
      })
    )
  },
  {
    name: "claim: brings the row with the address and the secrets of now [deliveries-2]",
    run: withEndpoints((endpoint) =>
      Effect.gen(function* () {
        const row = yield* insert(endpoint)
        const url = EndpointUrl.make("https://moved.example.com/")
        yield* (yield* EndpointStore).update(endpoint.appId, endpoint.id, (before) => ({ ...before, url }))
        const claimed = yield* claimOne(endpoint)
        Check.equal(claimed.delivery, Delivery.begin(row), "the row")
        Check.equal([claimed.url, claimed.secrets], [url, endpoint.secrets], "address and secrets")
      })
    )
  },
  {
    name: "claim: a row from the moment that it is due, not a millisecond before",
    run: withEndpoints((endpoint) =>
      Effect.gen(function* () {
        const now = yield* Timestamp.now
        yield* insert(endpoint, { createdAt: Timestamp.plus(now, 1) })
        Check.equal(of(yield* claim(), endpoint), [], "before")
        yield* TestClock.adjust(1)
        yield* claimOne(endpoint)
      })
    )
  },
  {
    name: "claim: a held row again when its lease has run out, the same attempt, to one of many [W2-lease, deliveries-3]",
    run: withEndpoints((endpoint) =>
      Effect.gen(function* () {
        yield* insert(endpoint)
        const before = yield* claimOne(endpoint)
        yield* TestClock.adjust(Delivery.LEASE - 1)
        Check.equal(of(yield* claim(), endpoint), [], "a millisecond before the end of the lease")
        yield* TestClock.adjust(1)
        const rivals = yield* Effect.all(
          Array.from({ length: 6 }, () => claim()),
          { concurrency: "unbounded" }
        )
        const after = rivals.flatMap((claims) => of(claims, endpoint))
        Check.equal(after.length, 1, "at its end, once")
        Check.equal(first(after).delivery, before.delivery, "as it was, the same attempt")
        Check.isTrue(first(after).lease !== before.lease, "under another lease")
      })
    )
  },
  {
    name: "claim: a row on which lease after lease runs out is taken up ever later, and then abandoned, which does not count [W3-faults, deliveries-4]",
    run: withEndpoints((endpoint) =>
      Effect.gen(function* () {
        const row = yield* insert(endpoint)
        const second = [0, 0, 30, 300, 1_800, 7_200, 21_600, 54_000, 0].map((wait) => wait * Timestamp.SECOND)
        for (const wait of second) {
          Check.equal((yield* claimOne(endpoint)).delivery.attempt, 1, "the same attempt")
          yield* TestClock.adjust(Delivery.LEASE + wait - 1)
          Check.equal(of(yield* claim(), endpoint), [], `a millisecond before ${wait} ms after the lease`)
          yield* TestClock.adjust(1)
        }
        // A store may log that it abandons the row. The case hides this log line, because it would disturb the output
        // of the tests.
        const quietly = Logger.withMinimumLogLevel(LogLevel.None)
        Check.equal(of(yield* quietly(claim()), endpoint), [], "not for the tenth time")
        const { attempts, delivery } = yield* found(row)
        Check.equal(
          [delivery.state, delivery.failReason, delivery.dueAt, delivery.endedAt, attempts],
          ["failed", "abandoned", null, yield* Timestamp.now, []],
          "given up"
        )
        Check.equal(yield* endpointNow(endpoint), endpoint, "the endpoint has nothing to do with it")
      })
    )
  },
  {
    name: "claim: a lease that did not run out begins the count of those that did anew [deliveries-4]",
    run: withEndpoints((endpoint) =>
      Effect.gen(function* () {
        yield* insert(endpoint)
        for (let attempt = 1; attempt <= 5; attempt++) {
          for (let lapse = 0; lapse < 2; lapse++) {
            yield* claimOne(endpoint)
            yield* TestClock.adjust(Delivery.LEASE)
          }
          const claimed = yield* claimOne(endpoint)
          const dueAt = yield* Timestamp.now
          const how: Delivery.DeliveryFinish =
            attempt % 2 === 0
              ? { _tag: "Postponed", dueAt, faultsSince: dueAt }
              : { _tag: "Retry", attempt: attempt + 1, dueAt }
          Check.isTrue(yield* finish(claimed, how, null), "written")
        }
      })
    )
  },
  {
    name: "claim: never more than the limit; the oldest due first within an endpoint",
    run: withEndpoints((endpoint) =>
      Effect.gen(function* () {
        const rows = yield* insertMany(endpoint, 7)
        const claims = of(yield* claim(3), endpoint)
        const oldest = rows.slice(0, 3).map(({ id }) => id)
        const ids = claims.map(({ delivery }) => delivery.id)
        Check.equal(ids, oldest, "the three oldest")
      })
    )
  },
  {
    name: "claim: in the order of due time, then of id, in every database's locale; the limits take the first in this order [deliveries-16]",
    run: withEndpoints((one, two) =>
      Effect.gen(function* () {
        const now = yield* Timestamp.now
        const stem = `${yield* Entropy.id("dlv")}_`
        const add = (to: WebhookEndpoint.WebhookEndpoint, ending: string, createdAt = now) =>
          insert(to, { id: DeliveryId.make(stem + ending), createdAt })
        const endings = (all: ReadonlyArray<ClaimedDelivery>) =>
          of(all, one, two).map(({ delivery }) => delivery.id.slice(stem.length))
        yield* add(one, "z", Timestamp.plus(now, -1))
        for (const ending of ["b", "B", "ab", "a-b", "a"]) yield* add(one, ending)
        for (const ending of ["Z", "aa"]) yield* add(two, ending)
        Check.equal(endings(yield* claim(1_000, 4)), ["z", "B", "Z", "a", "a-b", "aa"], "four of each endpoint")
        Check.equal([endings(yield* claim(1)), endings(yield* claim())], [["ab"], ["b"]], "the next, and the last")
      })
    )
  },
  {
    name: "claim: no more of one endpoint under way than allowed, other claims included",
    run: withEndpoints((busy, calm) =>
      Effect.gen(function* () {
        yield* insertMany(busy, 9)
        yield* insertMany(calm, 2)
        const claims = of(yield* claim(1_000, 4), busy, calm)
        Check.equal([of(claims, busy).length, of(claims, calm).length], [4, 2], "first claim")
        Check.equal(of(yield* claim(1_000, 4), busy, calm), [], "nothing more while they are under way")
        Check.equal(of(yield* claim(1_000, 5), busy).length, 1, "one more where five are allowed")
        yield* finish(first(of(claims, busy)), { _tag: "Delivered", at: yield* Timestamp.now }, null)
        Check.equal(of(yield* claim(1_000, 5), busy).length, 1, "one more when one has ended")
        yield* TestClock.adjust(Delivery.LEASE)
        Check.equal(of(yield* claim(1_000, 4), busy).length, 4, "leases that ran out do not count")
      })
    )
  },
  {
    name: "claim: an endpoint with a long backlog does not hold up the others",
    run: withEndpoints((hog, ...others) =>
      Effect.gen(function* () {
        yield* insertMany(hog, 300)
        for (const other of others) yield* insert(other)
        const claims = of(yield* claim(8, 1_000), hog, ...others)
        Check.equal(of(claims, ...others).length, 2, "each of the others has its row")
        Check.equal(of(claims, hog).length, 6, "the rest is the backlog's")
        for (const other of others) yield* insert(other)
        const next = of(yield* claim(2, 1_000), hog, ...others)
        Check.equal(of(next, ...others).length, 2, "who has fewer under way comes first")
      })
    )
  },
  {
    name: "claim: of endpoints that fail no more than allowed, and at most half while the others have enough",
    run: withEndpoints((failing, other) =>
      Effect.gen(function* () {
        yield* insertMany(failing, 30)
        yield* insertMany(other, 10)
        const counts = (limit: number, most: number) =>
          Effect.map(claim(limit, 1_000, { ids: [failing.id], limit: most }), (claims) => [
            of(claims, failing).length,
            of(claims, other).length
          ])
        Check.equal(yield* counts(4, 0), [0, 4], "none of them")
        Check.equal(yield* counts(4, 1), [1, 3], "one of them")
        Check.equal(yield* counts(4, 8), [2, 2], "half of the claim")
        Check.equal(yield* counts(4, 8), [3, 1], "more than half when the others have no more")
        Check.equal(yield* counts(4, 3), [3, 0], "no more than allowed, even when the others have none")
      })
    )
  },
  {
    name: "claim: many at once, every row to exactly one",
    run: withEndpoints((...endpoints) =>
      Effect.gen(function* () {
        const rows = (yield* Effect.forEach(endpoints, (endpoint) => insertMany(endpoint, 20))).flat()
        const seen: Array<string> = []
        for (let round = 0; round < 40 && seen.length < rows.length; round++) {
          const claims = yield* Effect.all(
            Array.from({ length: 5 }, () => claim(4)),
            { concurrency: "unbounded" }
          )
          seen.push(...claims.flatMap((one) => of(one, ...endpoints)).map(({ delivery }) => delivery.id))
        }
        Check.equal([...seen].sort(), rows.map(({ id }) => id).sort(), "each once")
      })
    )
  },
  {
    name: "claim: rows of an earlier epoch never, even if the endpoint is enabled again; they end as failed [§3.5-disabled]",
    run: withEndpoints((endpoint) =>
      Effect.gen(function* () {
        const store = yield* EndpointStore
        const old = yield* insert(endpoint)
        yield* store.update(endpoint.appId, endpoint.id, disable)
        yield* store.update(endpoint.appId, endpoint.id, WebhookEndpoint.enable)
        const fresh = yield* insert(yield* endpointNow(endpoint))
        const claims = of(yield* claim(), endpoint)
        Check.equal(
          claims.map(({ delivery }) => delivery.id),
          [fresh.id],
          "only what came after"
        )
        const { delivery } = yield* found(old)
        Check.equal([delivery.state, delivery.failReason], ["failed", "endpoint_disabled"], "the old one")
        Check.isTrue(delivery.endedAt === (yield* Timestamp.now), "has ended now")
      })
    )
  },
  {
    name: "remove: waiting rows of the endpoint end as failed and stay in the log; the others' go on",
    run: withEndpoints((gone, kept) =>
      Effect.gen(function* () {
        const [lost, safe] = [yield* insert(gone), yield* insert(kept)]
        yield* (yield* EndpointStore).remove(gone.appId, gone.id)
        const { delivery } = yield* found(lost)
        Check.equal([delivery.state, delivery.failReason], ["failed", "endpoint_removed"], "its row")
        Check.equal(
          of(yield* claim(), gone, kept).map((one) => one.delivery.id),
          [safe.id],
          "the other endpoint's row"
        )
      })
    )
  },
  {
    name: "remove: a row under way ends when its answer is in, and is not tried again [endpoints-6]",
    run: withEndpoints((one, two) =>
      Effect.gen(function* () {
        const now = yield* Timestamp.now
        yield* Effect.forEach([one, two], (endpoint) => insert(endpoint))
        const claims = yield* claim()
        const [arrives, fails] = [first(of(claims, one)), first(of(claims, two))]
        yield* Effect.forEach([one, two], ({ appId, id }) => Effect.flatMap(EndpointStore, (s) => s.remove(appId, id)))
        Check.isTrue(yield* finish(arrives, { _tag: "Delivered", at: now }, null), "delivered")
        Check.isTrue(yield* finish(fails, { _tag: "Retry", attempt: 2, dueAt: now }, null), "failed this time")
        Check.equal((yield* found(arrives.delivery)).delivery.state, "delivered", "it arrived")
        const { delivery } = yield* found(fails.delivery)
        Check.equal(
          [delivery.state, delivery.failReason, delivery.dueAt],
          ["failed", "endpoint_removed", null],
          "the end"
        )
      })
    )
  },
  {
    name: "claim: endpoints that are gone or disabled while rows are under way take no room from the others",
    run: withEndpoints((gone, off, kept) =>
      Effect.gen(function* () {
        const store = yield* EndpointStore
        yield* Effect.forEach([gone, off], (endpoint) => insert(endpoint))
        Check.equal(of(yield* claim(), gone, off).length, 2, "under way")
        yield* store.remove(gone.appId, gone.id)
        yield* store.update(off.appId, off.id, disable)
        const row = yield* insert(kept)
        const claims = of(yield* claim(1), gone, off, kept)
        Check.equal(
          claims.map(({ delivery }) => delivery.id),
          [row.id],
          "the only room is the third's"
        )
        yield* TestClock.adjust(Delivery.LEASE)
        Check.equal(of(yield* claim(), gone, off), [], "and they are not tried again when their lease is over")
        const { items } = yield* (yield* DeliveryStore).list(off.appId, { endpointId: off.id }, 10, undefined)
        Check.equal(first(items).delivery.failReason, "endpoint_disabled", "but end")
      })
    )
  },
  {
    name: "nextDueAt: the first due time after the given one",
    run: withEndpoints((endpoint) =>
      Effect.gen(function* () {
        const store = yield* DeliveryStore
        // These due times are in the year 2040. `nextDueAt` returns only times after the given time, and all rows of
        // other cases are due earlier, so `nextDueAt` returns none of their times.
        const later = (millis: number) => Timestamp.plus(START_OF_2040, millis)
        yield* insert(endpoint, { createdAt: later(2_000) })
        yield* insert(endpoint, { createdAt: later(1_000) })
        Check.equal(yield* store.nextDueAt(later(0)), Option.some(later(1_000)), "the first of two")
        Check.equal(yield* store.nextDueAt(later(1_000)), Option.some(later(2_000)), "later than, not at")
        Check.equal(yield* store.nextDueAt(later(2_000)), Option.none(), "none after the last")
      })
    )
  },
  {
    name: "nextDueAt: rows that have ended do not count",
    run: withEndpoints((endpoint) =>
      Effect.gen(function* () {
        const store = yield* DeliveryStore
        yield* insert(endpoint, { createdAt: START_OF_2040 })
        yield* (yield* EndpointStore).remove(endpoint.appId, endpoint.id)
        const before = Timestamp.plus(START_OF_2040, -1)
        Check.equal(yield* store.nextDueAt(before), Option.none(), "none")
      })
    )
  }
]

const START_OF_2040 = Timestamp.make(2_208_988_800_000)
