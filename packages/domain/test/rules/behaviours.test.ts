import { Delivery } from "@place-access/domain/deliveries"
import { RuleEvaluation } from "@place-access/domain/rules"
import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { travel } from "../support/geodesic.js"
import {
  CIRCLE,
  DAY,
  dwell,
  EDGE,
  evaluate,
  HOUR,
  INSIDE,
  MINUTE,
  OUTSIDE,
  outcomes,
  question,
  SECOND,
  time,
  NOON
} from "../support/rules.js"

/**
 * The numbered behaviours of Spec §4.6. Each is a property with values on both sides of the value at which the result
 * changes. RuleEvaluation.test.ts has examples. Behaviours 6 and 7 are tested in ConcurrentLimit.test.ts and
 * createZoneRule.test.ts, and behaviour 10 in stopping.test.ts and in the contract of `FixStore`.
 */

/** A number of milliseconds near `edge`: mostly `edge` itself, or a value next to it, at most `reach` away. */
const around = (edge: number, reach: number) =>
  fc.oneof(
    { arbitrary: fc.constantFrom(edge - 1, edge, edge + 1), weight: 2 },
    { arbitrary: fc.integer({ min: edge - reach, max: edge + reach }), weight: 1 }
  )

const holds = <A>(arbitrary: fc.Arbitrary<A>, body: (value: A) => void) =>
  fc.assert(fc.property(arbitrary, body), { numRuns: 300 })

const enter = question({ type: "enter" })
const exit = question({ type: "exit" })

/** Any number, even an impossible one. */
const anyNumber = fc.oneof(fc.double(), fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, -0))
const anyFix = fc.record({ capturedAt: fc.integer(), lat: anyNumber, lon: anyNumber, accuracyM: fc.option(anyNumber) })
const anyQuestion = fc.record({
  type: fc.constantFrom("enter" as const, "exit" as const, "dwell" as const),
  circle: fc.record({ lat: anyNumber, lon: anyNumber, radiusM: anyNumber }),
  dwellMinutes: fc.option(fc.integer({ min: 0, max: 10_000 })),
  settleS: fc.option(fc.integer({ min: 0, max: 300 })),
  from: fc.option(fc.integer()),
  until: fc.option(fc.integer()),
  firesFrom: fc.option(fc.integer().map(time))
})

describe("Spec §4.6, the three types", () => {
  const sides = fc.array(fc.boolean(), { minLength: 1, maxLength: 30 })
  /** Readings that are ten minutes apart, so that the cooldown prevents no firing. */
  const walk = (isInside: ReadonlyArray<boolean>) =>
    isInside.map((inside, index) => ({ after: index * 10 * MINUTE, where: inside ? INSIDE : OUTSIDE }))
  const indices = (question: RuleEvaluation.Question, seen: ReturnType<typeof walk>) =>
    outcomes(question, seen).flatMap((outcome, index) => (outcome === "fired" ? [index] : []))

  it("enter fires at every crossing from outside to inside, and nowhere else [§4.6-enter]", () => {
    holds(sides, (isInside) => {
      const expected = isInside.flatMap((now, index) => (now && isInside[index - 1] === false ? [index] : []))
      expect(indices(enter, walk(isInside))).toEqual(expected)
    })
  })

  it("exit fires at every crossing from inside to outside, and nowhere else [§4.6-exit]", () => {
    holds(sides, (isInside) => {
      const expected = isInside.flatMap((now, index) => (!now && isInside[index - 1] === true ? [index] : []))
      expect(indices(exit, walk(isInside))).toEqual(expected)
    })
  })

  it("dwell fires once a stay, at the first fix that is dwell_minutes or more after the stay's first [§4.6-dwell]", () => {
    holds(fc.tuple(sides, fc.integer({ min: 5, max: 60 })), ([isInside, minutes]) => {
      let start: number | undefined
      let isTold = false
      const expected = isInside.flatMap((now, index) => {
        if (!now) start = undefined
        if (start === undefined) {
          if (now) start = index
          isTold = false
          return []
        }
        if (isTold || (index - start) * 10 < minutes) return []
        isTold = true
        return [index]
      })
      expect(indices(dwell(minutes), walk(isInside))).toEqual(expected)
    })
  })

  it("dwell: to the millisecond at any length from 5 to 720 minutes [§4.6-dwell]", () => {
    const stay = fc
      .integer({ min: 5, max: 720 })
      .chain((minutes) => fc.tuple(fc.constant(minutes), around(minutes * MINUTE, 2 * MINUTE)))
    holds(stay, ([minutes, after]) => {
      const seen = [
        { after: 0, where: INSIDE },
        { after, where: INSIDE }
      ]
      expect(outcomes(dwell(minutes), seen)).toEqual(["seeded", after >= minutes * MINUTE ? "fired" : "no_change"])
    })
  })
})

