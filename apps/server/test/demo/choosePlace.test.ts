import { Geometry } from "@place-access/domain/places"
import { describe, expect, it } from "vitest"
import { choosePlace, watcher } from "../../src/demo/choosePlace.js"
import type { Upload } from "../../src/demo/PhoneLog.js"

const METRES_PER_DEGREE = 111_250
const START = Date.UTC(2026, 0, 15, 10)

/**
 * A journey straight to the north. `metres` has the distance from the start at each half minute. The phone uploads each
 * reading immediately.
 */
const journey = (...metres: ReadonlyArray<number>): ReadonlyArray<Upload> =>
  metres.map((north, index) => {
    const at = START + index * 30_000
    const where = { lat: 50 + north / METRES_PER_DEGREE, lon: 10 }
    const rest = { accuracyM: 5, speedMps: 1, courseDeg: 0, altitudeM: 0 }
    return { at, readings: [{ capturedAt: at, writtenAt: at, ...where, ...rest }] }
  })

describe("the place of a demo", () => {
  const stay = Array.from({ length: 16 }, () => 2_000)
  const uploads = journey(0, 700, 1_400, ...stay, 2_700, 3_400, 4_100)

  it("is where the log arrives, stays and leaves, and no bigger than it must be", () => {
    const place = choosePlace(uploads)
    expect(place?.radiusM).toBe(150)
    expect(
      Geometry.distanceM(place ?? { lat: 0, lon: 0 }, { lat: 50 + 2_000 / METRES_PER_DEGREE, lon: 10 })
    ).toBeLessThan(1)
    expect(uploads.flatMap(watcher({ lat: 50 + 2_000 / METRES_PER_DEGREE, lon: 10, radiusM: 150 }))).toEqual([
      "enter",
      "dwell",
      "exit"
    ])
  })

  it("is none in a log that stays where it is", () => {
    expect(choosePlace(journey(0, 5, 3, 8, 2, 0))).toBeUndefined()
  })
})
