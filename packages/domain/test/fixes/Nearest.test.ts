import { type Fix, Nearest } from "@place-access/domain/fixes"
import { DeviceId, Timestamp, UserId } from "@place-access/domain/shared"
import { describe, expect, it } from "vitest"

const AT = Timestamp.make(1_000_000)
const fix = (offset: number, more: Partial<Fix.StoredFix> = {}): Fix.StoredFix => ({
  userId: UserId.make("usr_1"),
  deviceId: DeviceId.make("dev_1"),
  capturedAt: Timestamp.plus(AT, offset),
  lat: 1,
  lon: 1,
  accuracyM: 10,
  altitudeM: null,
  speedMps: null,
  courseDeg: null,
  receivedAt: AT,
  ...more
})
const of = (fixes: ReadonlyArray<Fix.StoredFix>, toleranceMs = 1_000) => Nearest.of(AT, fixes, toleranceMs)

describe("the nearest fix in time [§4.5, L9]", () => {
  it("on either side, within the tolerance to the millisecond; none when all are farther", () => {
    expect(of([fix(-300), fix(200)])?.fix).toEqual(fix(200))
    expect(of([fix(-200), fix(300)])?.fix).toEqual(fix(-200))
    expect(of([fix(-1_000)])?.awayMs).toBe(1_000)
    expect(of([fix(-1_001), fix(1_001)])).toBeUndefined()
    expect(of([])).toBeUndefined()
    expect(of([fix(0), fix(1)], 0)?.awayMs).toBe(0)
  })

  it("of two that are equally near the earlier, in whichever order they come", () => {
    for (const fixes of [
      [fix(-200), fix(200)],
      [fix(200), fix(-200)]
    ]) {
      expect(of(fixes)?.fix.capturedAt).toBe(AT - 200)
    }
  })

  it("of one instant the more accurate, unknown last; then by coordinates and device", () => {
    const best = fix(5, { accuracyM: 4, deviceId: DeviceId.make("dev_9") })
    const others = [fix(5, { accuracyM: null }), fix(5, { accuracyM: 4.5 }), fix(5, { accuracyM: 4, lat: 2 })]
    expect(of([...others, best])?.fix).toEqual(best)
    expect(of([best, ...others])?.fix).toEqual(best)
    const twin = { ...best, deviceId: DeviceId.make("dev_1") }
    expect(of([best, twin])?.fix).toEqual(twin)
    expect(of([twin, best])?.fix).toEqual(twin)
  })

  it("deltaSeconds is whole seconds, rounded down", () => {
    const seconds = [0, 999, 1_000, 1_999].map((away) => {
      const nearest = of([fix(-away)], 5_000)
      return nearest === undefined ? undefined : Nearest.deltaSeconds(nearest)
    })
    expect(seconds).toEqual([0, 0, 1, 1])
  })
})
