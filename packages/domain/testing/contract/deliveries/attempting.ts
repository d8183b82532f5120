import { Effect, Struct, TestClock } from "effect"
import * as Delivery from "../../../src/deliveries/Delivery.js"
import { DeliveryStore } from "../../../src/deliveries/DeliveryStore.js"
import { EndpointStore } from "../../../src/endpoints/EndpointStore.js"
import type { WebhookEndpoint } from "../../../src/endpoints/WebhookEndpoint.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import {
  claim,
  claimOne,
  draft,
  endpointNow,
  first,
  found,
  insert,
  insertMany,
  type WebhookFixturePorts,
  of,
  withEndpoints
} from "./webhookFixtures.js"

/** An attempt that began at the time `at`, as the delivery log stores it. */
const made = (at: Timestamp.Timestamp, overrides: Partial<Delivery.Attempt> = {}): Delivery.Attempt => ({
  attempt: 1,
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

const store = (
  row: Delivery.NewDelivery,
  how: Delivery.DeliveryFinish,
  attempt: Delivery.Attempt | null
): Effect.Effect<boolean, unknown, DeliveryStore> =>
  Effect.flatMap(DeliveryStore, (deliveries) =>
    Effect.map(deliveries.insertAttempted(row, how, attempt, false), ({ isStored }) => isStored)
  )

const setStrikes = ({ appId, id }: WebhookEndpoint, strikes: number) =>
  Effect.flatMap(EndpointStore, (endpoints) => endpoints.update(appId, id, (before) => ({ ...before, strikes })))

const disable = ({ appId, id }: WebhookEndpoint) =>
  Effect.flatMap(EndpointStore, (endpoints) =>
    endpoints.update(appId, id, (before, disabledAt) => ({ ...before, disabledAt, epoch: before.epoch + 1 }))
  )

/** The results that a first attempt can have. Each item has a name, the result, and whether a POST was sent. */
const ends: ReadonlyArray<readonly [string, (now: Timestamp.Timestamp) => Delivery.DeliveryFinish, boolean]> = [
  ["delivered", (at) => ({ _tag: "Delivered", at }), true],
  ["not authorised", (at) => ({ _tag: "Failed", at, reason: "not_authorised" }), false],
  ["too old", (at) => ({ _tag: "TooOld", at }), false],
  ["tried again later", (at) => ({ _tag: "Retry", attempt: 2, dueAt: Timestamp.plus(at, 30_000) }), true],
  ["postponed", (at) => ({ _tag: "Postponed", dueAt: Timestamp.plus(at, 5_000), faultsSince: at }), false]
]

const outcomes: Contract<WebhookFixturePorts> = ends.map(([what, end, isSent]) => ({
  name: `insertAttempted: ${what} stores the row as \`Delivery.move\` says, and logs the attempt`,
  run: withEndpoints((endpoint) =>
    Effect.gen(function* () {
      const row = yield* draft(endpoint)
      yield* TestClock.adjust(1_500)
      const now = yield* Timestamp.now
      const how = end(now)
      const attempt = isSent ? made(Timestamp.plus(now, -200)) : null
      Check.isTrue(yield* store(row, how, attempt), "stored")
      const delivery = Delivery.move(Delivery.begin(row), how)
      const attempts = attempt === null ? [] : [attempt]
      Check.equal(yield* found(row), { delivery, isReplayed: false, attempts }, "as it is stored")
      Check.equal(of(yield* claim(), endpoint), [], "not to be claimed now")
      if (delivery.dueAt === null) return
      yield* TestClock.adjust(delivery.dueAt - now)
      Check.equal((yield* claimOne(endpoint)).delivery, delivery, "to be claimed when due")
    })
  )
}))

/**
 * What `DeliveryStore.insertAttempted` must guarantee. This method stores a delivery only after its first attempt
 * (decision deliveries-18).
 */
export const attempting: Contract<WebhookFixturePorts> = [
  ...outcomes,
  {
    name: "insertAttempted: a row that the event has at the endpoint already stays, with its log and the strikes [deliveries-18]",
    run: withEndpoints((endpoint) =>
      Effect.gen(function* () {
        const before = yield* insert(endpoint)
        yield* setStrikes(endpoint, 3)
        const second = { ...(yield* draft(endpoint)), envelope: before.envelope }
        const now = yield* Timestamp.now
        Check.isTrue(!(yield* store(second, { _tag: "Delivered", at: now }, made(now))), "refused")
        Check.equal((yield* found(before)).delivery, Delivery.begin(before), "the row")
        Check.equal((yield* found(before)).attempts, [], "its log")
        const none = yield* (yield* DeliveryStore).find(second.appId, second.id)
        Check.equal(none._tag, "None", "the other row")
        Check.equal((yield* endpointNow(endpoint)).strikes, 3, "strikes")
      })
    )
  },
  {
    name: "insertAttempted: of several at once for one event and endpoint one is stored, and every other one beside them",
    run: withEndpoints((endpoint, second) =>
      Effect.gen(function* () {
        const now = yield* Timestamp.now
        const one = yield* draft(endpoint)
        const same = yield* Effect.replicateEffect(
          Effect.map(draft(endpoint), (row) => ({ ...row, envelope: one.envelope })),
          5
        )
        const elsewhere = { ...(yield* draft(second)), envelope: one.envelope }
        const others = yield* Effect.replicateEffect(draft(second), 4)
        const stored = yield* Effect.forEach(
          [one, ...same, elsewhere, ...others],
          (row, index) => store(row, { _tag: "Delivered", at: now }, made(Timestamp.plus(now, index))),
          { concurrency: "unbounded" }
        )
        Check.equal(stored.slice(0, 6).filter(Boolean).length, 1, "of the same")
        Check.equal(stored.slice(6), [true, true, true, true, true], "all others")
        const winner = first([one, ...same].filter((_, index) => stored[index]))
        Check.equal((yield* found(winner)).attempts.length, 1, "one attempt in the log")
      })
    )
  },
  {
    name: "insertAttempted: then the event's fan-out makes no second row [events-1]",
    run: withEndpoints((endpoint) =>
      Effect.gen(function* () {
        const row = yield* draft(endpoint)
        const now = yield* Timestamp.now
        yield* store(row, { _tag: "Delivered", at: now }, made(now, { status: 200, error: null }))
        yield* (yield* DeliveryStore).insert([{ ...(yield* draft(endpoint)), envelope: row.envelope }])
        Check.equal(of(yield* claim(), endpoint), [], "nothing waits")
      })
    )
  },
  {
    name: "insertAttempted: a success sets the strikes of its endpoint to 0, nothing else does [§3.4-success, W4]",
    run: withEndpoints((endpoint, other) =>
      Effect.gen(function* () {
        yield* setStrikes(endpoint, 7)
        yield* setStrikes(other, 7)
        const now = yield* Timestamp.now
        for (const [, end] of ends.slice(1)) yield* store(yield* draft(endpoint), end(now), null)
        Check.equal((yield* endpointNow(endpoint)).strikes, 7, "not by other ends")
        yield* store(yield* draft(endpoint, { replayNo: 1 }), { _tag: "Delivered", at: now }, null)
        Check.equal((yield* endpointNow(endpoint)).strikes, 7, "not by a replay")
        yield* store(yield* draft(endpoint), { _tag: "Delivered", at: now }, made(now))
        Check.equal(yield* endpointNow(endpoint), { ...endpoint, strikes: 0 }, "by a success")
        Check.equal((yield* endpointNow(other)).strikes, 7, "the other endpoint")
      })
    )
  },
  {
    name: "insertAttempted: a retry for an endpoint that was disabled or removed meanwhile fails; an arrival is an arrival [§3.5-disabled]",
    run: withEndpoints((disabled, removed) =>
      Effect.gen(function* () {
        yield* disable(disabled)
        yield* setStrikes(disabled, 5)
        yield* (yield* EndpointStore).remove(removed.appId, removed.id)
        const now = yield* Timestamp.now
        const retry = { _tag: "Retry", attempt: 2, dueAt: Timestamp.plus(now, 30_000) } as const
        const postponed = { _tag: "Postponed", dueAt: Timestamp.plus(now, 5_000), faultsSince: now } as const
        const arrived = { _tag: "Delivered", at: now } as const
        for (const [endpoint, reason] of [
          [disabled, "endpoint_disabled"],
          [removed, "endpoint_removed"]
        ] as const) {
          const rows = yield* Effect.forEach([retry, postponed, arrived], (how) =>
            Effect.gen(function* () {
              const row = yield* draft(endpoint)
              Check.isTrue(yield* store(row, how, how === postponed ? null : made(now)), "stored")
              const { attempts, delivery } = yield* found(row)
              return { ...Struct.pick(delivery, "state", "failReason", "attempt", "dueAt", "endedAt"), attempts }
            })
          )
          const failed = { state: "failed", failReason: reason, attempt: 1, dueAt: null, endedAt: now } as const
          Check.equal(
            rows,
            [
              { ...failed, attempts: [made(now)] },
              { ...failed, attempts: [] },
              { ...failed, state: "delivered", failReason: null, attempts: [made(now)] }
            ],
            reason
          )
        }
        Check.equal((yield* endpointNow(disabled)).strikes, 5, "an earlier epoch clears no strikes")
      })
    )
  },
  {
    name: "insertAttempted: what is tried again is retried, counted and logged like a row that was claimed at once",
    run: withEndpoints((endpoint) =>
      Effect.gen(function* () {
        yield* insertMany(endpoint, 1)
        yield* claimOne(endpoint)
        const row = yield* draft(endpoint)
        const now = yield* Timestamp.now
        yield* store(row, { _tag: "Retry", attempt: 2, dueAt: Timestamp.plus(now, 10) }, made(now))
        yield* TestClock.adjust(10)
        const { delivery, lease } = yield* claimOne(endpoint)
        const at = yield* Timestamp.now
        const deliveries = yield* DeliveryStore
        const how = { _tag: "Failed", at, reason: "exhausted" } as const
        const second = made(at, { attempt: 2 })
        Check.isTrue(yield* deliveries.finish({ appId: row.appId, id: row.id, lease }, how, second), "finished")
        Check.equal((yield* found(row)).delivery, Delivery.move(delivery, how), "the row")
        Check.equal((yield* found(row)).attempts, [made(now), second], "both attempts")
        Check.equal((yield* endpointNow(endpoint)).strikes, 1, "one strike")
      })
    )
  }
]
