import type { Fix } from "@place-access/domain/fixes"
import { Timestamp } from "@place-access/domain/shared"
import { describe, expect, it } from "vitest"
import { draw } from "../../src/pages/timeline/drawing.js"

const { HOUR, MINUTE, SECOND } = { ...Timestamp, SECOND: 1_000 }

/**
 * Readings of a way to the north. The first reading is at the time `from`, and the next readings follow every `step`
 * milliseconds.
 */
const way = (from: number, step: number, count: number): ReadonlyArray<Fix.Fix> =>
  Array.from({ length: count }, (_, index) => ({
    capturedAt: Timestamp.make(from + index * step),
    lat: 52 + index / 10_000,
    lon: 5 + from / HOUR / 100,
    accuracyM: 10,
    altitudeM: null,
    speedMps: null,
    courseDeg: null
  }))

/** The number of points of each line in the picture. */
const lengths = (...ways: ReadonlyArray<ReadonlyArray<Fix.Fix>>): ReadonlyArray<number> => {
  const picture = draw({ fixes: ways.flat(), places: [], segments: [] })
  const text = picture.in({ language: "en", zone: null, now: Timestamp.make(0) })
  return [...text.matchAll(/<polyline class="way" points="([^"]*)"/g)].map(
    ([, points = ""]) => points.split(" ").length
  )
}

describe("the picture of a day [timeline-2]", () => {
  it("has each way of the day, also a short one beside thousands of readings, with about 1,500 points in all", () => {
    const [many, few] = [way(0, SECOND, 15_000), way(8 * HOUR, 20 * MINUTE, 4)]
    expect(lengths(many, few, way(12 * HOUR, MINUTE, 2))).toEqual([1_499, 2, 2])
    expect(lengths(few, way(12 * HOUR, MINUTE, 2))).toEqual([4, 2])
  })

  it("gives each way its share of the points, and keeps its first and last reading", () => {
    const found = lengths(way(0, SECOND, 6_000), way(6 * HOUR, SECOND, 3_000), way(12 * HOUR, SECOND, 1))
    expect(found).toEqual([999, 499, 1])
  })
})
