import type { Fix } from "@place-access/domain/fixes"
import { Place } from "@place-access/domain/places"
import { DeviceId, PlaceId, Timestamp, TimeZone, UserId } from "@place-access/domain/shared"
import { Suggestion } from "@place-access/domain/timeline"
import { Option } from "effect"
import { describe, expect, it } from "vitest"

const { DAY, HOUR } = Timestamp
const zone = Option.getOrThrow(TimeZone.find("Europe/Berlin"))
const FLAT = { lat: 52.5, lon: 13.42 }
const OFFICE = { lat: 52.52, lon: 13.38 }
/** The beginning of the first day, which is midnight in Berlin. */
const BEGIN = Date.UTC(2026, 10, 1, 23)

/**
 * Readings every half hour at a point, on the day with this number (0 is the first), from the hour `from` to the hour
 * `until`.
 */
const there = (point: typeof FLAT, day: number, from: number, until: number): ReadonlyArray<Fix.StoredFix> =>
  Array.from({ length: (until - from) * 2 + 1 }, (_, index) => ({
    userId: UserId.make("usr_1"),
    deviceId: DeviceId.make("dev_1"),
    receivedAt: Timestamp.make(BEGIN),
    capturedAt: Timestamp.make(BEGIN + day * DAY + from * HOUR + (index * HOUR) / 2),
    lat: point.lat + (index % 2) * 0.0003,
    lon: point.lon,
    accuracyM: 15,
    altitudeM: null,
    speedMps: null,
    courseDeg: null
  }))

const week = (days: number) =>
  Array.from({ length: days }, (_, day) => [...there(FLAT, day, 0, 8), ...there(OFFICE, day, 9, 17)]).flat()

const found = (fixes: ReadonlyArray<Fix.StoredFix>, places: ReadonlyArray<Place.Place> = []) =>
  Suggestion.of(fixes, places, zone).map(({ count, kind }) => [kind, count])

describe("suggested places [timeline-3]", () => {
  it("nights make a home and days make work, from three on", () => {
    expect(found(week(5))).toEqual([
      ["home", 5],
      ["work", 5]
    ])
    expect(found(week(2))).toEqual([])
    // The fifth day begins 96 hours after `BEGIN`. Its last reading at home is from 8:00, and its last reading at work
    // is from 17:00.
    expect(Suggestion.of(week(5), [], zone).map(({ lastAt }) => (lastAt - BEGIN) / HOUR)).toEqual([104, 113])
  })

  it("a later stop that is no night and no working day says when the person was last there [timeline-4]", () => {
    const later = [...week(5), ...there(FLAT, 5, 19, 20), ...there(OFFICE, 5, 21, 22)]
    const last = Suggestion.of(later, [], zone).map(({ count, lastAt }) => [count, (lastAt - BEGIN) / HOUR])
    expect(last).toEqual([
      [5, 140],
      [5, 142]
    ])
  })

  it("a spot that is a place, or beside one, is not suggested", () => {
    const place = (point: typeof FLAT) =>
      Place.make(
        UserId.make("usr_1"),
        PlaceId.make("plc_1"),
        { label: Place.Label.make("Mine"), kind: "home", circle: { ...point, radiusM: 150 } },
        Timestamp.make(BEGIN)
      )
    expect(found(week(5), [place(FLAT)])).toEqual([["work", 5]])
    expect(found(week(5), [place({ ...OFFICE, lat: OFFICE.lat + 0.002 })])).toEqual([["home", 5]])
  })

  it("a night counts when it covers 03:00 of the zone; short stops never count", () => {
    const evenings = [0, 1, 2].flatMap((day) => [...there(FLAT, day, 19, 23), ...there(OFFICE, day, 23.5, 24)])
    expect(found(evenings)).toEqual([["work", 3]])
    expect(found([0, 1, 2].flatMap((day) => [...there(FLAT, day, 2, 4), ...there(OFFICE, day, 5, 7)]))).toEqual([])
  })

  it("a stop that begins after midnight counts as a night when it covers 03:00", () => {
    const lateNights = [0, 1, 2].flatMap((day) => [...there(FLAT, day, 1, 8), ...there(OFFICE, day, 9, 10)])
    expect(found(lateNights)).toEqual([["home", 3]])
    const mornings = [0, 1, 2].flatMap((day) => [...there(OFFICE, day, 2, 3), ...there(FLAT, day, 3.5, 8)])
    expect(found(mornings)).toEqual([["work", 3]])
  })

  it("03:00 is the time on the clock, also on the night when clocks change", () => {
    // On 25 October 2026, clocks in Berlin go back from 3:00 to 2:00, so 3:00 is four hours after midnight. The first
    // stop of day -8 ends at 2:30 after the change, and the first stop of the other days ends at 2:30 too.
    const shortNights = [-8, 0, 1].flatMap((day) => [...there(FLAT, day, -3, 2.5), ...there(OFFICE, day, 3, 4)])
    expect(found(shortNights)).toEqual([["work", 3]])
  })
})
