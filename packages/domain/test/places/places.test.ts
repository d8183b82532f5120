import { archivePlace } from "@place-access/domain/connection"
import { createPlace, listPlaces, Place, updatePlace } from "@place-access/domain/places"
import { OUTDATED_FORM, PlaceId, UserId } from "@place-access/domain/shared"
import { describe, expect, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { CIRCLE, NOON } from "../support/rules.js"
import { UploadStores } from "../support/uploads.js"

const ADA = UserId.make("usr_ada")
const BOB = UserId.make("usr_bob")
const HOME: Place.PlaceDraft = { label: Place.Label.make("Home"), kind: "home", circle: CIRCLE }

describe("places", () => {
  it.effect("a new place is the user's, at geometry version 1, and not archived", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOON)
      const place = yield* createPlace(ADA, HOME)
      expect(place).toEqual({
        userId: ADA,
        id: expect.stringMatching(/^plc_/),
        ...HOME,
        geometryVersion: 1,
        createdAt: NOON,
        archivedAt: null
      })
      expect(yield* listPlaces(ADA)).toEqual([place])
      expect(yield* listPlaces(BOB)).toEqual([])
    }).pipe(Effect.provide(UploadStores))
  )

  const edits: ReadonlyArray<readonly [Place.PlaceEdit, number]> = [
    [{}, 1],
    [{ label: Place.Label.make("Mum's"), kind: "other" as const }, 1],
    [{ lat: CIRCLE.lat, lon: CIRCLE.lon, radiusM: CIRCLE.radiusM }, 1],
    [{ lat: CIRCLE.lat + 1e-9 }, 2],
    [{ lon: -CIRCLE.lon }, 2],
    [{ radiusM: 151 }, 2]
  ]
  it.effect.each(edits)(
    "only another circle makes a new geometry version (decision L8): %j [places-1]",
    ([edit, geometryVersion]) =>
      Effect.gen(function* () {
        const { id } = yield* createPlace(ADA, HOME)
        const after = yield* updatePlace(ADA, id, edit, "unchecked")
        expect(after.geometryVersion).toBe(geometryVersion)
        expect(after).toMatchObject({ label: edit.label ?? "Home", kind: edit.kind ?? "home" })
        expect(after.circle).toEqual({
          lat: edit.lat ?? CIRCLE.lat,
          lon: edit.lon ?? CIRCLE.lon,
          radiusM: edit.radiusM ?? CIRCLE.radiusM
        })
      }).pipe(Effect.provide(UploadStores))
  )

  it.effect("a form that was opened before the last change moves nothing back [places-2]", () =>
    Effect.gen(function* () {
      const made = yield* createPlace(ADA, HOME)
      const { id } = made
      const form: Place.PlaceEdit = { label: Place.Label.make("My home"), kind: "home", ...CIRCLE }
      const changes: ReadonlyArray<Place.PlaceEdit> = [
        { lat: CIRCLE.lat + 1 },
        { kind: "other" },
        { label: Place.Label.make("Our home") }
      ]
      for (const change of changes) {
        const changed = yield* updatePlace(ADA, id, change, "unchecked")
        expect(yield* Effect.flip(updatePlace(ADA, id, form, made))).toMatchObject({
          _tag: "Conflict",
          reason: OUTDATED_FORM
        })
        expect(yield* listPlaces(ADA)).toEqual([changed])
      }
      const [now = made] = yield* listPlaces(ADA)
      // The user presses a button twice. The second press changes nothing and is accepted.
      for (const _ of [1, 2]) {
        expect(yield* updatePlace(ADA, id, form, now)).toMatchObject({ label: "My home", kind: "home" })
      }
    }).pipe(Effect.provide(UploadStores))
  )

  it.effect("archiving is idempotent: the first time stays", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOON)
      const { id } = yield* createPlace(ADA, HOME)
      yield* archivePlace(ADA, id)
      yield* TestClock.adjust("1 hour")
      yield* archivePlace(ADA, id)
      expect(yield* listPlaces(ADA)).toMatchObject([{ id, archivedAt: NOON }])
    }).pipe(Effect.provide(UploadStores))
  )

  it.effect("an archived place stays as it was: editing it is a conflict", () =>
    Effect.gen(function* () {
      const { id } = yield* createPlace(ADA, HOME)
      yield* archivePlace(ADA, id)
      expect((yield* Effect.flip(updatePlace(ADA, id, { radiusM: 200 }, "unchecked")))._tag).toBe("Conflict")
      expect(yield* listPlaces(ADA)).toMatchObject([{ circle: CIRCLE, geometryVersion: 1 }])
    }).pipe(Effect.provide(UploadStores))
  )

  it.effect("what is not there and what is another user's are not told apart", () =>
    Effect.gen(function* () {
      const { id } = yield* createPlace(ADA, HOME)
      const errors = yield* Effect.all([
        Effect.flip(updatePlace(BOB, id, {}, "unchecked")),
        Effect.flip(updatePlace(ADA, PlaceId.make("plc_none"), {}, "unchecked")),
        Effect.flip(archivePlace(BOB, id)),
        Effect.flip(archivePlace(ADA, PlaceId.make("plc_none")))
      ])
      expect(errors.map((error) => error._tag)).toEqual(["NotFound", "NotFound", "NotFound", "NotFound"])
      expect(yield* listPlaces(ADA)).toMatchObject([{ id, archivedAt: null }])
    }).pipe(Effect.provide(UploadStores))
  )
})
