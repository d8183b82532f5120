import { SignInThrottle } from "@place-access/domain/accounts"
import { Timestamp } from "@place-access/domain/shared"
import { FastCheck as fc } from "effect"
import { describe, expect, it } from "vitest"

const { decide, IN_FLIGHT, PER_ACCOUNT, PER_ADDRESS, WINDOW } = SignInThrottle

const now = Timestamp.make(Date.UTC(2026, 0, 15, 12))
const failedAgo = (ago: number): SignInThrottle.CountedTry => ({ at: Timestamp.plus(now, -ago), failed: true })
const startedAgo = (ago: number): SignInThrottle.CountedTry => ({ at: Timestamp.plus(now, -ago), failed: false })
const times = <A>(count: number, make: () => A): ReadonlyArray<A> => Array.from({ length: count }, make)
const account = (...ofAccount: ReadonlyArray<SignInThrottle.CountedTry>) => decide({ ofAccount, ofAddress: [] }, now)
const address = (...ofAddress: ReadonlyArray<SignInThrottle.CountedTry>) => decide({ ofAccount: [], ofAddress }, now)

const admitted = { _tag: "Admitted" }
const busy = { _tag: "Busy" }
const closed = (retryAfterMillis: number) => ({ _tag: "Closed", retryAfterMillis })

/** Expects that an attempt is allowed exactly after the announced wait, and refused a millisecond earlier. */
const expectExactWait = (tries: ReadonlyArray<SignInThrottle.CountedTry>, at: Timestamp.Timestamp, wait: number) => {
  const then = Timestamp.plus(at, wait)
  expect(decide({ ofAccount: tries, ofAddress: [] }, Timestamp.plus(then, -1))._tag).toBe("Closed")
  expect(decide({ ofAccount: tries, ofAddress: [] }, then)._tag).toBe("Admitted")
}

/** A second implementation of the limit for one account. It counts the attempts and failures of the last 15 minutes. */
const expected = (tries: ReadonlyArray<SignInThrottle.CountedTry>, at: Timestamp.Timestamp) => {
  const recent = tries.filter((one) => one.at > at - WINDOW)
  const failures = recent.filter((one) => one.failed || one.at <= at - IN_FLIGHT)
  return failures.length >= PER_ACCOUNT ? "Closed" : recent.length >= PER_ACCOUNT ? "Busy" : "Admitted"
}

describe("sign-in throttle", () => {
  it("account: 4 failures let the next try in, 5 and 6 close the door for the rest of the 15 minutes [A2]", () => {
    expect(account()).toEqual(admitted)
    expect(account(...times(4, () => failedAgo(0)))).toEqual(admitted)
    expect(account(...times(5, () => failedAgo(0)))).toEqual(closed(WINDOW))
    expect(account(...times(6, () => failedAgo(0)))).toEqual(closed(WINDOW))
  })

  it("account: a failure 14:59.999 ago counts, one 15:00.000 ago does not", () => {
    const four = times(4, () => failedAgo(60_000))
    expect(account(failedAgo(WINDOW - 1), ...four)).toEqual(closed(1))
    expect(account(failedAgo(WINDOW), ...four)).toEqual(admitted)
  })

  it("tries further ahead than the window, from before the clock was set back, do not count [accounts-4]", () => {
    const DAY = 86_400_000
    expect(account(...times(5, () => failedAgo(-DAY)))).toEqual(admitted)
    expect(account(...times(5, () => startedAgo(-DAY)))).toEqual(admitted)
    expect(address(...times(50, () => failedAgo(-DAY)))).toEqual(admitted)
    expect(account(...times(5, () => failedAgo(-WINDOW - 1)))).toEqual(admitted)
    // Two servers' clocks may differ a little. So failures that seem to be a second in the future must count.
    expect(account(...times(5, () => failedAgo(-1_000)))).toEqual(closed(WINDOW + 1_000))
  })

  it("account: the wait ends when the fifth newest failure leaves the window", () => {
    const ages = [800_000, 700_000, 600_000, 500_000, 400_000, 300_000]
    expect(account(...ages.map(failedAgo))).toEqual(closed(WINDOW - 700_000))
  })

  it("address: 49 failures let the next try in, 50 close the door", () => {
    expect(address(...times(49, () => failedAgo(1)))).toEqual(admitted)
    expect(address(...times(50, () => failedAgo(1)))).toEqual(closed(WINDOW - 1))
  })

  it("both doors closed: the longer wait counts", () => {
    const verdict = decide(
      { ofAccount: times(PER_ACCOUNT, () => failedAgo(100)), ofAddress: times(PER_ADDRESS, () => failedAgo(50)) },
      now
    )
    expect(verdict).toEqual(closed(WINDOW - 50))
  })

  it("tries in flight fill the room but do not close the door", () => {
    expect(account(...times(4, () => startedAgo(0)))).toEqual(admitted)
    expect(account(...times(5, () => startedAgo(0)))).toEqual(busy)
    expect(account(...times(2, () => failedAgo(9)), ...times(3, () => startedAgo(0)))).toEqual(busy)
    expect(address(...times(50, () => startedAgo(0)))).toEqual(busy)
  })

  it("a try in flight for 29.999 s is in flight, from 30 s on it is a failure", () => {
    expect(account(...times(5, () => startedAgo(IN_FLIGHT - 1)))).toEqual(busy)
    expect(account(...times(5, () => startedAgo(IN_FLIGHT)))).toEqual(closed(WINDOW - IN_FLIGHT))
  })

  it("never more than 5 tries of an account are let in within 15 minutes, however they come and end", () => {
    const step = fc.record({
      pause: fc.constantFrom(0, 1, 1_000, IN_FLIGHT - 1, IN_FLIGHT, 179_999, 180_000, WINDOW - 1, WINDOW),
      fails: fc.boolean()
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        let at = now
        const tries: Array<SignInThrottle.CountedTry> = []
        for (const { pause, fails } of steps) {
          at = Timestamp.plus(at, pause)
          const verdict = decide({ ofAccount: tries, ofAddress: [] }, at)
          expect(verdict._tag).toBe(expected(tries, at))
          if (verdict._tag === "Admitted") tries.push({ at, failed: fails })
          if (verdict._tag === "Closed") expectExactWait(tries, at, verdict.retryAfterMillis)
        }
      })
    )
  })
})
