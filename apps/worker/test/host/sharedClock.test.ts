import { SharedClock } from "@place-access/worker/host"
import { describe, expect, it } from "vitest"

const { judge } = SharedClock

describe("a machine's clock beside the database's", () => {
  it("is left alone up to a quarter of a second: networks make as much of clocks that agree", () => {
    for (const offset of [0, 250, -250]) expect(judge(offset, 0)).toEqual({ isRight: true, correction: 0 })
  })

  it("is corrected up to ten seconds, and not set to and fro by small changes", () => {
    expect(judge(251, 0)).toEqual({ isRight: true, correction: 251 })
    expect(judge(-9_999.6, 0)).toEqual({ isRight: true, correction: -10_000 })
    expect(judge(5_100, 5_000)).toEqual({ isRight: true, correction: 5_000 })
    expect(judge(5_300, 5_000)).toEqual({ isRight: true, correction: 5_300 })
    expect(judge(100, 5_000)).toEqual({ isRight: true, correction: 0 })
  })

  it("near the quarter of a second: a difference that wavers across it moves the clock once, not every minute", () => {
    const corrections: Array<number> = []
    for (const offset of [251, 249, 252, 245, 258]) {
      corrections.push(judge(offset, corrections.at(-1) ?? 0).correction)
    }
    expect(corrections).toEqual([251, 251, 251, 251, 251])
  })

  it("is wrong beyond ten seconds, in either direction", () => {
    expect(judge(10_000, 0).isRight).toBe(true)
    expect(judge(10_001, 0).isRight).toBe(false)
    expect(judge(-10_001, 0).isRight).toBe(false)
  })
})
