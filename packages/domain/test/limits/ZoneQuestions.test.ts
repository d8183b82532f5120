import { ZoneQuestions } from "@place-access/domain/limits"
import type { Geometry } from "@place-access/domain/places"
import { Timestamp } from "@place-access/domain/shared"
import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { DAY, HOUR, MINUTE, NOON, time } from "../support/rules.js"

const KM_LAT = 1 / 111.25
const KM_LON = 1 / 68.1
/** A circle whose centre is this many kilometres north and east of a town's corner. */
const circle = (north: number, east: number, radiusM: number): Geometry.Circle => ({
  lat: 52.3 + north * KM_LAT,
  lon: 4.8 + east * KM_LON,
  radiusM
})

/**
 * The number of circles for which the budget allows a question, when the app asks about the circles one after the other
 * at the same instant.
 */
const admitted = (circles: ReadonlyArray<Geometry.Circle>, now = time(NOON)): number => {
  let questions = ZoneQuestions.none
  return circles.filter((one) => {
    const asking = ZoneQuestions.ask(questions, one, now)
    if (asking._tag === "Allowed") questions = asking.questions
    return asking._tag === "Allowed"
  }).length
}

const TEN = Array.from({ length: 10 }, (_, index) => index)
const TEN_ZONES = TEN.map((index) => circle(1.2 + 2.4 * Math.floor(index / 4), 1.2 + 2.4 * (index % 4), 950))

describe("questions about zones", () => {
  it("an app that sets ten zones in one town once, and asks about each every hour, never meets a limit [M8]", () => {
    let questions = ZoneQuestions.none
    const ask = (one: Geometry.Circle, at: number) => {
      const asking = ZoneQuestions.ask(questions, one, time(at))
      expect(asking._tag).toBe("Allowed")
      if (asking._tag === "Allowed") questions = asking.questions
    }
    // At noon the app creates ten rules. It also calls verify-zone for the zone of each rule, at noon and every hour
    // for five days.
    for (const zone of TEN_ZONES) ask(zone, NOON)
    for (let hour = 0; hour < 5 * 24; hour++) for (const zone of TEN_ZONES) ask(zone, NOON + hour * HOUR)
  })

  it("circles that shrink around one spot are refused long before circles beside each other are [M8]", () => {
    expect(admitted(TEN.map((index) => circle(6, 6, 10_000 * 0.7 ** index)))).toBeLessThan(6)
    expect(admitted(TEN_ZONES)).toBe(10)
  })

  it("large circles halve what is possible: three in one town, whatever they leave between each other", () => {
    expect(admitted(TEN.map((index) => circle(6, index, 10_000)))).toBe(3)
    expect(admitted(TEN.flatMap((index) => [circle(6, index, 10_000), circle(6, index, 9_900)]))).toBe(3)
  })

  it("every large circle doubles what the small ones after it count", () => {
    const small = Array.from({ length: 16 }, (_, index) => circle(index % 4, Math.floor(index / 4), 900))
    expect(admitted(small)).toBe(11)
    expect(admitted([circle(6, 6, 10_000), ...small])).toBe(1 + 5)
  })

  it("circles whose edges lie in different towns have nothing to do with each other", () => {
    expect(admitted(TEN.map((index) => circle(40 * index, 0, 10_000)))).toBe(10)
    // The nearest points of the fourth circle and of the middle circle are a little less, or a little more, than 17 km
    // apart. Only the question about the nearer fourth circle is refused, because circles that are further apart than
    // 17 km are not in one town.
    const three = [0, 1, 2].map((east) => circle(0, east / 10, 3_000))
    const fourth = (apartKm: number) => admitted([...three, circle(6 + apartKm, 0.1, 3_000)])
    expect([fourth(16.9), fourth(17.2)]).toEqual([3, 4])
  })

  it("the same circle again is free for the day, and stays counted for a day after it was asked last", () => {
    const [first, ...more] = [0, 1, 2, 3].map((east) => circle(6, east, 10_000))
    let questions = ZoneQuestions.none
    const ask = (one: Geometry.Circle, at: number) => {
      const asking = ZoneQuestions.ask(questions, one, time(at))
      if (asking._tag === "Allowed") questions = asking.questions
      return asking._tag === "Allowed" ? "asked" : asking.retryAfterMillis
    }
    const fourth = more[2]!
    expect([ask(first!, NOON), ask(more[0]!, NOON), ask(more[1]!, NOON)]).toEqual(["asked", "asked", "asked"])
    for (const one of [first!, more[0]!, more[1]!]) expect(ask(one, NOON + DAY)).toBe("asked")
    expect(ask(fourth, NOON + DAY + 1)).toBe(DAY)
  })

  it("the wait for a full hour ends the day of the asked circle itself, so the answer adds the wait for the day [M8]", () => {
    const [small, ...large] = [circle(6, 6, 2_000), circle(6, 6, 5_000), circle(6, 7, 6_000)]
    let questions = ZoneQuestions.none
    const ask = (one: Geometry.Circle, at: number) => {
      const asking = ZoneQuestions.ask(questions, one, time(at))
      if (asking._tag === "Allowed") questions = asking.questions
      return asking._tag === "Allowed" ? "asked" : asking.retryAfterMillis
    }
    ask(small!, NOON)
    for (const one of large) ask(one, NOON + HOUR)
    const repeated = NOON + DAY - 20 * MINUTE
    for (let count = 0; count < 10; count++) for (const one of large) expect(ask(one, repeated)).toBe("asked")
    // A repeated question about a circle takes nothing from the budget of the day. The app asked about the small circle
    // less than a day ago, but the budget of the hour is used up. When the budget of the hour has room again, a day has
    // passed, so the small circle counts as a new circle. The two large circles leave no room in the budget of the day
    // until their own day ends.
    const asked = NOON + DAY - 10 * MINUTE
    const wait = repeated + DAY + 1 - asked
    expect(ask(small!, asked)).toBe(wait)
    expect([ask(small!, asked + wait - 1), ask(small!, asked + wait)]).toEqual([1, "asked"])
  })

  it("what is refused changes nothing, and a caller that waits as long as it says is not refused [M8]", () => {
    const scattered = fc
      .array(
        fc.record({
          gap: fc.constantFrom(0, 1, HOUR, 3 * HOUR, 8 * HOUR),
          one: fc
            .tuple(
              fc.constantFrom(0, 3, 6, 30, 60),
              fc.constantFrom(0, 2, 5, 9),
              fc.constantFrom(100, 900, 1_300, 2_000, 2_001, 10_000)
            )
            .map((values) => circle(...values))
        }),
        { maxLength: 60 }
      )
      .map((all) => {
        let after = 0
        return all.map(({ gap, one }) => ({ after: (after += gap), one, times: 1 }))
      })
    // The app asks about only a few circles, but repeats each question many times. So the day for which a question
    // about a circle counts may end while the app waits for the budget of the hour.
    const repeated = fc
      .array(
        fc.record({
          after: fc.constantFrom(0, HOUR, DAY - 20 * MINUTE, DAY - 10 * MINUTE, DAY + HOUR),
          one: fc.constantFrom(circle(6, 6, 2_000), circle(6, 6, 5_000), circle(6, 7, 6_000)),
          times: fc.constantFrom(1, 10, 20)
        }),
        { minLength: 6, maxLength: 12 }
      )
      .map((all) => all.toSorted((a, b) => a.after - b.after))
    fc.assert(
      fc.property(fc.oneof(scattered, repeated), (all) => {
        let questions = ZoneQuestions.none
        for (const { after, one } of all.flatMap((asked) => Array.from({ length: asked.times }, () => asked))) {
          const at = time(NOON + after)
          const asking = ZoneQuestions.ask(questions, one, at)
          if (asking._tag === "Allowed") {
            questions = asking.questions
            continue
          }
          const { retryAfterMillis: wait } = asking
          expect(wait).toBeGreaterThan(0)
          const later = [wait - 1, wait].map(
            (millis) => ZoneQuestions.ask(questions, one, Timestamp.plus(at, millis))._tag
          )
          expect(later).toEqual(["Refused", "Allowed"])
        }
        expect(questions.calls.length).toBeLessThanOrEqual(20)
      }),
      { numRuns: 400 }
    )
  })
})

