import { SqlClient } from "@effect/sql/SqlClient"
import { Rows } from "@place-access/adapters-pg"
import { type Fix, ingestFixes } from "@place-access/domain/fixes"
import { archivePlace } from "@place-access/domain/connection"
import { createPlace, Place, PlaceStore, updatePlace } from "@place-access/domain/places"
import { PlaceId, Timestamp } from "@place-access/domain/shared"
import { RuleSamples, VisitSamples } from "@place-access/domain/testing"
import { deriveStays, Stay, StayProgress, StayStore } from "@place-access/domain/visits"
import { Effect, Schema } from "effect"
import { expect, it } from "vitest"
import { travel } from "../../../domain/test/support/geodesic.js"
import { migratedOn, START, withStores } from "../support/contracts.js"
import { overlapping } from "../support/overlapping.js"
import { describeServers } from "../support/postgres.js"
import { VisitStores } from "../support/visitStores.js"

const { MINUTE } = Timestamp
const { CIRCLE } = RuleSamples
const UPLOADS = 8

/**
 * A phone that is inside the place for ten minutes and outside for five, again and again, with a fix every minute. The
 * newest fix was captured 4 minutes ahead of the clock.
 */
const walk: ReadonlyArray<Fix.Reading> = Array.from({ length: 160 }, (_, index) => ({
  capturedAt: Timestamp.make(START + (index - 155) * MINUTE),
  ...travel(CIRCLE, 90, index % 15 < 10 ? 5 : 700),
  accuracyM: 10
}))

const StayRow = Schema.Struct({ place_id: PlaceId, arrival: Rows.At, departure: Rows.NullableAt })

describeServers("stays that are derived while uploads come and places change", (server) => {
  const run = withStores(migratedOn(server), VisitStores)

  it("are in the end what one derivation over everything gives", () =>
    run(
      Effect.gen(function* () {
        const phone = yield* VisitSamples.phone
        const { id: deviceId, userId } = phone
        const draft = { label: Place.Label.make("Home"), kind: "home", circle: CIRCLE } as const
        const places = [yield* createPlace(userId, draft), yield* createPlace(userId, draft)]
        const [moved, archived] = places.map((place) => place.id)
        const uploads = Array.from({ length: UPLOADS }, (_, part) =>
          ingestFixes(
            phone,
            walk.filter((__, index) => index % UPLOADS === part),
            []
          )
        )
        const derivations = Array.from({ length: 4 }, () =>
          deriveStays(userId, deviceId, { stepsMax: 12, fixesAStep: 9 })
        )
        const changes = [
          createPlace(userId, draft),
          moved === undefined ? Effect.void : updatePlace(userId, moved, { radiusM: 300 }, "unchecked"),
          archived === undefined ? Effect.void : archivePlace(userId, archived)
        ]
        yield* Effect.all([...derivations, ...uploads, ...changes], { concurrency: "unbounded", discard: true })
        yield* deriveStays(userId, deviceId, { stepsMax: 100, fixesAStep: 50 })
        expect(yield* VisitSamples.progress(phone)).toEqual(StayProgress.DONE)

        const fixes = yield* (yield* StayStore).fixes(userId, deviceId, Timestamp.make(0), 1_000)
        expect(fixes).toHaveLength(walk.length)
        const store = yield* PlaceStore
        const shapes = yield* store.shapes(userId)
        const expected = (yield* store.list(userId)).flatMap(({ archivedAt, id }) =>
          Stay.derive(
            { placeId: id, archivedAt, shapes: shapes.filter((shape) => shape.placeId === id) },
            Stay.beforeOf(undefined, null),
            fixes
          ).map(({ arrival, departure }) => `${id} ${arrival} ${departure ?? "open"}`)
        )
        const sql = yield* SqlClient
        const rows = yield* sql`SELECT place_id, arrival, departure FROM stays WHERE user_id = ${userId}`.pipe(
          Rows.all(StayRow)
        )
        const stored = rows.map((row) => `${row.place_id} ${row.arrival} ${row.departure ?? "open"}`)
        expect(stored.sort()).toEqual(expected.sort())
        expect(stored.length).toBeGreaterThan(20)
      })
    ))

  it("a step that was derived before an upload, and is committed while the upload is, writes nothing [visits-7]", () =>
    run(
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const phone = yield* VisitSamples.phone
        const draft = { label: Place.Label.make("Home"), kind: "home", circle: CIRCLE } as const
        const { id: placeId } = yield* createPlace(phone.userId, draft)
        const [first, next] = walk
        if (first === undefined || next === undefined) throw new Error("the walk has readings")
        yield* ingestFixes(phone, [first], [])
        const view = yield* VisitSamples.view(phone)
        const stay = { placeId, arrival: first.capturedAt, departure: null, heardUntil: null }
        const step = VisitSamples.commit(phone, placeId, first.capturedAt, { view, stays: [stay] })
        const [, isCommitted] = yield* overlapping(server, ingestFixes(phone, [next], []), step)
        expect(isCommitted).toBe(false)
        expect(yield* sql`SELECT 1 FROM stays WHERE user_id = ${phone.userId}`).toEqual([])
        expect((yield* VisitSamples.progress(phone)).dueFrom).toBe(first.capturedAt)
      })
    ))
})
