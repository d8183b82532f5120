import type { Fix } from "@place-access/domain/fixes"
import type { Place } from "@place-access/domain/places"
import { DeviceId, PlaceId, Timestamp, UserId } from "@place-access/domain/shared"
import { OwnVisit, Trace } from "@place-access/domain/timeline"
import { FastCheck as fc } from "effect"
import { describe, expect, it } from "vitest"

const { HOUR, MINUTE } = Timestamp
const at = (millis: number) => Timestamp.make(millis)

const fix = (minutes: number, metresNorth: number, more: Partial<Fix.StoredFix> = {}): Fix.StoredFix => ({
  userId: UserId.make("usr_1"),
  deviceId: DeviceId.make("dev_1"),
  receivedAt: at(minutes * MINUTE),
  capturedAt: at(minutes * MINUTE),
  lat: 52 + metresNorth / 111_320,
  lon: 13,
  accuracyM: 10,
  altitudeM: null,
  speedMps: null,
  courseDeg: null,
  ...more
})

const place = (id: string): Place.PlaceRef => ({ id: PlaceId.make(id), label: id, kind: "home" })
const DAY = { from: at(0), until: at(24 * HOUR) }
const END = at(48 * HOUR)

/** Readings of a day in the order of capture, at random times and points. */
const fixes = fc
  .array(fc.record({ minutes: fc.integer({ min: 0, max: 1_439 }), north: fc.integer({ min: 0, max: 5_000 }) }), {
    maxLength: 60
  })
  .map((all) => all.sort((a, b) => a.minutes - b.minutes).map(({ minutes, north }) => fix(minutes, north)))

const visits = fc.array(
  fc
    .record({
      begin: fc.integer({ min: -600, max: 1_500 }),
      minutes: fc.integer({ min: 5, max: 900 }),
      isOpen: fc.boolean(),
      name: fc.constantFrom("a", "b")
    })
    .map(({ begin, isOpen, minutes, name }) => ({
      arrival: at(begin * MINUTE),
      departure: isOpen ? null : at((begin + minutes) * MINUTE),
      isUncertain: false,
      place: place(`plc_${name}`)
    })),
  { maxLength: 5 }
)

