import { Silence } from "@place-access/domain/devices"
import { Timestamp } from "@place-access/domain/shared"
import { FastCheck } from "effect"
import { describe, expect, it } from "vitest"
import { NOON, time } from "../support/rules.js"

const { DAY, HOUR, MINUTE } = Timestamp
const fresh = { createdAt: time(NOON), format: "json", lastSeenAt: null, putAside: [] } as const
const troubles = (
  parts: Partial<Parameters<typeof Silence.troubles>[0]>,
  after: number,
  accuracyM: number | null = 10
) => Silence.troubles({ ...fresh, ...parts }, accuracyM, time(NOON + after))

describe("how long a phone has been silent [devices-13]", () => {
  it("is late from one hour on, and silent from a day on", () => {
    const of = (silentFor: number) => Silence.of(time(NOON), time(NOON + silentFor))
    expect([0, HOUR - 1, HOUR, DAY - 1, DAY, 30 * DAY].map(of)).toEqual([
      "fresh",
      "fresh",
      "late",
      "late",
      "silent",
      "silent"
    ])
    expect(Silence.of(null, time(NOON))).toBe("never")
  })
})

describe("what is wrong with a phone is named [devices-13]", () => {
  it("nothing in the first ten minutes, then that nothing arrived", () => {
    expect(troubles({}, Silence.SET_UP_TIME - 1)).toEqual([])
    expect(troubles({}, Silence.SET_UP_TIME)).toEqual(["never_arrived"])
  })

  it("what was put aside did arrive: then its reason is the trouble, not the address", () => {
    const putAside = [{ reason: "future", count: 1, lastAt: time(NOON) } as const]
    expect(troubles({ putAside }, DAY)).toEqual([])
  })

  it("a phone that stopped, and one whose circle is 500 m or more", () => {
    const seen = { lastSeenAt: time(NOON) }
    expect(troubles(seen, MINUTE)).toEqual([])
    expect(troubles(seen, HOUR)).toEqual(["went_silent"])
    expect(troubles(seen, MINUTE, Silence.IMPRECISE_M - 1)).toEqual([])
    expect(troubles(seen, MINUTE, Silence.IMPRECISE_M)).toEqual(["imprecise"])
    expect(troubles(seen, MINUTE, null)).toEqual([])
  })

  it("a browser sends while its page is open only, so its silence is none [devices-15]", () => {
    expect(troubles({ lastSeenAt: time(NOON), format: "browser" }, 3 * DAY)).toEqual([])
  })

  it("a longer silence never makes a trouble go away", () => {
    FastCheck.assert(
      FastCheck.property(
        FastCheck.option(FastCheck.nat(DAY)),
        FastCheck.nat(3 * DAY),
        FastCheck.nat(3 * DAY),
        FastCheck.option(FastCheck.nat(2_000)),
        (seenAfter, after, more, accuracyM) => {
          const phone = { lastSeenAt: seenAfter === null ? null : time(NOON + seenAfter) }
          const from = (seenAfter ?? 0) + after
          expect(troubles(phone, from + more, accuracyM)).toEqual(
            expect.arrayContaining([...troubles(phone, from, accuracyM)])
          )
        }
      )
    )
  })
})
