import { Rate, Subject } from "@place-access/domain/limits"
import { AppId, ConnectionId, DeviceId, Timestamp } from "@place-access/domain/shared"
import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc, Option } from "effect"

const START = Timestamp.make(Date.UTC(2026, 0, 15, 12))
const WINDOW = 1_000

/** The milliseconds between calls: often the length of the limit's window, half of it, or a value next to it. */
const gaps = fc.array(fc.oneof(fc.constantFrom(0, 1, 499, 500, 501, 999, 1_000, 1_001), fc.nat(2_500)), {
  maxLength: 60
})
const timesOf = (all: ReadonlyArray<number>) => {
  let at = START
  return all.map((gap) => (at = Timestamp.plus(at, gap)))
}

const run = (rate: Rate.Rate, times: ReadonlyArray<Timestamp.Timestamp>) => {
  let window: Rate.RateWindow | undefined
  return times.map((at) => {
    window = Rate.count(window, rate.windowMillis, at)
    return { at, ...Rate.standing(rate, window, at) }
  })
}

describe("a rate", () => {
  it("for any calls: a window has never more than its calls, and refuses none before [limits-1]", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), gaps, (calls, all) => {
        const times = timesOf(all)
        const answers = run({ calls, windowMillis: WINDOW }, times)
        // Computes the time windows of the limit only from the times of the calls. A window begins with the first call
        // after the window before it has ended.
        let [begun, inWindow] = [-Infinity, 0]
        for (const { at, isAdmitted, remaining, resetMillis } of answers) {
          if (at >= begun + WINDOW) [begun, inWindow] = [at, 0]
          inWindow += 1
          expect(isAdmitted).toBe(inWindow <= calls)
          expect(remaining).toBe(Math.max(0, calls - inWindow))
          expect(at + resetMillis).toBe(begun + WINDOW)
        }
      })
    )
  })

  it("for any calls: a caller that waits as long as the answer says is admitted", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4 }), gaps, (calls, all) => {
        const rate = { calls, windowMillis: WINDOW }
        let window: Rate.RateWindow | undefined
        let at = START
        for (const gap of all) {
          at = Timestamp.plus(at, gap)
          window = Rate.count(window, WINDOW, at)
          const { isAdmitted, resetMillis } = Rate.standing(rate, window, at)
          if (isAdmitted) continue
          // The client gets the wait as a header `Retry-After`, which is in whole seconds, rounded up.
          at = Timestamp.plus(at, Math.ceil(resetMillis / 1_000) * 1_000)
          window = Rate.count(window, WINDOW, at)
          expect(Rate.standing(rate, window, at).isAdmitted).toBe(true)
        }
      })
    )
  })

  it("a clock that is behind the one that began the window tells no more than a window to wait", () => {
    const window = Rate.count(undefined, WINDOW, START)
    const { isAdmitted, resetMillis } = Rate.standing(
      { calls: 5, windowMillis: WINDOW },
      Rate.count(window, WINDOW, Timestamp.plus(START, -30)),
      Timestamp.plus(START, -30)
    )
    expect([isAdmitted, resetMillis]).toEqual([true, WINDOW])
  })
})

describe("whose calls are counted together", () => {
  const APP = Option.some(AppId.make("app_1"))
  it("a client at an address; an IPv6 address by its /64", () => {
    const at = (address: string, client: Option.Option<AppId> = APP) => Subject.client(client, address)
    expect(at("192.0.2.1")).not.toBe(at("192.0.2.2"))
    expect(at("2001:db8::1")).toBe(at("2001:db8::2"))
    expect(at("192.0.2.1")).not.toBe(at("192.0.2.1", Option.some(AppId.make("app_2"))))
  })

  it("clients that nobody registered are one at an address, and none of them is an app", () => {
    const unknown = Subject.client(Option.none(), "192.0.2.1")
    expect(unknown).toBe(Subject.client(Option.none(), "192.0.2.1"))
    expect(unknown).not.toBe(Subject.client(Option.none(), "192.0.2.2"))
    expect(unknown).not.toBe(Subject.client(APP, "192.0.2.1"))
  })

  it("no two kinds share a count", () => {
    const all = [
      Subject.connection(ConnectionId.make("x")),
      Subject.device(DeviceId.make("x")),
      Subject.client(Option.some(AppId.make("x")), "192.0.2.1"),
      Subject.signUp("192.0.2.1"),
      Subject.consent("192.0.2.1")
    ]
    expect(new Set(all).size).toBe(all.length)
    expect(all.map(Subject.kindOf)).toEqual(["connection", "device", "client", "sign-up", "consent"])
  })
})