describe("a day as stays, stops, ways and gaps [timeline-2]", () => {
  it("covers every moment until now once, beside stays, which may overlap each other only", () => {
    fc.assert(
      fc.property(visits, fixes, fc.integer({ min: 1, max: 2_880 }), (stays, readings, now) => {
        const until = Math.min(DAY.until, now * MINUTE)
        const found = Trace.segments(DAY, stays, readings, at(now * MINUTE))
        const others = found.filter(({ kind }) => kind !== "stay")
        for (let time = 0; time < until; time += 7 * MINUTE + 1) {
          const here = found.filter((one) => one.from <= time && time < one.until)
          const between = others.filter((one) => one.from <= time && time < one.until)
          expect(here.length).toBeGreaterThan(0)
          expect(between.length).toBe(here.some(({ kind }) => kind === "stay") ? 0 : 1)
        }
        expect(found.every((one) => one.from >= DAY.from && one.until <= until && one.from < one.until)).toBe(true)
      }),
      { numRuns: 300 }
    )
  })

  it("a stop is 10 minutes near one spot, a shorter one belongs to the way, and silence of 70 minutes is a gap", () => {
    const rest = (from: number, minutes: number, north: number) =>
      Array.from({ length: minutes + 1 }, (_, index) => fix(from + index, north + (index % 2) * 30))
    const moving = Array.from({ length: 20 }, (_, index) => fix(100 + index, 2_000 + index * 200))
    const kinds = (found: ReadonlyArray<Trace.Segment>) => found.map(({ kind }) => kind)
    const day = (readings: ReadonlyArray<Fix.StoredFix>) => kinds(Trace.segments(DAY, [], readings, END))
    expect(day([...rest(0, 30, 0), ...moving])).toEqual(["stop", "gap", "way", "gap"])
    expect(day([...rest(91, 8, 0), ...moving])).toEqual(["gap", "way", "gap"])
    expect(day([])).toEqual(["gap"])
  })

  it.each([0.5, 1.5, 3])(
    "who moves at %d m/s with a reading each second makes a way and no stop [timeline-2]",
    (speed) => {
      const moving = Array.from({ length: 3_000 }, (_, second) => fix(second / 60, second * speed))
      expect(Trace.stops(moving)).toEqual([])
      const kinds = Trace.segments(DAY, [], moving, END).map(({ kind }) => kind)
      expect(kinds).toEqual(["way", "gap"])
    }
  )

  it("who rests is at one stop, around the middle of all its readings, also beside the date line [timeline-2]", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: -40, max: 40 }), fc.integer({ min: -40, max: 40 })), {
          minLength: 601,
          maxLength: 1_200
        }),
        fc.constantFrom(13, 180, -180),
        (offsets, centre) => {
          const east = (metres: number) => ((centre + metres / 68_500 + 540) % 360) - 180
          const resting = offsets.map(([north, metres], second) => fix(second / 60, north, { lon: east(metres) }))
          const found = Trace.stops(resting)
          expect(found.map(({ from, until }) => [from, until])).toEqual([[at(0), resting.at(-1)?.capturedAt]])
          expect(Math.abs((((found[0]?.centre.lon ?? 0) - centre + 540) % 360) - 180)).toBeLessThan(41 / 68_500)
        }
      ),
      { numRuns: 20 }
    )
  })

  it("who walks to a spot, rests there and walks on has one stop, at the spot [timeline-2]", () => {
    const walk = (from: number, north: number) =>
      Array.from({ length: 1_200 }, (_, second) => fix(from + second / 60, north + second * 1.5))
    const rest = Array.from({ length: 1_800 }, (_, second) => fix(20 + second / 60, 1_800 + (second % 3) * 10))
    const [stop, ...others] = Trace.stops([...walk(0, 0), ...rest, ...walk(50, 1_800)])
    expect(others).toEqual([])
    const { centre, from, until } = stop ?? { centre: { lat: 0 }, from: 0, until: 0 }
    expect([from, until].map((time) => Math.abs(time / MINUTE - 35) - 15)).toSatisfy((ends: ReadonlyArray<number>) =>
      ends.every((minutes) => minutes >= 0 && minutes < 3)
    )
    expect(Math.abs((centre.lat - 52) * 111_320 - 1_800)).toBeLessThan(30)
  })

  it("the line is the phone that said most, without imprecise readings, in order", () => {
    const other = { deviceId: DeviceId.make("dev_2") }
    const line = Trace.line([
      fix(3, 0),
      fix(1, 0),
      fix(2, 0, other),
      fix(2, 0, { accuracyM: 500 }),
      fix(4, 0, { accuracyM: null })
    ])
    expect(line.map(({ capturedAt }) => capturedAt / MINUTE)).toEqual([1, 3, 4])
  })

  it("the line is the phone with the most precise readings, not one that sent more, but imprecise ones [timeline-2]", () => {
    const imprecise = [1, 2, 3].map((minute) => fix(minute, 0, { accuracyM: 500 }))
    const other = { deviceId: DeviceId.make("dev_2") }
    const line = Trace.line([...imprecise, fix(5, 0, other), fix(4, 0, other)])
    expect(line.map(({ capturedAt }) => capturedAt / MINUTE)).toEqual([4, 5])
  })

  it("a deleted stretch stands between what was before and after it, cut to the day and to now [retention-choice-4]", () => {
    const readings = Array.from({ length: 25 }, (_, index) => fix(index * 2, 0)).filter(
      ({ capturedAt }) => capturedAt < at(20 * MINUTE) || capturedAt >= at(30 * MINUTE)
    )
    const stretch = (from: number, until: number) => ({ from: at(from * MINUTE), until: at(until * MINUTE) })
    const found = Trace.segments(DAY, [], readings, at(48 * MINUTE), {
      erasures: [stretch(20, 30), stretch(47, 99), stretch(-9, 0)]
    })
    expect(found.map(({ from, kind, until }) => [kind, from / MINUTE, until / MINUTE])).toEqual([
      ["stop", 0, 20],
      ["erased", 20, 30],
      ["stop", 30, 47],
      ["erased", 47, 48]
    ])
  })

  it("a way has two readings or more: one at the edge of a deleted stretch, or alone in a silence, is none", () => {
    const stretch = { from: at(20 * MINUTE), until: at(90 * MINUTE) }
    const kinds = (readings: ReadonlyArray<Fix.StoredFix>, now: number) =>
      Trace.segments(DAY, [], readings, at(now * MINUTE), { erasures: [stretch] }).map(({ from, kind, until }) => [
        kind,
        from / MINUTE,
        until / MINUTE
      ])
    const erased = ["erased", 20, 90]
    expect(kinds([fix(12, 0)], 90)).toEqual([["gap", 0, 20], erased])
    expect(kinds([fix(12, 0), fix(13, 400)], 90)).toEqual([["way", 0, 20], erased])
    // Soon after the deleted stretch comes one reading, and then none for hours. The time before this reading is too
    // short for a gap of its own, so it belongs to the gap after the reading.
    expect(kinds([fix(95, 0)], 400)).toEqual([["gap", 0, 20], erased, ["gap", 90, 400]])
    // The phone sent nothing for a long time, then one reading, and then nothing again. The reading shows when the
    // phone sent, so the two silences must stay two gaps.
    expect(kinds([fix(200, 0)], 400)).toEqual([["gap", 0, 20], erased, ["gap", 90, 200], ["gap", 200, 400]])
  })

  it("no way is without two readings, and no gap lies beside a short one", () => {
    fc.assert(
      fc.property(visits, fixes, (stays, readings) => {
        const found = Trace.segments(DAY, stays, readings, END)
        const inside = ({ from, until }: Trace.DayPart) =>
          readings.filter(({ capturedAt }) => capturedAt >= from && capturedAt <= until).length
        expect(found.filter((one) => one.kind === "way" && inside(one) < 2)).toEqual([])
        const isShortGap = (one: Trace.Segment | undefined) =>
          one?.kind === "gap" && one.until - one.from < Trace.MIN_GAP
        const touching = found.filter((one, index) => {
          const next = found[index + 1]
          return one.kind === "gap" && next?.kind === "gap" && (isShortGap(one) || isShortGap(next))
        })
        expect(touching).toEqual([])
      }),
      { numRuns: 300 }
    )
  })

  it("an open stay is known until the last reading, when the phone has been silent since [timeline-4]", () => {
    const open = [{ arrival: at(-2 * HOUR), departure: null, isUncertain: false, place: place("plc_a") }]
    const day = (lastReading: number | null, now: number, from = 0) =>
      Trace.segments({ from: at(from), until: at(from + 24 * HOUR) }, open, [], at(now), {
        heardAt: lastReading === null ? null : at(lastReading)
      }).map((one) => [one.kind === "stay" ? one.end : one.kind, one.from / HOUR, one.until / HOUR])
    expect(day(3 * HOUR, 4 * HOUR)).toEqual([["still", 0, 4]])
    expect(day(3 * HOUR, 9 * HOUR)).toEqual([
      ["unheard", 0, 3],
      ["gap", 3, 9]
    ])
    expect(day(3 * HOUR, 30 * HOUR, 24 * HOUR)).toEqual([["gap", 24, 30]])
    // The phone sent no reading since the arrival: it only reported the visit. Then the silence of the phone must not
    // end the visit.
    expect(day(null, 9 * HOUR)).toEqual([["still", 0, 9]])
    expect(day(-3 * HOUR, 9 * HOUR)).toEqual([["still", 0, 9]])
  })

  it("an open stay with one reading, its arrival, ends with that reading after a long silence [timeline-4]", () => {
    const open = { arrival: at(-2 * HOUR), departure: null, isUncertain: false }
    const end = (now: number) => OwnVisit.endOf(open, at(-2 * HOUR), at(now))
    expect(end(-HOUR)).toEqual({ kind: "still", at: at(-HOUR) })
    expect(end(9 * HOUR)).toEqual({ kind: "unheard", at: at(-2 * HOUR) })
  })

  it("totals count the part of the day that was spent there, longest first", () => {
    const found = Trace.segments(
      DAY,
      [
        { arrival: at(-5 * HOUR), departure: at(HOUR), isUncertain: false, place: place("plc_a") },
        { arrival: at(2 * HOUR), departure: at(5 * HOUR), isUncertain: false, place: place("plc_b") },
        { arrival: at(23 * HOUR), departure: null, isUncertain: false, place: place("plc_a") }
      ],
      [],
      END
    )
    expect(Trace.totals(found).map(({ millis, place: { id }, visits: count }) => [id, count, millis / HOUR])).toEqual([
      ["plc_b", 1, 3],
      ["plc_a", 2, 2]
    ])
  })

  it("a thinned line keeps its ends", () => {
    expect(Trace.thinned([1, 2, 3, 4, 5, 6, 7], 3)).toEqual([1, 4, 7])
    expect(Trace.thinned([1, 2], 3)).toEqual([1, 2])
  })
})