describe("Spec §4.6, rule 1: the first reading only establishes state", () => {
  it("no first fix fires, whatever the rule, the fix and its delay [§3.3-create, §4.6.1]", () => {
    holds(fc.tuple(anyQuestion, anyFix, fc.integer()), ([{ from, until, ...rest }, fix, receivedAt]) => {
      const window = { from: from === null ? null : time(from), until: until === null ? null : time(until) }
      const seen = { ...fix, capturedAt: time(fix.capturedAt) }
      const before = RuleEvaluation.unseeded("1")
      const { outcome, state } = RuleEvaluation.step(
        { ...rest, silenceS: null, window },
        before,
        seen,
        time(receivedAt)
      )
      expect(["seeded", "boundary", "outside_window", "late"]).toContain(outcome)
      expect(state.lastFiredAt).toBeNull()
      // For a fix that decides nothing, the evaluation must return the same state object.
      expect(state === before).toBe(outcome !== "seeded")
    })
  })
})

describe("Decision M5: what was captured before a rule could fire may seed it and never fires it", () => {
  it.each([
    ["enter", enter, OUTSIDE, INSIDE],
    ["exit", exit, INSIDE, OUTSIDE],
    ["dwell", dwell(5), INSIDE, INSIDE]
  ] as const)("%s: fires from the instant itself on, and the state is the same either way", (_, question, from, to) => {
    holds(around(10 * MINUTE, 9 * MINUTE), (after) => {
      const { outcomes, state } = evaluate({ ...question, firesFrom: time(NOON + after) }, [
        { after: 0, where: from },
        { after: 10 * MINUTE, where: to }
      ])
      expect(outcomes).toEqual(["seeded", after <= 10 * MINUTE ? "fired" : "stale"])
      expect([state.side, state.asOf]).toEqual([to === INSIDE ? "inside" : "outside", NOON + 10 * MINUTE])
    })
  })

  it("in any life nothing earlier fires, and what the earlier fixes leave is where the later ones begin [M5]", () => {
    const lives = fc.array(fc.constantFrom(INSIDE, OUTSIDE, EDGE), { minLength: 1, maxLength: 25 })
    holds(
      fc.tuple(
        lives,
        fc.nat(24 * 90).map((s) => s * SECOND),
        fc.constantFrom(enter, exit, dwell(5))
      ),
      ([places, from, question]) => {
        const seen = places.map((where, index) => ({ after: index * 90 * SECOND, where }))
        const all = outcomes({ ...question, firesFrom: time(NOON + from) }, seen)
        const isEarly = ({ after }: (typeof seen)[number]) => after < from
        expect(all.filter((outcome, index) => outcome === "fired" && (seen[index]?.after ?? 0) < from)).toEqual([])
        // A reading from before `from` must have the same effect as a reading that arrives too late to fire the rule:
        // it changes the rule's side (inside or outside), and does not fire the rule.
        const late = seen.map((one) => (isEarly(one) ? { ...one, delay: 16 * MINUTE } : one))
        expect(all).toEqual(outcomes(question, late))
      }
    )
  })
})

