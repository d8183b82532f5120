import { SqlAccountStore, SqlAppStore, SqlDeliveryStore, SqlEndpointStore } from "@place-access/adapters-pg"
import { Delivery, DeliveryStore } from "@place-access/domain/deliveries"
import type { WebhookEndpoint } from "@place-access/domain/endpoints"
import { Timestamp } from "@place-access/domain/shared"
import { WebhookFixtures } from "@place-access/domain/testing"
import { SqlClient } from "@effect/sql/SqlClient"
import { Effect, Layer, Option, TestClock } from "effect"
import { expect, it } from "vitest"
import { migratedPostgres, withStores } from "../support/contracts.js"
import { describePg } from "../support/postgres.js"

const stores = Layer.mergeAll(SqlAccountStore.layer, SqlAppStore.layer, SqlEndpointStore.layer, SqlDeliveryStore.layer)

const { claim, endpointNow, insert, insertMany, of, withEndpoints } = WebhookFixtures
const MINUTE = Timestamp.MINUTE

const arrived = (at: Timestamp.Timestamp): Delivery.Finish => ({ _tag: "Delivered", at })
const again = (now: Timestamp.Timestamp): Delivery.Finish => ({
  _tag: "Retry",
  attempt: 2,
  dueAt: Timestamp.plus(now, MINUTE)
})

/** Every way of ending that may share a statement, in turn. */
const ways = (now: Timestamp.Timestamp): ReadonlyArray<Delivery.Finish> => [
  arrived(now),
  again(now),
  { _tag: "Failed", at: now, reason: "not_authorised" },
  { _tag: "TooOld", at: now },
  { _tag: "Postponed", dueAt: Timestamp.plus(now, 5_000) }
]

const row = (how: Delivery.Finish, n: number, now: Timestamp.Timestamp): Delivery.Attempt | null =>
  how._tag === "Delivered" || how._tag === "Retry"
    ? {
        attempt: 1,
        startedAt: now,
        endedAt: Timestamp.plus(now, n),
        status: how._tag === "Delivered" ? 200 + (n % 5) : null,
        error: how._tag === "Delivered" ? null : `refused {"${n}",NULL}`,
        snippet: how._tag === "Delivered" ? `answer \\ "${n}" {,}` : null
      }
    : null

describePg("deliveries that end at the same time", () => {
  const run = withStores(migratedPostgres, stores)

  const strikesOf = (endpoint: WebhookEndpoint.WebhookEndpoint) =>
    Effect.map(endpointNow(endpoint), (one) => one.strikes)

  /** Sets what only a run of failures would. */
  const strike = (endpoint: WebhookEndpoint.WebhookEndpoint, strikes: number) =>
    Effect.flatMap(
      SqlClient,
      (sql) => sql`UPDATE endpoints SET strikes = ${strikes}
                   WHERE app_id = ${endpoint.appId} AND endpoint_id = ${endpoint.id}`
    )

  it("each moves as `Delivery.move` says and logs its own attempt, whatever way the others end; whose lease is lost and who ends twice is told so", () =>
    run(
      withEndpoints((one, two) =>
        Effect.gen(function* () {
          const store = yield* DeliveryStore
          const lost = yield* insertMany(one, 3)
          const stale = of(yield* claim(), one)
          expect(stale.map(({ delivery }) => delivery.id).sort()).toEqual(lost.map(({ id }) => id).sort())
          yield* TestClock.adjust(Delivery.LEASE)
          yield* insertMany(one, 20)
          yield* insertMany(two, 20)
          const all = yield* claim()
          const held = [...of(all, one), ...of(all, two)]
          expect(held.length).toBe(43)
          const now = yield* Timestamp.now
          const ended = held.map((claimed, n) => {
            const how = ways(now)[n % 5] ?? arrived(now)
            return { claimed, how, attempt: row(how, n, now) }
          })
          const end = ({ claimed: { delivery, lease }, how, attempt }: (typeof ended)[number]) =>
            store.finish({ appId: delivery.appId, id: delivery.id, lease }, how, attempt)
          const late = stale.map((claimed) => ({ claimed, how: arrived(now), attempt: row(arrived(now), 0, now) }))
          const together = (many: typeof ended) => Effect.forEach(many, end, { concurrency: "unbounded" })
          expect(yield* together(late)).toEqual([false, false, false])
          const [answers, twice] = yield* Effect.all([ended, ended.slice(0, 5)].map(together), {
            concurrency: "unbounded"
          })
          expect(answers).toEqual(ended.map(() => true))
          expect(twice).toEqual([false, false, false, false, false])
          for (const { attempt, claimed, how } of ended) {
            const { appId, id } = claimed.delivery
            const found = Option.getOrThrow(yield* store.find(appId, id))
            expect(found.delivery).toEqual(Delivery.move(claimed.delivery, how))
            expect(found.attempts).toEqual(attempt === null ? [] : [attempt])
          }
        })
      )
    ))

  it("arrivals forget the strikes of their own endpoints and of no other, unless they are replays or of an earlier epoch", () =>
    run(
      withEndpoints((one, two, three) =>
        Effect.gen(function* () {
          const store = yield* DeliveryStore
          for (const endpoint of [one, two, three]) {
            yield* endpoint === two ? Effect.replicateEffect(insert(two, { replayNo: 1 }), 4) : insertMany(endpoint, 4)
          }
          const claims = yield* claim()
          const sql = yield* SqlClient
          yield* sql`UPDATE endpoints SET epoch = epoch + 1 WHERE app_id = ${three.appId} AND endpoint_id = ${three.id}`
          for (const endpoint of [one, two, three]) yield* strike(endpoint, 7)
          const now = yield* Timestamp.now
          const how = arrived(now)
          const held = [one, two, three].flatMap((endpoint) => of(claims, endpoint))
          expect(held.length).toBe(12)
          yield* Effect.forEach(
            held,
            ({ delivery: { appId, id }, lease }, n) => store.finish({ appId, id, lease }, how, row(how, n, now)),
            { concurrency: "unbounded" }
          )
          expect(yield* Effect.forEach([one, two, three], strikesOf)).toEqual([0, 7, 7])
        })
      )
    ))

  it("a retry among them of a row whose endpoint was disabled meanwhile ends it", () =>
    run(
      withEndpoints((one, two) =>
        Effect.gen(function* () {
          const store = yield* DeliveryStore
          yield* insertMany(one, 4)
          yield* insertMany(two, 4)
          const claims = yield* claim()
          const sql = yield* SqlClient
          yield* sql`UPDATE endpoints SET epoch = epoch + 1, disabled_at = now() WHERE app_id = ${one.appId} AND endpoint_id = ${one.id}`
          const now = yield* Timestamp.now
          const how = again(now)
          const held = [...of(claims, one), ...of(claims, two)]
          yield* Effect.forEach(
            held,
            ({ delivery: { appId, id }, lease }, n) => store.finish({ appId, id, lease }, how, row(how, n, now)),
            { concurrency: "unbounded" }
          )
          const states = yield* Effect.forEach(held, ({ delivery: { appId, id } }) =>
            Effect.map(Effect.map(store.find(appId, id), Option.getOrThrow), ({ delivery }) => [
              delivery.state,
              delivery.failReason
            ])
          )
          expect(states.slice(0, 4)).toEqual(Array.from({ length: 4 }, () => ["failed", "endpoint_disabled"]))
          expect(states.slice(4)).toEqual(Array.from({ length: 4 }, () => ["trying", null]))
        })
      )
    ))
})
