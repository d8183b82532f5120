import { Fix, ingestFixes } from "@place-access/domain/fixes"
import { createPlace, Place } from "@place-access/domain/places"
import { chooseHistory, eraseHistory } from "@place-access/domain/retention-choice"
import type { Timestamp } from "@place-access/domain/shared"
import { sweepHistory } from "@place-access/domain/sweeps"
import {
  Fixtures,
  ImportSamples,
  MemoryDatabase,
  MemoryImportStore,
  RuleSamples,
  UploadSamples,
  VisitSamples
} from "@place-access/domain/testing"
import { deriveStays, Stay, VisitStore } from "@place-access/domain/visits"
import { expect, it } from "@effect/vitest"
import { Effect, FastCheck as fc, Layer, TestClock } from "effect"
import { at as away, CIRCLE, DAY, HOUR, INSIDE, MINUTE, NOON, OUTSIDE, time } from "../support/rules.js"
import { VisitStores } from "../support/visits.js"

const FAR = away(9_000)

/** A time in the two hours before noon, in half minutes. So some absences are shorter than two minutes. */
const moment = fc.integer({ min: 0, max: 240 })
const at = (half: number) => time(NOON + (half - 240) * (MINUTE / 2))

/** `isFile`: the readings are a piece of an imported file. Otherwise a phone sends them. */
type Happening =
  | { readonly kind: "upload"; readonly isFile: boolean; readonly seen: ReadonlyArray<readonly [number, boolean]> }
  | { readonly kind: "derive"; readonly isFile: boolean; readonly stepsMax: number; readonly fixesAStep: number }
  | { readonly kind: "erase"; readonly from: number; readonly length: number }
  | { readonly kind: "create" }

const happening: fc.Arbitrary<Happening> = fc.oneof(
  fc.record({
    kind: fc.constant("upload" as const),
    isFile: fc.boolean(),
    seen: fc.array(fc.tuple(moment, fc.boolean()), { minLength: 1, maxLength: 25 })
  }),
  fc.record({
    kind: fc.constant("derive" as const),
    isFile: fc.boolean(),
    stepsMax: fc.integer({ min: 1, max: 5 }),
    fixesAStep: fc.integer({ min: 1, max: 12 })
  }),
  fc.record({ kind: fc.constant("erase" as const), from: moment, length: fc.integer({ min: 1, max: 60 }) }),
  fc.constant({ kind: "create" as const })
)

it.effect.prop(
  "whatever is uploaded, imported, derived and deleted in whatever order: the stays are those of what is left, and a file's stays end with the file [retention-choice-4, visits-6, visits-7]",
  [fc.array(happening, { minLength: 3, maxLength: 14 })],
  ([happenings]) =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOON)
      const phone = yield* VisitSamples.phone
      const { userId } = phone
      const create = createPlace(userId, { label: Place.Label.make("Home"), kind: "home", circle: CIRCLE })
      const places = [yield* create]
      const made = yield* ImportSamples.waiting(userId)
      const { lease } = yield* ImportSamples.claimed(made, "file", time(NOON))
      const file = { userId, id: made.deviceId }
      const tables = yield* MemoryDatabase
      const isErased = (captured: Timestamp.Timestamp) =>
        (tables.erasures.get(userId) ?? []).some(({ from, until }) => from <= captured && captured < until)
      let newestOfFile = Number.NEGATIVE_INFINITY
      for (const one of happenings) {
        switch (one.kind) {
          case "upload": {
            const fixes = one.seen.map(([half, isInside]) => ({
              ...(isInside ? INSIDE : OUTSIDE),
              capturedAt: at(half),
              accuracyM: 10
            }))
            if (one.isFile) {
              // The positions of the file differ from those of the phone. If two positions were equal, the file would
              // share the reading with the phone.
              const entries = fixes
                .flatMap(({ capturedAt, ...fix }) =>
                  UploadSamples.fixes(1, capturedAt, { ...fix, lat: fix.lat + 0.000_1 })
                )
                .sort(Fix.byCapture)
              yield* ImportSamples.advance(ImportSamples.step(made, lease, time(NOON), { fixes: entries }))
              const stored = entries.filter(({ capturedAt }) => !isErased(capturedAt))
              newestOfFile = Math.max(newestOfFile, ...stored.map(({ capturedAt }) => capturedAt))
            } else yield* ingestFixes(phone, fixes, [])
            break
          }
          case "derive":
            yield* deriveStays(userId, one.isFile ? file.id : phone.id, one)
            break
          case "create":
            if (places.length < 3) places.push(yield* create)
            break
          case "erase": {
            const until = Math.min(240, one.from + one.length)
            if (until > one.from) yield* eraseHistory(userId, { from: at(one.from), until: at(until) })
          }
        }
      }
      for (const device of [phone, file]) {
        yield* deriveStays(userId, device.id, { stepsMax: 1_000, fixesAStep: 7 })
        const left = [...tables.fixes.values()].filter(({ deviceId }) => deviceId === device.id).sort(Fix.byCapture)
        expect(left.filter(({ capturedAt }) => isErased(capturedAt))).toEqual([])
        for (const { id: placeId } of places) {
          const expected = Stay.derive(
            { placeId, shapes: tables.placeShapes.get(placeId) ?? [], archivedAt: null },
            Stay.beforeOf(undefined, null),
            left,
            tables.erasures.get(userId)
          )
          const span = { deviceId: device.id, placeId, from: time(0), to: null }
          const shown = yield* (yield* VisitStore).staysWithin(userId, [span])
          const end = device === file ? newestOfFile : Infinity
          expect(shown.map(({ arrival, departure }) => [arrival, departure ?? Infinity])).toEqual(
            expected.map(({ arrival, departure }) => [arrival, Math.min(departure ?? Infinity, end)])
          )
        }
      }
    }).pipe(Effect.provide(MemoryImportStore.layer.pipe(Layer.provideMerge(VisitStores)))),
  { fastCheck: { numRuns: 300 } }
)

