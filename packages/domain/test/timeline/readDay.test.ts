import { type Fix, FixHistory, RangePosition } from "@place-access/domain/fixes"
import { DeviceId, UserId } from "@place-access/domain/shared"
import { MemoryAccessLogStore, MemoryFixHistory } from "@place-access/domain/testing"
import { Gpx, readDay, readTracks } from "@place-access/domain/timeline"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer, TestClock } from "effect"
import { DAY, INSIDE, NOON, time } from "../support/rules.js"
import { VisitStores } from "../support/visits.js"

const userId = UserId.make("usr_1")
const FROM = NOON - (NOON % DAY)
const day = { date: "2026-01-01", from: time(FROM), until: time(FROM + DAY) } as Parameters<typeof readDay>[1]

/** The day of a phone that sent `count` readings, a millisecond apart. The last reading is from noon. */
const dayOf = (count: number) => {
  const sent = Array.from({ length: count }, (_, n) => {
    const at = time(NOON - n)
    return { ...INSIDE, userId, deviceId: DeviceId.make("dev_1"), capturedAt: at, receivedAt: at } as Fix.StoredFix
  })
  return TestClock.setTime(NOON).pipe(
    Effect.zipRight(readDay(userId, day)),
    Effect.updateService(FixHistory, (history) => ({
      ...history,
      newest: (_user, _now, _within, limit) => Effect.succeed(sent.slice(0, limit))
    })),
    Effect.provide(Layer.provideMerge(Layer.mergeAll(MemoryAccessLogStore.layer, MemoryFixHistory.layer), VisitStores))
  )
}

describe("readDay", () => {
  it.effect("a day with 20,000 readings is whole, and one with 20,001 is cut", () =>
    Effect.gen(function* () {
      expect((yield* dayOf(20_000)).isCut).toBe(false)
      expect((yield* dayOf(20_001)).isCut).toBe(true)
    })
  )
})

describe("readTracks [timeline-2]", () => {
  const reading = (device: string, at: number, over: Partial<Fix.StoredFix> = {}) =>
    ({
      ...INSIDE,
      userId,
      deviceId: DeviceId.make(device),
      capturedAt: time(at),
      receivedAt: time(at),
      ...over
    }) as Fix.StoredFix

  const tracksOf = (sent: ReadonlyArray<Fix.StoredFix>) =>
    readTracks(userId, day).pipe(
      Effect.updateService(FixHistory, (history) => ({
        ...history,
        range: (_user, _now, within, limit, after) =>
          Effect.sync(() => {
            const position = RangePosition.start(within.from, after)
            const rest = sent.filter(({ capturedAt }) => capturedAt >= position.from)
            return RangePosition.page(rest, limit, position)
          })
      })),
      Effect.provide(MemoryFixHistory.layer.pipe(Layer.provideMerge(VisitStores)))
    )

  it.effect("a track for each device, also with imprecise readings and those of a device that stayed at home", () =>
    Effect.gen(function* () {
      const [phone, tablet, imprecise] = [
        reading("dev_phone", FROM + 1),
        reading("dev_tablet", FROM + 2, { isLeftBehind: true }),
        reading("dev_phone", FROM + 3, { accuracyM: 5_000 })
      ]
      const tracks = yield* tracksOf([imprecise, tablet, phone])
      expect(tracks).toEqual([[phone, imprecise], [tablet]])
      const file = Gpx.write(tracks)
      expect([file.match(/<trk>/g)?.length, file.match(/<trkpt /g)?.length]).toEqual([2, 3])
      expect(file.match(/<\/?(?:trk|trkseg)>/g)?.join("")).toBe("<trk><trkseg></trkseg></trk>".repeat(2))
    })
  )

  it("a file has decimal numbers, also for a position very near to the equator: GPX knows no exponent", () => {
    const file = Gpx.write([[reading("dev_phone", FROM, { lat: -1.5e-7, lon: 4.9, altitudeM: 2e-8, speedMps: 0 })]])
    expect(file).toContain('<trkpt lat="-0.000000150" lon="4.9"><ele>0.000000020</ele>')
    expect(file).toContain("<speed>0</speed>")
  })

  it.effect("all pages of a day, at most the first 100,000 readings", () =>
    Effect.gen(function* () {
      const sent = Array.from({ length: Gpx.MOST_READINGS + 1 }, (_, n) => reading("dev_phone", FROM + n))
      const sizeOf = (count: number) => Effect.map(tracksOf(sent.slice(0, count)), ([track]) => track?.length)
      expect(yield* sizeOf(20_001)).toBe(20_001)
      const [track] = yield* tracksOf(sent)
      expect([track?.length, track?.at(-1)]).toEqual([Gpx.MOST_READINGS, sent[Gpx.MOST_READINGS - 1]])
    })
  )
})