describe("a zone rule whose window opens later", () => {
  const LARGE = Array.from({ length: 8 }, (_, east) => circle(6, east, 10_000))
  const opening = time(NOON + 5 * DAY)

  it("counts on the day of its opening too, whenever the app made it: three large circles in one town [M8]", () => {
    let questions = ZoneQuestions.none
    const outcomes = LARGE.slice(0, 5).map((one, day) => {
      const asking = ZoneQuestions.ask(questions, one, time(NOON + day * (DAY + 1)), opening)
      if (asking._tag === "Allowed") questions = asking.questions
      return asking._tag
    })
    expect(outcomes).toEqual(["Allowed", "Allowed", "Allowed", "Refused", "Refused"])
    const verifying = (at: number) => ZoneQuestions.ask(questions, LARGE[6]!, time(at))._tag
    // A question that is answered within a day before or after the windows of these rules open counts towards the same
    // budget as the rules.
    const around = [opening - DAY - 1, opening - DAY, opening, opening + DAY, opening + DAY + 1]
    expect(around.map(verifying)).toEqual(["Allowed", "Refused", "Refused", "Refused", "Allowed"])
  })

  it("is refused until the day of its opening has room for it, and counts once for its circle [M8]", () => {
    let questions = ZoneQuestions.none
    for (const one of LARGE.slice(0, 3)) {
      const asking = ZoneQuestions.ask(questions, one, time(NOON), opening)
      if (asking._tag === "Allowed") questions = asking.questions
    }
    const asked = NOON + 2 * DAY
    expect(ZoneQuestions.ask(questions, LARGE[0]!, time(asked), opening)._tag).toBe("Allowed")
    expect(ZoneQuestions.ask(questions, LARGE[3]!, time(asked), opening)).toEqual({
      _tag: "Refused",
      retryAfterMillis: opening + DAY + 1 - asked
    })
  })

  it("at most 50 openings wait, far from each other too", () => {
    let questions = ZoneQuestions.none
    const ask = (index: number) => {
      const at = time(NOON + index * 4 * MINUTE)
      const asking = ZoneQuestions.ask(questions, circle(50 * index, 0, 150), at, time(NOON + 400 * DAY + index))
      if (asking._tag === "Allowed") questions = asking.questions
      return asking
    }
    for (let index = 0; index < 50; index++) expect(ask(index)._tag).toBe("Allowed")
    expect(ask(50)).toEqual({ _tag: "Refused", retryAfterMillis: 400 * DAY - 50 * 4 * MINUTE })
  })

  it("a refusal while the most openings wait makes at most 50,000 reads of them: it does not occupy the process", () => {
    let questions = ZoneQuestions.none
    const ask = (index: number, one: Geometry.Circle, opensAt: number) => {
      const asking = ZoneQuestions.ask(questions, one, time(NOON + index * 4 * MINUTE), time(opensAt))
      expect(asking._tag).toBe("Allowed")
      if (asking._tag === "Allowed") questions = asking.questions
    }
    // The windows of the rules for the ten zones open at the same time, so these zones fill the budget of every 24
    // hours that include this time. The windows for all other zones open earlier.
    TEN_ZONES.forEach((one, index) => ask(index, one, NOON + 4 * DAY + 16 * HOUR))
    for (let index = 0; index < ZoneQuestions.WAITING_MAX - 11; index++) {
      ask(10 + index, circle(5, 5, 100), NOON + 4 * DAY - index * 10 * MINUTE)
    }
    let reads = 0
    const circles = questions.circles.map((one) => ({
      ...one,
      get askedAt() {
        reads++
        return one.askedAt
      }
    }))
    const late = [circle(6, 6, 1_900), time(NOON + 2 * DAY), time(NOON + 4 * DAY - MINUTE)] as const
    expect(ZoneQuestions.ask({ calls: [], circles }, ...late)._tag).toBe("Refused")
    expect(reads).toBeLessThan(50_000)
  })

  it("for any questions: no 24 hours have more than the budget of a day, and the wait is exact [M8]", () => {
    const town = fc.array(
      fc.record({
        gap: fc.constantFrom(0, 1, HOUR, 5 * HOUR, DAY, DAY + 1),
        one: fc
          .tuple(fc.constantFrom(1, 4, 7), fc.constantFrom(2, 5), fc.constantFrom(100, 900, 1_300, 2_000, 2_001, 8_000))
          .map((values) => circle(...values)),
        opening: fc.constantFrom(null, -HOUR, HOUR, 23 * HOUR, DAY, 2 * DAY, 3 * DAY, 3 * DAY + HOUR)
      }),
      { minLength: 10, maxLength: 50 }
    )
    let refused = 0
    fc.assert(
      fc.property(town, (all) => {
        let questions = ZoneQuestions.none
        let at = NOON
        /**
         * The times from which the app gets answers about a circle (`from`). `since` orders the circles: it is the
         * number of the first question in a series of questions about this circle that are at most a day apart.
         */
        const counted: Array<{ readonly key: string; readonly since: number; readonly from: number }> = []
        /**
         * For each refused question, its outcomes when the app repeats it 1 ms before the wait ends and at that end.
         */
        const retried: Array<ReadonlyArray<string>> = []
        all.forEach(({ gap, one, opening }, index) => {
          at += gap
          const opensAt = opening === null ? null : time(at - (at % HOUR) + opening)
          const asking = ZoneQuestions.ask(questions, one, time(at), opensAt)
          if (asking._tag === "Refused") {
            const waits = [asking.retryAfterMillis - 1, asking.retryAfterMillis]
            retried.push(waits.map((wait) => ZoneQuestions.ask(questions, one, time(at + wait), opensAt)._tag))
            return
          }
          questions = asking.questions
          const key = JSON.stringify(one)
          const since = counted.find((earlier) => earlier.key === key && earlier.from >= at - DAY)?.since ?? index
          counted.push({ key, since, from: at })
          if (opensAt !== null && opensAt > at) counted.push({ key, since, from: opensAt })
        })
        refused += retried.length
        expect(retried).toEqual(retried.map(() => ["Refused", "Allowed"]))
        for (const { from: begin } of counted) {
          const within = counted.filter(({ from }) => from >= begin && from <= begin + DAY)
          const ordered = new Set(within.toSorted((a, b) => a.since - b.since).map(({ key }) => key))
          const circles = [...ordered].map((key) => JSON.parse(key) as Geometry.Circle)
          expect(ZoneQuestions.locatedKm2(circles)).toBeLessThanOrEqual(ZoneQuestions.LOCATED_KM2_MAX)
        }
      }),
      { numRuns: 300 }
    )
    expect(refused).toBeGreaterThan(300)
  })
})
