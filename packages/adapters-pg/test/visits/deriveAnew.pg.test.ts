import { SqlClient } from "@effect/sql/SqlClient"
import { Rows } from "@place-access/adapters-pg"
import { type Fix, ingestFixes } from "@place-access/domain/fixes"
import { everything } from "@place-access/domain/leases"
import { createPlace, Place } from "@place-access/domain/places"
import { ConnectionId, Timestamp } from "@place-access/domain/shared"
import { RuleSamples, VisitSamples } from "@place-access/domain/testing"
import { deriveAnew, deriveStays, listVisits, StayStore } from "@place-access/domain/visits"
import { Effect, Schema } from "effect"
import { expect, it } from "vitest"
import { travel } from "../../../domain/test/support/geodesic.js"
import { migratedOn, START, withStores } from "../support/contracts.js"
import { describeServers } from "../support/postgres.js"
import { VisitStores } from "../support/visitStores.js"

const { MINUTE } = Timestamp
const { CIRCLE } = RuleSamples

const at = (minutes: number, metres: number): Fix.Reading => ({
  capturedAt: Timestamp.make(START + minutes * MINUTE),
  ...travel(CIRCLE, 90, metres),
  accuracyM: 10
})

/**
 * The first readings of a phone that is at the place. `readings` has these and later readings: a jump away 30 minutes
 * after the first reading, then the place again until 60 minutes after the first reading, then no reading for four
 * hours, and then readings from far away.
 */
const day = [0, 10, 20].map((minutes) => at(minutes - 600, 5))
const readings: ReadonlyArray<Fix.Reading> = [
  ...day,
  at(-570, 900),
  at(-565, 5),
  at(-540, 5),
  at(-300, 40_000),
  at(-290, 40_000)
]

const StayRow = Schema.Struct({ arrival: Rows.At, departure: Rows.NullableAt, heard_until: Rows.NullableAt })

