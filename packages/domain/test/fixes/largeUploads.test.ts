import { Fix, FixStore, ingestFixes, type StoredUpload, UploadPace } from "@place-access/domain/fixes"
import { Timestamp } from "@place-access/domain/shared"
import { MemoryDatabase } from "@place-access/domain/testing"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, TestClock } from "effect"
import { DAY, INSIDE, MINUTE, NOON, OUTSIDE, time } from "../support/rules.js"
import { person, reading, RIDE, run } from "../support/uploads.js"

/** A store whose commits take `millis` each, and a list with `sizeOf` of each committed upload. */
const recorded = (sizeOf: (upload: StoredUpload) => number, millis: number) =>
  Effect.map(FixStore, (store) => {
    const sizes: Array<number> = []
    const recording = FixStore.of({
      ...store,
      commit: (commit) =>
        Effect.gen(function* () {
          sizes.push(...commit.uploads.map(sizeOf))
          yield* Effect.sleep(millis)
          return yield* store.commit(commit)
        })
    })
    return { sizes, store: recording }
  })

describe("an upload", () => {
  it.effect(
    "of thousands of readings is taken in by parts, like one upload after the other, oldest first [fixes-8]",
    () =>
      run(
        Effect.gen(function* () {
          // A reading every 100 ms, and an arrival every 90 s. The last hundred readings have one capture time, twenty
          // readings are sent twice, and one reading is impossible.
          const ride = Array.from({ length: 4_000 }, (_, index) =>
            reading(-14 * MINUTE + Math.min(index, 3_900) * 100, Math.floor(index / 450) % 2 === 0 ? OUTSIDE : INSIDE, {
              accuracyM: 10 + (index % 7)
            })
          )
          const impossible = reading(-14 * MINUTE, { lat: 91, lon: 0 })
          const sent = [...ride, ...ride.slice(1_990, 2_010), impossible].map(
            (one, index, all) => all[(index * 37) % all.length] ?? one
          )
          const [whole, small] = [yield* person, yield* person]
          const tables = yield* MemoryDatabase
          const outcome = (of: typeof whole) => ({
            fixes: [...tables.fixes.values()]
              .filter(({ userId }) => userId === of.user.id)
              .map(Fix.key)
              .sort(),
            events: [...tables.events.values()]
              .filter(({ userId }) => userId === of.user.id)
              .map((event) => [event.payload.type, event.occurredAt - NOON])
          })
          const answer = yield* ingestFixes(whole.phone, sent, [])
          const sorted = Fix.sortedAndDistinct(
            ride.map((one) => ({
              ...one,
              altitudeM: null,
              speedMps: null,
              courseDeg: null,
              accuracyM: one.accuracyM ?? null
            }))
          )
          for (let from = 0; from < sorted.length; from += 900) {
            yield* ingestFixes(small.phone, sorted.slice(from, from + 900), [])
          }
          expect(answer).toEqual({
            accepted: sorted.length,
            duplicates: sent.length - 1 - sorted.length,
            quarantined: 1
          })
          expect(outcome(whole)).toEqual(outcome(small))
          expect(outcome(whole).events.length).toBeGreaterThan(3)
          expect(yield* ingestFixes(whole.phone, sent, [])).toEqual({
            accepted: 0,
            duplicates: sent.length - 1,
            quarantined: 1
          })
        })
      )
  )

  it.effect("of 1,001 visits is stored in parts of 250 at most, each visit once [fixes-8]", () =>
    run(
      Effect.gen(function* () {
        const { phone } = yield* person
        const { sizes, store } = yield* recorded((upload) => upload.visits.length, 0)
        const visits = Array.from({ length: 1_001 }, (_, index) => ({
          arrival: time(NOON - DAY - index * MINUTE),
          departure: time(NOON - DAY - index * MINUTE + 1_000),
          ...INSIDE,
          accuracyM: null
        }))
        const ingest = ingestFixes(phone, RIDE, visits).pipe(Effect.provideService(FixStore, store))
        expect(yield* ingest).toEqual({ accepted: 3, duplicates: 0, quarantined: 0 })
        expect(sizes).toEqual([250, 250, 250, 250, 1])
        const { visitReports } = yield* MemoryDatabase
        expect(visitReports.size).toBe(1_001)
      })
    )
  )

  it.effect.each([
    ["a quarter of the time", { partEntries: 400, share: 0.25 }, [400, 400, 201], 30],
    ["a server on PostgreSQL", UploadPace.FAIR, [250, 250, 250, 250, 1], 10],
    ["a process without other requests", UploadPace.QUICK, [250, 250, 250, 250, 1], 0]
  ] as const)(
    "at the pace of %s pauses after each part in proportion to the time it took [fixes-8]",
    ([, pace, parts, pauseMs]) =>
      run(
        Effect.gen(function* () {
          const { phone } = yield* person
          const { sizes, store } = yield* recorded((upload) => upload.fixes.length, 10)
          const readings = Array.from({ length: 1_001 }, (_, index) => reading(-14 * MINUTE + index, OUTSIDE))
          const upload = yield* ingestFixes(phone, readings, []).pipe(
            Effect.provideService(FixStore, store),
            Effect.provideService(UploadPace.Current, pace),
            Effect.zipRight(Timestamp.now),
            Effect.fork
          )
          yield* TestClock.adjust(1_000)
          expect(sizes).toEqual(parts)
          expect((yield* Fiber.join(upload)) - NOON).toBe(parts.length * (10 + pauseMs))
        })
      )
  )
})