describe("Spec §4.6, rule 2: within max(50 m, accuracy) of the boundary nothing changes", () => {
  const band = fc.record({
    radiusM: fc.integer({ min: 100, max: 10_000 }),
    accuracyM: fc.oneof(fc.constantFrom(null, 49, 50, 51), fc.integer({ min: 1, max: 3_000 })),
    azimuth: fc.integer({ min: 0, max: 359 }),
    // Each offset, in metres, is larger than the error of the distance formula (decision L2).
    off: fc.constantFrom(-20, -1, -0.2, 0.2, 1, 20),
    isOuter: fc.boolean()
  })

  it("to the decimetre, at both ends of the band, for any radius and accuracy [§4.6.2, §8-margin]", () => {
    holds(band, ({ accuracyM, azimuth, isOuter, off, radiusM }) => {
      const widthM = Math.max(50, accuracyM ?? 0)
      const metres = isOuter ? radiusM + widthM + off : radiusM - widthM + off
      if (metres < 0) return
      const circle = { ...CIRCLE, radiusM }
      const where = travel(circle, azimuth, metres)
      const seeded = isOuter ? INSIDE : travel(circle, 0, 30_000)
      const { outcomes, state } = evaluate(question({ type: isOuter ? "exit" : "enter", circle }), [
        { after: 0, where: seeded, accuracyM: null },
        { after: 10 * MINUTE, where, accuracyM }
      ])
      const isDecisive = isOuter ? off > 0 : off < 0
      expect(outcomes).toEqual(["seeded", isDecisive ? "fired" : "boundary"])
      expect(state.asOf).toBe(NOON + (isDecisive ? 10 * MINUTE : 0))
    })
  })

  it("boundary fixes put in anywhere change no outcome of the others [§4.6.2]", () => {
    const lives = fc.array(fc.constantFrom(INSIDE, OUTSIDE, EDGE), { minLength: 1, maxLength: 25 })
    holds(fc.tuple(lives, fc.constantFrom(enter, exit, dwell(5))), ([places, question]) => {
      const seen = places.map((where, index) => ({ after: index * 90 * SECOND, where }))
      const all = outcomes(question, seen)
      const others = seen.filter(({ where }) => where !== EDGE)
      expect(all.filter((outcome) => outcome !== "boundary")).toEqual(outcomes(question, others))
    })
  })
})

describe("Spec §4.6, rule 3: the same rule does not fire twice within 2 minutes", () => {
  it("fires again from 120 s on, and not a millisecond sooner [§4.6.3, §8-cooldown]", () => {
    holds(around(120_000, 100_000), (gap) => {
      const seen = [
        { after: -10 * MINUTE, where: OUTSIDE },
        { after: 0, where: INSIDE },
        { after: gap / 2, where: OUTSIDE },
        { after: gap, where: INSIDE }
      ]
      expect(outcomes(enter, seen)[3]).toBe(gap >= 120_000 ? "fired" : "cooling_down")
    })
  })

  it("firings are at least 120 s apart in any life, and what came too soon is dropped for good", () => {
    const gaps = fc.array(fc.constantFrom(1, 59_999, 60_000, 60_001, 119_999, 120_000, 120_001), { maxLength: 40 })
    holds(gaps, (all) => {
      let after = 0
      const seen = all.map((gap, index) => ({ after: (after += gap), where: index % 2 === 0 ? OUTSIDE : INSIDE }))
      const fired = outcomes(enter, seen).flatMap((outcome, index) =>
        outcome === "fired" ? [seen[index]?.after ?? 0] : []
      )
      const apart = fired.slice(1).map((at, index) => at - (fired[index] ?? 0))
      expect(apart.filter((gap) => gap < 120_000)).toEqual([])
    })
  })

  it("a dwell never cools down: two stays that are long enough are further apart than that", () => {
    const spans = fc.array(fc.constantFrom(1, MINUTE, 2 * MINUTE, 5 * MINUTE, 5 * MINUTE + 1), { maxLength: 40 })
    holds(fc.tuple(spans, fc.array(fc.boolean(), { minLength: 40, maxLength: 40 })), ([all, isInside]) => {
      let after = 0
      const seen = all.map((gap, index) => ({
        after: (after += gap),
        where: isInside[index] === true ? INSIDE : OUTSIDE
      }))
      expect(outcomes(dwell(5), seen)).not.toContain("cooling_down")
    })
  })
})

describe("Spec §4.6, rule 4: a fix older than 15 minutes updates state and sends nothing", () => {
  it.each([
    ["enter", enter, OUTSIDE, INSIDE],
    ["exit", exit, INSIDE, OUTSIDE],
    ["dwell", dwell(5), INSIDE, INSIDE]
  ] as const)(
    "%s: fires up to 15:00.000 after the capture, and the state is the same either way [§4.6.4, §8-stale]",
    (_, question, from, to) => {
      holds(around(15 * MINUTE, 20 * MINUTE), (delay) => {
        const { outcomes, state } = evaluate(question, [
          { after: 0, where: from },
          { after: 10 * MINUTE, where: to, delay }
        ])
        expect(outcomes[1]).toBe(delay <= 15 * MINUTE ? "fired" : "stale")
        expect([state.side, state.asOf]).toEqual([to === INSIDE ? "inside" : "outside", NOON + 10 * MINUTE])
      })
    }
  )
})