it.effect(
  "a stretch deleted in a silence leaves the end uncertain, whenever the far reading comes [retention-choice-4, visits-11]",
  () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOON)
      const hour = (before: number) => time(NOON - before * HOUR)
      const fix = (before: number, where: typeof INSIDE) => ({ ...where, capturedAt: hour(before), accuracyM: 10 })
      const home = [fix(10, INSIDE), fix(9, INSIDE)]
      const far = [fix(1, FAR)]
      const stretch = { from: hour(7), until: hour(6) }
      for (const isLast of [false, true]) {
        const phone = yield* VisitSamples.phone
        const { userId } = phone
        yield* createPlace(userId, { label: Place.Label.make("Home"), kind: "home", circle: CIRCLE })
        const derive = deriveStays(userId, phone.id, { stepsMax: 10, fixesAStep: 5 })
        yield* ingestFixes(phone, isLast ? home : [...home, ...far], [])
        yield* derive
        yield* eraseHistory(userId, stretch)
        yield* derive
        if (isLast) yield* ingestFixes(phone, far, [])
        yield* derive
        const stored = [...(yield* MemoryDatabase).stays.values()].filter((stay) => stay.userId === userId)
        expect(stored.map(({ arrival, departure, heardUntil }) => ({ arrival, departure, heardUntil }))).toEqual([
          { arrival: hour(10), departure: hour(7), heardUntil: hour(9) }
        ])
      }
    }).pipe(Effect.provide(VisitStores))
)

it.effect.each([
  ["the phone sent to its end", 25.5, OUTSIDE, null],
  ["only the reading that ended it is left", 31, OUTSIDE, null],
  ["its end is uncertain", 31, FAR, 31]
] as const)(
  "a stay from before the kept history stays whole when an older stretch is deleted: %s [retention-choice-2, retention-choice-4]",
  ([, lastInside, where, heardUntil]) =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOON)
      const day = (before: number) => time(NOON - before * DAY)
      const { id: userId } = yield* Fixtures.user
      const phone = yield* RuleSamples.device(userId)
      yield* createPlace(userId, { label: Place.Label.make("Home"), kind: "home", circle: CIRCLE })
      const inside = Array.from({ length: 26 }, (_, half) => 38 - half / 2).filter((before) => before >= lastInside)
      const fixes = [
        ...inside.map((before) => ({ ...INSIDE, capturedAt: day(before), accuracyM: 10 })),
        { ...where, capturedAt: day(25), accuracyM: 10 }
      ]
      yield* ingestFixes(phone, fixes, [])
      const derive = deriveStays(userId, phone.id, { stepsMax: 10, fixesAStep: 5 })
      yield* derive
      yield* chooseHistory(userId, 30)
      yield* sweepHistory(time(NOON))
      const { fixes: left, stays } = yield* MemoryDatabase
      expect(Math.min(...[...left.values()].map(({ capturedAt }) => capturedAt))).toBeGreaterThanOrEqual(day(30))
      yield* eraseHistory(userId, { from: day(60), until: day(50) })
      yield* derive
      expect([...stays.values()].map((one) => [one.arrival, one.departure, one.heardUntil])).toEqual([
        [day(38), day(25), heardUntil === null ? null : day(heardUntil)]
      ])
    }).pipe(Effect.provide(VisitStores))
)

it.effect(
  "the uncertain end of a stay whose readings are gone does not reach into a deleted stretch [retention-choice-4, visits-11]",
  () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOON)
      const day = (before: number) => time(NOON - before * DAY)
      const { id: userId } = yield* Fixtures.user
      const phone = yield* RuleSamples.device(userId)
      yield* createPlace(userId, { label: Place.Label.make("Home"), kind: "home", circle: CIRCLE })
      const inside = [38, 36, 34, 32, 31].map((before) => ({ ...INSIDE, capturedAt: day(before), accuracyM: 10 }))
      yield* ingestFixes(phone, [...inside, { ...FAR, capturedAt: day(25), accuracyM: 10 }], [])
      const derive = deriveStays(userId, phone.id, { stepsMax: 10, fixesAStep: 5 })
      yield* derive
      yield* chooseHistory(userId, 30)
      yield* sweepHistory(time(NOON))
      yield* eraseHistory(userId, { from: day(33), until: day(30.5) })
      yield* derive
      const { stays } = yield* MemoryDatabase
      expect([...stays.values()].map((one) => [one.arrival, one.departure, one.heardUntil])).toEqual([
        [day(38), day(33), null]
      ])
    }).pipe(Effect.provide(VisitStores))
)
