import { LiveRule } from "@place-access/domain/rules"
import { Timestamp } from "@place-access/domain/shared"
import { describe, expect, it } from "vitest"

const [EARLY, LATE, NOW] = [1, 2, 3].map((millis) => Timestamp.Timestamp.make(millis)) as [
  Timestamp.Timestamp,
  Timestamp.Timestamp,
  Timestamp.Timestamp
]

describe("LiveRule", () => {
  it("latest: the later of two times; null is earlier than every time", () => {
    expect(LiveRule.latest(EARLY, LATE)).toBe(LATE)
    expect(LiveRule.latest(LATE, EARLY)).toBe(LATE)
    expect(LiveRule.latest(EARLY, null)).toBe(EARLY)
    expect(LiveRule.latest(null, EARLY)).toBe(EARLY)
    expect(LiveRule.latest(null, null)).toBeNull()
  })

  it("placeBasis and zoneBasis: a scope that came back makes another basis", () => {
    expect(LiveRule.placeBasis(4, EARLY, null)).toBe("4 1")
    expect(LiveRule.placeBasis(4, EARLY, LATE)).toBe("4 1 2")
    expect(LiveRule.zoneBasis(null)).toBe("zone")
    expect(LiveRule.zoneBasis(LATE)).toBe("zone 2")
  })

  it("firesFrom: the latest of the creation and of each time that is needed", () => {
    expect(LiveRule.firesFrom(EARLY)).toBe(EARLY)
    expect(LiveRule.firesFrom(LATE, EARLY, null)).toBe(LATE)
    expect(LiveRule.firesFrom(EARLY, null, NOW, LATE)).toBe(NOW)
  })

  it("disabledSince: never while the rule stands; else the earlier of what is known, else now [L8]", () => {
    expect(LiveRule.disabledSince(true, EARLY, EARLY, NOW)).toBeNull()
    expect(LiveRule.disabledSince(false, null, null, NOW)).toBe(NOW)
    expect(LiveRule.disabledSince(false, EARLY, null, NOW)).toBe(EARLY)
    expect(LiveRule.disabledSince(false, null, LATE, NOW)).toBe(LATE)
    expect(LiveRule.disabledSince(false, EARLY, LATE, NOW)).toBe(EARLY)
    expect(LiveRule.disabledSince(false, LATE, EARLY, NOW)).toBe(EARLY)
  })
})