describe("Spec §4.6, rule 5: a windowed rule sees only fixes taken inside its window", () => {
  const window = { from: time(NOON), until: time(NOON + HOUR) }

  it("by capture time, from active_from to before active_until, whenever they arrive within a day [§4.6.5]", () => {
    const taken = fc.oneof(around(0, 10 * MINUTE), around(HOUR, 10 * MINUTE))
    holds(fc.tuple(taken, fc.constantFrom(0, 5 * MINUTE, HOUR, 23 * HOUR)), ([after, delay]) => {
      const { outcomes, state } = evaluate(question({ window }), [{ after, where: INSIDE, delay }])
      const isSeen = after >= 0 && after < HOUR
      expect(outcomes).toEqual([isSeen ? "seeded" : "outside_window"])
      // A fix from before the window opened must not decide the side of the rule.
      expect(state.side).toBe(isSeen ? "inside" : null)
    })
  })

  it("a batch is applied up to a day after active_until, the instant included [§3.3-finished, §4.6.5-late, §8-late]", () => {
    holds(around(HOUR + DAY, HOUR), (arrival) => {
      const seen = [{ after: MINUTE, where: INSIDE, delay: arrival - MINUTE }]
      expect(outcomes(question({ window }), seen)).toEqual([arrival <= HOUR + DAY ? "seeded" : "late"])
    })
  })

  it("fixes outside the window change no outcome of those inside it", () => {
    const lives = fc.array(fc.tuple(fc.integer({ min: -60, max: 120 }), fc.boolean()), { maxLength: 30 })
    holds(lives, (all) => {
      const seen = all
        .map(([minute, inside]) => ({ after: minute * MINUTE, where: inside ? INSIDE : OUTSIDE }))
        .sort((a, b) => a.after - b.after)
      const within = seen.filter(({ after }) => after >= 0 && after < HOUR)
      const rule = question({ window })
      expect(outcomes(rule, seen).filter((outcome) => outcome !== "outside_window")).toEqual(outcomes(rule, within))
    })
  })

  it("a fix from outside the window takes back no crossing and no dwell that waits [§4.6.5, rules-13, rules-14]", () => {
    const waiting = [question({ settleS: 120, window }), { ...dwell(10), silenceS: 600, window }]
    holds(fc.tuple(fc.constantFrom(...waiting), around(HOUR, 100 * SECOND)), ([question, after]) => {
      // A dwell rule waits after its dwell time only if the dwell time ends inside the rule's window, which ends at
      // `HOUR`. So the arrival is 12 minutes before the end of the window, more than the dwell time.
      const arrival = question.type === "dwell" ? HOUR - 12 * MINUTE : HOUR - 101 * SECOND
      const { state } = evaluate(question, [
        { after: 0, where: OUTSIDE },
        { after: arrival, where: INSIDE }
      ])
      expect(state.unsettled?.fires).toBe(true)
      const { state: next } = evaluate(question, [{ after, where: OUTSIDE }], state)
      expect(next.unsettled).toEqual(after < HOUR ? null : state.unsettled)
    })
  })
})

describe("Spec §4.6, rule 8: an event older than max_event_age_s is not delivered", () => {
  it("at any attempt: sent while the age is at most the limit, to the millisecond; without a limit at any age [§4.6.8]", () => {
    const ages = fc
      .integer({ min: 30, max: 3_600 })
      .chain((limit) => fc.tuple(fc.constant(limit), around(limit * SECOND, MINUTE), fc.integer({ min: 1, max: 7 })))
    holds(ages, ([limit, age]) => {
      const occurredAt = time(NOON)
      expect(Delivery.isTooOld({ occurredAt, maxEventAgeS: limit }, time(NOON + age))).toBe(age > limit * SECOND)
      expect(Delivery.isTooOld({ occurredAt, maxEventAgeS: null }, time(NOON + age))).toBe(false)
    })
  })
})

describe("Spec §4.6, rule 9: events fire as fixes arrive", () => {
  it("an evaluation needs a fix: whatever the silence, nothing is between two of them [§4.6.9]", () => {
    holds(fc.integer({ min: 5 * MINUTE, max: 30 * DAY }), (silence) => {
      const seen = [
        { after: 0, where: INSIDE },
        { after: silence, where: OUTSIDE }
      ]
      expect(outcomes(dwell(5), seen)).toEqual(["seeded", "crossed"])
      expect(outcomes(exit, seen)).toEqual(["seeded", "fired"])
    })
  })
})