describeServers("stays that a program of the previous release derived", (server) => {
  const run = withStores(migratedOn(server), VisitStores)

  it("are answered as they are until all of a phone is derived anew, and then by the present rules [visits-12]", () =>
    run(
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const phone = yield* VisitSamples.phone
        const { id: deviceId, userId } = phone
        const { createdAt, id: placeId } = yield* createPlace(userId, {
          label: Place.Label.make("Home"),
          kind: "home",
          circle: CIRCLE
        })
        yield* ingestFixes(phone, readings, [])
        yield* deriveStays(userId, deviceId, { stepsMax: 10, fixesAStep: 100 })
        const minute = (time: number | null) => (time === null ? null : (time - START) / MINUTE)
        const stored = sql`SELECT arrival, departure, heard_until FROM stays WHERE user_id = ${userId}
                           ORDER BY arrival`.pipe(
          Rows.all(StayRow),
          Effect.map((rows) => rows.map((row) => [row.arrival, row.departure, row.heard_until].map(minute)))
        )
        const anew = [[-600, -300, -540]]
        expect(yield* stored).toEqual(anew)

        // Stores the stays as the previous release derived them: the phone's jump away at -570 minutes divides the
        // stay, and the silence from -540 to -300 minutes is a part of the second stay.
        const time = (minutes: number) => Rows.at(START + minutes * MINUTE)
        yield* sql`DELETE FROM stays WHERE user_id = ${userId}`
        for (const [arrival, departure] of [
          [-600, -570],
          [-565, -300]
        ] as const) {
          yield* sql`INSERT INTO stays (user_id, place_id, device_id, arrival, departure)
                     VALUES (${userId}, ${placeId}, ${deviceId}, ${time(arrival)}, ${time(departure)})`
        }
        yield* sql`UPDATE devices SET stays_rule = 1 WHERE user_id = ${userId}`
        const answer = Effect.map(
          listVisits(
            {
              userId,
              id: ConnectionId.make("con_a"),
              pause: null,
              places: [{ placeId, sharedAt: createdAt, includeEarlierVisits: true }]
            },
            Timestamp.make(START),
            { from: null, to: null, limit: 10, cursor: undefined }
          ),
          ({ complete, visits }) => ({
            complete,
            visits: visits.map((one) => [minute(one.arrival), minute(one.departure), one.isUncertain])
          })
        )
        expect(yield* answer).toEqual({
          complete: true,
          visits: [
            [-565, -300, false],
            [-600, -570, false]
          ]
        })

        // The phone uploads another fix just before every commit, so the commit is refused. This `deriveAnew` must then
        // write nothing, and the next `deriveAnew` must derive the stays.
        const store = yield* StayStore
        const late = { sent: 0 }
        const disturbed = StayStore.of({
          ...store,
          commit: (step) =>
            step.isAnew
              ? ingestFixes(phone, [at(-280 + late.sent++, 40_000)], []).pipe(
                  Effect.orDie,
                  Effect.provide(yieldedContext),
                  Effect.zipRight(store.commit(step))
                )
              : store.commit(step)
        })
        const yieldedContext = yield* Effect.context<Effect.Effect.Context<ReturnType<typeof ingestFixes>>>()
        expect(yield* deriveAnew(everything.people).pipe(Effect.provideService(StayStore, disturbed))).toBe(0)
        expect(late.sent).toBe(3)
        expect((yield* answer).visits).toHaveLength(2)

        expect(yield* deriveAnew(everything.people)).toBe(1)
        expect(yield* stored).toEqual(anew)
        expect(yield* answer).toEqual({ complete: true, visits: [[-600, -540, true]] })
        expect(yield* deriveAnew(everything.people)).toBe(0)
      })
    ))

  it("are kept whole when they begin before the oldest reading that is left [retention-choice-2, visits-12]", () =>
    run(
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const phone = yield* VisitSamples.phone
        const { id: deviceId, userId } = phone
        const stored = sql`SELECT arrival, departure, heard_until FROM stays WHERE user_id = ${userId}
                           ORDER BY arrival`.pipe(
          Rows.all(StayRow),
          Effect.map((rows) =>
            rows.map((row) =>
              [row.arrival, row.departure, row.heard_until].map((at) => (at === null ? null : (at - START) / MINUTE))
            )
          )
        )
        yield* createPlace(userId, { label: Place.Label.make("Home"), kind: "home", circle: CIRCLE })
        yield* ingestFixes(phone, readings, [])
        yield* deriveStays(userId, deviceId, { stepsMax: 10, fixesAStep: 100 })
        // Retention deletes the oldest fixes first. The last deletion leaves no fix.
        for (const left of [-570, -300, 0]) {
          yield* sql`DELETE FROM fixes WHERE user_id = ${userId}
                     AND captured_at < ${Rows.at(START + left * MINUTE)}`
          yield* sql`UPDATE devices SET stays_rule = 1 WHERE user_id = ${userId}`
          expect(yield* deriveAnew(everything.people)).toBe(1)
          expect(yield* stored).toEqual([[-600, -300, -540]])
        }
      })
    ))

  it("are derived anew in pieces of 5,000 readings [visits-12]", () =>
    run(
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const phone = yield* VisitSamples.phone
        const { id: deviceId, userId } = phone
        const draft = { label: Place.Label.make("Home"), kind: "home", circle: CIRCLE } as const
        yield* createPlace(userId, draft)
        const many = Array.from({ length: 6_000 }, (_, index) => at(-index / 4 - 1, index % 700 < 400 ? 5 : 900))
        for (let from = 0; from < many.length; from += 1_000) {
          yield* ingestFixes(phone, many.slice(from, from + 1_000), [])
        }
        yield* deriveStays(userId, deviceId, { stepsMax: 100, fixesAStep: 900 })
        const stored = sql`SELECT arrival, departure, heard_until FROM stays WHERE user_id = ${userId}
                           ORDER BY arrival`.pipe(Rows.all(StayRow))
        const before = yield* stored
        expect(before.length).toBeGreaterThan(5)
        yield* sql`DELETE FROM stays WHERE user_id = ${userId}`
        yield* sql`UPDATE devices SET stays_rule = 1 WHERE user_id = ${userId}`
        expect(yield* deriveAnew(everything.people)).toBe(1)
        expect(yield* stored).toEqual(before)
      })
    ))
})
