import { ingestFixes } from "@place-access/domain/fixes"
import { eraseHistory } from "@place-access/domain/retention-choice"
import { TimeZone } from "@place-access/domain/shared"
import { suggestPlaces } from "@place-access/domain/timeline"
import { MemoryFixHistory } from "@place-access/domain/testing"
import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { DAY, HOUR, NOON, time } from "../support/rules.js"
import { person, reading, run, UploadStores } from "../support/uploads.js"

const FLAT = { lat: 48.137, lon: 11.575 }
/** The noons before the last three nights, relative to `NOON`. */
const NOONS = [-3 * DAY, -2 * DAY, -DAY]

it.effect(
  "a night that the owner deleted does not count, also when readings on both sides of it stay [timeline-3, retention-choice-4]",
  () =>
    run(
      Effect.gen(function* () {
        const { phone, user } = yield* person
        // Each night, a reading every half hour from 20:00 until 08:00.
        const readings = NOONS.flatMap((noon) =>
          Array.from({ length: 25 }, (_, index) => reading(noon + 8 * HOUR + (index * HOUR) / 2, FLAT))
        )
        yield* ingestFixes(phone, readings, [])
        const suggested = Effect.map(suggestPlaces(user.id, TimeZone.UTC), (all) =>
          all.map(({ count, kind }) => [kind, count])
        )
        expect(yield* suggested).toEqual([["home", 3]])
        for (const noon of NOONS) {
          const stretch = { from: time(NOON + noon + 10 * HOUR), until: time(NOON + noon + 18 * HOUR) }
          yield* eraseHistory(user.id, stretch)
        }
        expect(yield* suggested).toEqual([])
      }).pipe(Effect.provide(Layer.provideMerge(MemoryFixHistory.layer, UploadStores)))
    )
)
