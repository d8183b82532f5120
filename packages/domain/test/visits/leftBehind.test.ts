import { PlaceId } from "@place-access/domain/shared"
import { Stay } from "@place-access/domain/visits"
import { describe, expect, it } from "@effect/vitest"
import { CIRCLE, HOUR, INSIDE, MINUTE, NOON, OUTSIDE, time } from "../support/rules.js"

/** The point on the other side of the globe, and a circle there. */
const opposite = ({ lat, lon }: { readonly lat: number; readonly lon: number }) => ({
  lat: -lat,
  lon: lon > 0 ? lon - 180 : lon + 180
})
const OPPOSITE = { ...opposite(INSIDE), radiusM: CIRCLE.radiusM }

const ground = (circle: typeof CIRCLE): Stay.Ground => ({
  placeId: PlaceId.make("plc_home"),
  shapes: [{ placeId: PlaceId.make("plc_home"), geometryVersion: 1, validFrom: null, circle }],
  archivedAt: null
})

const fix = (after: number, where: { readonly lat: number; readonly lon: number }): Stay.StayFix => ({
  capturedAt: time(NOON + after),
  ...where,
  accuracyM: 10
})
const leftBehind = (...parts: Parameters<typeof fix>): Stay.StayFix => ({ ...fix(...parts), isLeftBehind: true })

/** The arrival, the departure and `heardUntil` of each stay in the circle, in milliseconds after noon. */
const stays = (circle: typeof CIRCLE, ...fixes: ReadonlyArray<Stay.StayFix>) =>
  Stay.derive(ground(circle), Stay.beforeOf(undefined, null), fixes).map(({ arrival, departure, heardUntil }) =>
    [arrival, departure, heardUntil].map((moment) => moment && moment - NOON)
  )

describe("a fix of a device that was left behind [M14]", () => {
  it.each([
    ["in the circle", INSIDE],
    ["on the other side of the globe", opposite(INSIDE)],
    ["outside", OUTSIDE]
  ])("ends the stay, wherever the device is: %s", (_, where) => {
    expect(stays(CIRCLE, fix(0, INSIDE), leftBehind(HOUR, where), leftBehind(2 * HOUR, where))).toEqual([
      [0, HOUR, null]
    ])
  })

  it("begins no stay: neither where the device is, nor on the other side of the globe", () => {
    const fixes = [leftBehind(0, INSIDE), leftBehind(HOUR, INSIDE)]
    expect([stays(CIRCLE, ...fixes), stays(OPPOSITE, ...fixes)]).toEqual([[], []])
  })

  it("does not let a stay go on that ended a minute before", () => {
    const fixes = [fix(0, INSIDE), leftBehind(HOUR, INSIDE), leftBehind(HOUR + MINUTE, INSIDE)]
    expect(stays(CIRCLE, ...fixes)).toEqual([[0, HOUR, null]])
    expect(stays(CIRCLE, ...fixes, fix(HOUR + MINUTE + 1, INSIDE))).toEqual([[0, null, null]])
  })

  it("makes the departure uncertain after a silence of 4 hours, as a fix far away does [visits-11]", () => {
    for (const circle of [CIRCLE, OPPOSITE]) {
      const inside = fix(0, circle)
      expect(stays(circle, inside, leftBehind(4 * HOUR, INSIDE))).toEqual([[0, 4 * HOUR, 0]])
      expect(stays(circle, inside, leftBehind(4 * HOUR - 1, INSIDE))).toEqual([[0, 4 * HOUR - 1, null]])
    }
  })
})
