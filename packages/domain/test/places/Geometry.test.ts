import { Geometry } from "@place-access/domain/places"
import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { geodesicM, travel } from "../support/geodesic.js"

const degrees = (min: number, max: number) => fc.double({ min, max, noNaN: true })

/** Generators of coordinates. They often give boundary values: the ends of a range, the poles, the antimeridian. */
const latitude = (min: number, max: number) =>
  fc
    .tuple(fc.oneof(fc.constantFrom(min, max, (min + max) / 2), degrees(min, max)), fc.boolean())
    .map(([lat, south]) => (south ? -lat : lat))
const longitude = fc.oneof(fc.constantFrom(-180, -179.9999, 0, 179.9999, 180), degrees(-180, 180))
const azimuth = fc.oneof(fc.constantFrom(0, 45, 90, 135, 180, 270), degrees(0, 360))

/**
 * Fails unless the product's distance differs from Karney's by at most `toM` metres, for points between these latitudes
 * that are up to `maxM` metres apart.
 */
const agrees = (minLat: number, maxLat: number, far: { readonly maxM: number; readonly toM: number }): void => {
  const near = fc.oneof(fc.constantFrom(0, far.maxM, 50, 100, 150), degrees(0, far.maxM))
  fc.assert(
    fc.property(latitude(minLat, maxLat), longitude, azimuth, near, (lat, lon, direction, metres) => {
      const from = { lat, lon }
      const to = travel(from, direction, metres)
      expect(Math.abs(Geometry.distanceM(from, to) - geodesicM(from, to))).toBeLessThanOrEqual(far.toM)
      expect(Geometry.distanceM(to, from)).toBe(Geometry.distanceM(from, to))
    }),
    { numRuns: 5_000 }
  )
}

describe("distance [L2]", () => {
  it("is within 4 mm of the geodesic at 10 km, up to 60 degrees of latitude", () =>
    agrees(0, 60, { maxM: 10_050, toM: 0.004 }))

  it("is within 0.16 m of it at 10 km, up to 85 degrees", () => agrees(60, 85, { maxM: 10_050, toM: 0.16 }))

  it("is within 0.16 m of it where the two formulas meet at 85 degrees", () =>
    agrees(84.9, 85.1, { maxM: 10_050, toM: 0.16 }))

  it("is within 0.1 mm of it when only one of the two points is above 85 degrees", () => {
    for (const direction of [80, 84, 88, 272, 276, 280]) {
      const from = { lat: 84.999, lon: 10 }
      const to = travel(from, direction, 10_000)
      expect(from.lat < 85 && to.lat > 85).toBe(true)
      expect(Math.abs(Geometry.distanceM(from, to) - geodesicM(from, to))).toBeLessThan(0.000_1)
      expect(Geometry.distanceM(to, from)).toBe(Geometry.distanceM(from, to))
    }
  })

  it("is within 0.1 mm of it above 85 degrees, at the poles and across them", () =>
    // From 85.1 degrees on, two points that are 10 km apart both lie above 85 degrees. Below 85 degrees the product
    // uses another formula, which this case does not test.
    agrees(85.1, 90, { maxM: 10_050, toM: 0.0001 }))

  it("is within 0.2 mm of it at 150 m, everywhere", () => agrees(0, 90, { maxM: 150, toM: 0.0002 }))

  it("never calls a point near that is far: over 20 km stays over 15 km, to the other side of the earth", () => {
    const anywhere = fc.record({ lat: latitude(0, 90), lon: longitude })
    fc.assert(
      fc.property(anywhere, anywhere, (a, b) => {
        fc.pre(geodesicM(a, b) > 20_000)
        expect(Geometry.distanceM(a, b)).toBeGreaterThan(15_000)
      }),
      { numRuns: 5_000 }
    )
  })

  it("180 and -180 degrees are one meridian, and at a pole every longitude is one point", () => {
    expect(Geometry.distanceM({ lat: 12, lon: 180 }, { lat: 12, lon: -180 })).toBe(0)
    expect(Geometry.distanceM({ lat: 90, lon: 10 }, { lat: 90, lon: -120 })).toBeLessThan(1e-8)
  })
})

describe("side of a circle [§4.6.2]", () => {
  const circle = { lat: 52.37, lon: 4.89, radiusM: 150 }
  const at = (metres: number) => travel(circle, 90, metres)

  it.each([
    [99, "inside"],
    [101, undefined],
    [150, undefined],
    [199, undefined],
    [201, "outside"]
  ])("accuracy unknown: %i m from the centre of a 150 m circle is %s", (metres, side) => {
    expect(Geometry.sideOf(circle, at(metres), null)).toBe(side)
  })

  it.each([
    [20, 99, "inside"],
    [50, 99, "inside"],
    [51, 99.5, undefined],
    [51, 98, "inside"],
    [80, 69, "inside"],
    [80, 71, undefined],
    [80, 229, undefined],
    [80, 231, "outside"]
  ])("accuracy %i m: %d m from the centre is %s", (accuracyM, metres, side) => {
    expect(Geometry.sideOf(circle, at(metres), accuracyM)).toBe(side)
  })

  it("the ends of the band belong to the boundary", () => {
    const centre = { lat: 0, lon: 0, radiusM: 0 }
    const fix = { lat: 0, lon: 0.001 }
    const metres = Geometry.distanceM(centre, fix)
    expect(Geometry.sideOf({ ...centre, radiusM: metres - 100 }, fix, 100)).toBeUndefined()
    expect(Geometry.sideOf({ ...centre, radiusM: metres + 100 }, fix, 100)).toBeUndefined()
    expect(Geometry.sideOf({ ...centre, radiusM: metres - 100.001 }, fix, 100)).toBe("outside")
    expect(Geometry.sideOf({ ...centre, radiusM: metres + 100.001 }, fix, 100)).toBe("inside")
  })

  it("an accuracy worse than the radius is never inside, however near to the centre", () => {
    expect(Geometry.sideOf(circle, circle, 149)).toBe("inside")
    expect(Geometry.sideOf(circle, circle, 150)).toBeUndefined()
    expect(Geometry.sideOf(circle, circle, 4_000)).toBeUndefined()
  })

  it("a coordinate that is no number decides nothing", () => {
    expect(Geometry.sideOf(circle, { lat: Number.NaN, lon: 4.89 }, 10)).toBeUndefined()
  })
})
