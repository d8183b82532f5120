import { Timestamp } from "@place-access/domain/shared"
import { Tier } from "@place-access/domain/tiers"
import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"

const { DAY, make } = Timestamp
const NOW = make(Date.UTC(2026, 2, 28, 12))
const at = (offset: number) => make(NOW + offset)

describe("tiers [§3.1, §4.2, tiers-1]", () => {
  it("days are exactly 24 hours, over a change of clocks too [T4]", () => {
    expect(Tier.standardExpiry(1, NOW)).toBe(NOW + 86_400_000)
    expect(Tier.sensitiveExpiry(90, NOW)).toBe(NOW + 90 * 86_400_000)
    expect(Tier.standardExpiry("never", NOW)).toBeNull()
  })

  it("30 days are chosen beforehand [§4.2]", () => {
    expect(Tier.DEFAULT_DAYS).toBe(30)
  })

  it("without a sensitive scope there is no sensitive tier that could end", () => {
    expect(Tier.sensitiveState({ standardExpiresAt: NOW, sensitiveExpiresAt: null }, at(DAY))).toBe("none")
  })

  it("the sensitive tier has no never, and 90 days at most [§8-sensitive]", () => {
    expect(Tier.SensitiveDays.literals).toEqual([1, 7, 30, 90])
    expect(Tier.StandardDays.literals).toEqual([1, 7, 30, 90, "never"])
  })

  it.each([
    [-1, "active"],
    [0, "lapsed"],
    [14 * DAY - 1, "lapsed"],
    [14 * DAY, "removed"]
  ])("%d ms after sensitive_expires_at it is %s: dates are exclusive [T2]", (offset, state) => {
    const tier = { standardExpiresAt: null, sensitiveExpiresAt: NOW }
    expect(Tier.sensitiveState(tier, at(offset))).toBe(state)
  })

  it.each([
    [-1, true],
    [0, false],
    [1, false]
  ])("%d ms after the standard date it is live: %s", (offset, live) => {
    expect(Tier.standardIsLive({ standardExpiresAt: NOW, sensitiveExpiresAt: null }, at(offset))).toBe(live)
  })

  it("never goes back: active, lapsed, removed, in this order only", () => {
    const order = ["none", "active", "lapsed", "removed"]
    fc.assert(
      fc.property(fc.integer({ min: -40, max: 40 }), fc.integer({ min: 0, max: 40 }), (days, later) => {
        const tier = { standardExpiresAt: null, sensitiveExpiresAt: NOW }
        const [first, second] = [days, days + later].map((day) =>
          order.indexOf(Tier.sensitiveState(tier, at(day * DAY)))
        )
        expect(second).toBeGreaterThanOrEqual(first!)
      })
    )
  })
})
