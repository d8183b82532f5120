import { RuleEvaluation } from "@place-access/domain/rules"
import { describe, expect, it } from "@effect/vitest"
import {
  at,
  DAY,
  dwell,
  EDGE,
  evaluate,
  HOUR,
  INSIDE,
  MINUTE,
  NOON,
  OUTSIDE,
  outcomes,
  question,
  SECOND,
  time
} from "../support/rules.js"

const enter = question({ type: "enter" })
const exit = question({ type: "exit" })

describe("crossings [§4.6]", () => {
  it("enter fires from outside to inside, and not on the way out", () => {
    expect(
      outcomes(enter, [
        { after: 0, where: OUTSIDE },
        { after: 5 * MINUTE, where: INSIDE },
        { after: 10 * MINUTE, where: OUTSIDE }
      ])
    ).toEqual(["seeded", "fired", "crossed"])
  })

  it("exit fires from inside to outside, and not on the way in", () => {
    expect(
      outcomes(exit, [
        { after: 0, where: INSIDE },
        { after: 5 * MINUTE, where: OUTSIDE },
        { after: 10 * MINUTE, where: INSIDE }
      ])
    ).toEqual(["seeded", "fired", "crossed"])
  })

  it.each([
    ["inside", INSIDE],
    ["outside", OUTSIDE]
  ])("the first fix only establishes state: %s [§4.6.1]", (side, where) => {
    const { outcomes, state } = evaluate(enter, [{ after: 0, where }])
    expect(outcomes).toEqual(["seeded"])
    expect(state.side).toBe(side)
    expect(state.lastFiredAt).toBeNull()
  })

  it("fixes on the same side fire nothing more, however many", () => {
    expect(
      outcomes(enter, [
        { after: 0, where: OUTSIDE },
        { after: 10 * MINUTE, where: INSIDE },
        { after: 20 * MINUTE, where: INSIDE },
        { after: 30 * MINUTE, where: INSIDE }
      ])
    ).toEqual(["seeded", "fired", "no_change", "no_change"])
  })
})

describe("boundary [§4.6.2, L5]", () => {
  it.each([
    { metres: 99, accuracyM: null, outcome: "fired" },
    { metres: 101, accuracyM: null, outcome: "boundary" },
    { metres: 99, accuracyM: 50, outcome: "fired" },
    { metres: 99.5, accuracyM: 51, outcome: "boundary" },
    { metres: 98.5, accuracyM: 51, outcome: "fired" },
    { metres: 199, accuracyM: 10, outcome: "boundary" },
    { metres: 201, accuracyM: 10, outcome: "no_change" },
    { metres: 201, accuracyM: 52, outcome: "boundary" },
    { metres: 1_000, accuracyM: 849, outcome: "no_change" },
    { metres: 1_000, accuracyM: 851, outcome: "boundary" }
  ])("$metres m from the centre with accuracy $accuracyM: $outcome", ({ metres, accuracyM, outcome }) => {
    const seen = [
      { after: 0, where: OUTSIDE },
      { after: 5 * MINUTE, where: at(metres), accuracyM }
    ]
    expect(outcomes(enter, seen)[1]).toBe(outcome)
  })

  it("a fix in the boundary never seeds a side", () => {
    expect(
      outcomes(enter, [
        { after: 0, where: EDGE },
        { after: 5 * MINUTE, where: INSIDE }
      ])
    ).toEqual(["boundary", "seeded"])
  })

  it("leaves the state untouched: neither side nor stay nor the newest time", () => {
    const inside = evaluate(enter, [{ after: 0, where: INSIDE }]).state
    const after = evaluate(enter, [{ after: 5 * MINUTE, where: EDGE }], inside)
    expect(after.outcomes).toEqual(["boundary"])
    expect(after.state).toBe(inside)
  })

  it("does not end a stay or restart its dwell", () => {
    expect(
      outcomes(dwell(10), [
        { after: 0, where: INSIDE },
        { after: 5 * MINUTE, where: EDGE },
        { after: 10 * MINUTE, where: INSIDE }
      ])
    ).toEqual(["seeded", "boundary", "fired"])
  })

  it("does not stand between two sides: outside, boundary, inside is a crossing", () => {
    expect(
      outcomes(enter, [
        { after: 0, where: OUTSIDE },
        { after: 1 * MINUTE, where: EDGE },
        { after: 2 * MINUTE, where: INSIDE }
      ])
    ).toEqual(["seeded", "boundary", "fired"])
  })
})

describe("cooldown [§4.6.3, L6, T3]", () => {
  const enteringAgainAfter = (gap: number) => [
    { after: 0, where: OUTSIDE },
    { after: 10 * MINUTE, where: INSIDE },
    { after: 10 * MINUTE + gap / 2, where: OUTSIDE },
    { after: 10 * MINUTE + gap, where: INSIDE }
  ]

  it.each([
    [119_999, "cooling_down"],
    [120_000, "fired"],
    [120_001, "fired"]
  ])("a crossing %i ms after the last firing: %s [§4.6.3]", (gap, outcome) => {
    expect(outcomes(enter, enteringAgainAfter(gap))).toEqual(["seeded", "fired", "crossed", outcome])
  })

  it("the dropped event is dropped for good: the state went on, and the next fix inside fires nothing", () => {
    const seen = [...enteringAgainAfter(60_000), { after: 20 * MINUTE, where: INSIDE }]
    expect(outcomes(enter, seen)).toEqual(["seeded", "fired", "crossed", "cooling_down", "no_change"])
  })

  it("a dropped event does not prolong the cooldown", () => {
    const seen = [
      ...enteringAgainAfter(60_000),
      { after: 10 * MINUTE + 100_000, where: OUTSIDE },
      { after: 10 * MINUTE + 120_000, where: INSIDE }
    ]
    expect(outcomes(enter, seen).slice(3)).toEqual(["cooling_down", "crossed", "fired"])
  })

  it("is measured between capture times, not arrivals [L6]", () => {
    const [first, second, third, fourth] = enteringAgainAfter(119_999)
    const seen = [first!, second!, third!, { ...fourth!, delay: 10 * MINUTE }]
    expect(outcomes(enter, seen)[3]).toBe("cooling_down")
  })
})

describe("stale fixes [§4.6.4, T3]", () => {
  const arriving = (delay: number) => [
    { after: 0, where: OUTSIDE },
    { after: 5 * MINUTE, where: INSIDE, delay }
  ]

  it.each([
    [15 * MINUTE - 1, "fired"],
    [15 * MINUTE, "fired"],
    [15 * MINUTE + 1, "stale"]
  ])("a crossing that arrives %i ms after its capture: %s [§4.6.4]", (delay, outcome) => {
    expect(outcomes(enter, arriving(delay))[1]).toBe(outcome)
  })

  it("update the state silently: the crossing is over when the next fix comes", () => {
    const seen = [...arriving(HOUR), { after: 70 * MINUTE, where: INSIDE }, { after: 80 * MINUTE, where: OUTSIDE }]
    expect(outcomes(enter, seen)).toEqual(["seeded", "stale", "no_change", "crossed"])
    expect(outcomes(exit, seen)).toEqual(["seeded", "crossed", "no_change", "fired"])
  })

  it("a fix that cannot fire starts no cooldown", () => {
    const seen = [...arriving(HOUR), { after: 6 * MINUTE, where: OUTSIDE }, { after: 6 * MINUTE + 1, where: INSIDE }]
    expect(outcomes(enter, seen)).toEqual(["seeded", "stale", "crossed", "fired"])
  })

  it("a phone whose clock runs ahead is not stale", () => {
    expect(outcomes(enter, arriving(-5 * MINUTE))[1]).toBe("fired")
  })
})

describe("fixes from before the rule could fire [M5]", () => {
  const made = { firesFrom: time(NOON + 5 * MINUTE) }
  const arriving = (after: number) => [
    { after: 0, where: OUTSIDE },
    { after, where: INSIDE }
  ]

  it.each([
    [5 * MINUTE - 1, "stale"],
    [5 * MINUTE, "fired"],
    [5 * MINUTE + 1, "fired"]
  ])("a crossing captured %i ms after noon, by a rule made at 12:05: %s [M5]", (after, outcome) => {
    expect(outcomes(question({ type: "enter", ...made }), arriving(after))).toEqual(["seeded", outcome])
  })

  it("update the state silently: the crossing is over when the next fix comes", () => {
    const seen = [...arriving(4 * MINUTE), { after: 6 * MINUTE, where: INSIDE }, { after: 7 * MINUTE, where: OUTSIDE }]
    expect(outcomes(question({ type: "enter", ...made }), seen)).toEqual(["seeded", "stale", "no_change", "crossed"])
    expect(outcomes(question({ type: "exit", ...made }), seen)).toEqual(["seeded", "crossed", "no_change", "fired"])
  })

  it("a fix that cannot fire starts no cooldown", () => {
    const seen = [
      ...arriving(5 * MINUTE - 2),
      { after: 5 * MINUTE - 1, where: OUTSIDE },
      { after: 5 * MINUTE, where: INSIDE }
    ]
    expect(outcomes(question({ type: "enter", ...made }), seen)).toEqual(["seeded", "stale", "crossed", "fired"])
  })

  it("start the stay and never spend its dwell: the first later one that is long enough after them fires", () => {
    const stay = [0, 5 * MINUTE - 1, 5 * MINUTE, 6 * MINUTE, 7 * MINUTE].map((after) => ({ after, where: INSIDE }))
    const rule = { ...dwell(5), firesFrom: time(NOON + 6 * MINUTE) }
    expect(outcomes(rule, stay)).toEqual(["seeded", "no_change", "stale", "fired", "no_change"])
  })
})

describe("order [L4, rules-7]", () => {
  it.each([
    [-1, "out_of_order"],
    [0, "out_of_order"],
    [1, "fired"]
  ])("a fix captured %i ms after the newest decisive one: %s", (after, outcome) => {
    const outside = evaluate(enter, [{ after: 0, where: OUTSIDE }]).state
    const next = evaluate(enter, [{ after, where: INSIDE }], outside)
    expect(next.outcomes).toEqual([outcome])
  })

  it("a fix out of order leaves the state untouched", () => {
    const outside = evaluate(enter, [{ after: 0, where: OUTSIDE }]).state
    expect(evaluate(enter, [{ after: 0, where: INSIDE }], outside).state).toBe(outside)
  })

  it("a boundary fix does not age the others: an earlier fix still counts", () => {
    expect(
      outcomes(enter, [
        { after: 0, where: OUTSIDE },
        { after: 10 * MINUTE, where: EDGE },
        { after: 5 * MINUTE, where: INSIDE }
      ])
    ).toEqual(["seeded", "boundary", "fired"])
  })
})

describe("windows [§4.6.5, T3, rules-7]", () => {
  const window = { from: time(NOON), until: time(NOON + HOUR) }
  const windowed = question({ window })

  it.each([
    [-1, "outside_window"],
    [0, "seeded"],
    [HOUR - 1, "seeded"],
    [HOUR, "outside_window"]
  ])("a fix captured %i ms after the window opened: %s", (after, outcome) => {
    expect(outcomes(windowed, [{ after, where: OUTSIDE }])).toEqual([outcome])
  })

  it("a fix from before the window never seeds: the first one inside it does [§4.6.5-before]", () => {
    expect(
      outcomes(windowed, [
        { after: -1, where: OUTSIDE },
        { after: 0, where: INSIDE },
        { after: 5 * MINUTE, where: OUTSIDE },
        { after: 10 * MINUTE, where: INSIDE }
      ])
    ).toEqual(["outside_window", "seeded", "crossed", "fired"])
  })

  it.each([
    [HOUR + DAY - 1, "seeded"],
    [HOUR + DAY, "seeded"],
    [HOUR + DAY + 1, "late"]
  ])("a fix of the window that arrives %i ms after it opened: %s", (arrival, outcome) => {
    expect(outcomes(windowed, [{ after: 30 * MINUTE, where: OUTSIDE, delay: arrival - 30 * MINUTE }])).toEqual([
      outcome
    ])
  })

  it("a window may have one open end", () => {
    const from = question({ window: { from: time(NOON), until: null } })
    const until = question({ window: { from: null, until: time(NOON) } })
    expect(
      outcomes(from, [
        { after: -1, where: INSIDE },
        { after: 365 * DAY, where: INSIDE, delay: 9 * DAY }
      ])
    ).toEqual(["outside_window", "seeded"])
    expect(
      outcomes(until, [
        { after: 0, where: INSIDE },
        { after: -1, where: INSIDE }
      ])
    ).toEqual(["outside_window", "seeded"])
  })

  it("the window counts capture times: a fix taken in it fires although it arrives after its end", () => {
    const seen = [
      { after: 0, where: OUTSIDE },
      { after: HOUR - 1, where: INSIDE, delay: 10 * MINUTE }
    ]
    expect(outcomes(windowed, seen)).toEqual(["seeded", "fired"])
  })
})

describe("dwell [§4.6, L7]", () => {
  it.each([
    [5 * MINUTE - 1, "no_change"],
    [5 * MINUTE, "fired"],
    [5 * MINUTE + 1, "fired"]
  ])("5 minutes: a fix inside %i ms after the arrival: %s", (after, outcome) => {
    expect(
      outcomes(dwell(5), [
        { after: -MINUTE, where: OUTSIDE },
        { after: 0, where: INSIDE },
        { after, where: INSIDE }
      ])
    ).toEqual(["seeded", "crossed", outcome])
  })

  it("fires once in a stay; leaving and returning starts a new one", () => {
    expect(
      outcomes(dwell(5), [
        { after: 0, where: INSIDE },
        { after: 5 * MINUTE, where: INSIDE },
        { after: 60 * MINUTE, where: INSIDE },
        { after: 61 * MINUTE, where: OUTSIDE },
        { after: 62 * MINUTE, where: INSIDE },
        { after: 66 * MINUTE, where: INSIDE },
        { after: 67 * MINUTE, where: INSIDE }
      ])
    ).toEqual(["seeded", "fired", "no_change", "crossed", "crossed", "no_change", "fired"])
  })

  it("a fix outside breaks the stay: the minutes before it do not count", () => {
    expect(
      outcomes(dwell(10), [
        { after: 0, where: INSIDE },
        { after: 9 * MINUTE, where: OUTSIDE },
        { after: 10 * MINUTE, where: INSIDE },
        { after: 19 * MINUTE, where: INSIDE },
        { after: 20 * MINUTE, where: INSIDE }
      ])
    ).toEqual(["seeded", "crossed", "crossed", "no_change", "fired"])
  })

  it("there is no timer: a stay without a fix at its end fires nothing when the user is next seen outside", () => {
    expect(
      outcomes(dwell(5), [
        { after: 0, where: INSIDE },
        { after: 3 * HOUR, where: OUTSIDE }
      ])
    ).toEqual(["seeded", "crossed"])
  })

  it("a stale fix starts the stay and never spends its dwell: the first fresh one fires", () => {
    expect(
      outcomes(dwell(5), [
        { after: 0, where: INSIDE, delay: 2 * HOUR },
        { after: 30 * MINUTE, where: INSIDE, delay: 90 * MINUTE },
        { after: 31 * MINUTE, where: INSIDE, delay: 15 * MINUTE + 1 },
        { after: 32 * MINUTE, where: INSIDE, delay: 15 * MINUTE },
        { after: 40 * MINUTE, where: INSIDE }
      ])
    ).toEqual(["seeded", "stale", "stale", "fired", "no_change"])
  })

  it("the longest dwell is 720 minutes of silence", () => {
    expect(
      outcomes(dwell(720), [
        { after: 0, where: INSIDE },
        { after: 720 * MINUTE - 1, where: INSIDE },
        { after: 720 * MINUTE, where: INSIDE }
      ])
    ).toEqual(["seeded", "no_change", "fired"])
  })
})

describe("docs/state-machines.md", () => {
  it("its example goes as it says", () => {
    const seen = [
      { after: 0, where: at(1_000) },
      { after: MINUTE, where: at(190) },
      { after: 2 * MINUTE, where: at(20) },
      { after: 3 * MINUTE, where: at(300) },
      { after: 3 * MINUTE + 59 * SECOND, where: at(20) },
      { after: 90 * SECOND, where: at(1_000), delay: 3 * MINUTE }
    ]
    const { outcomes, state } = evaluate(enter, seen)
    expect(outcomes).toEqual(["seeded", "boundary", "fired", "crossed", "cooling_down", "out_of_order"])
    expect(state).toMatchObject({ side: "inside", lastFiredAt: NOON + 2 * MINUTE })
  })
})

describe("another basis [L8]", () => {
  const fired = evaluate(enter, [
    { after: 0, where: OUTSIDE },
    { after: 10 * MINUTE, where: INSIDE }
  ]).state

  it("the same basis: the same state", () => {
    expect(RuleEvaluation.on("1", fired)).toBe(fired)
  })

  it("a moved place re-seeds: the next fix fires nothing, wherever it is", () => {
    for (const where of [INSIDE, OUTSIDE]) {
      const moved = RuleEvaluation.on("2", fired)
      expect(evaluate(exit, [{ after: 20 * MINUTE, where }], moved).outcomes).toEqual(["seeded"])
    }
  })

  it("the dwell begins anew after the basis changed", () => {
    const long = evaluate(dwell(30), [{ after: 0, where: INSIDE }]).state
    expect(
      evaluate(
        dwell(30),
        [
          { after: 30 * MINUTE, where: INSIDE },
          { after: 59 * MINUTE, where: INSIDE },
          { after: 60 * MINUTE, where: INSIDE }
        ],
        RuleEvaluation.on("2", long)
      ).outcomes
    ).toEqual(["seeded", "no_change", "fired"])
  })

  it("the rule still does not fire twice within 2 minutes [§4.6.3]", () => {
    const again = (last: number) =>
      evaluate(
        enter,
        [
          { after: 10 * MINUTE + 30 * SECOND, where: OUTSIDE },
          { after: 10 * MINUTE + last, where: INSIDE }
        ],
        RuleEvaluation.on("2", fired)
      ).outcomes
    expect(again(119_999)).toEqual(["seeded", "cooling_down"])
    expect(again(120_000)).toEqual(["seeded", "fired"])
  })

  it("fixes older than what the rule has seen stay history", () => {
    const late = evaluate(enter, [{ after: 9 * MINUTE, where: OUTSIDE }], RuleEvaluation.on("2", fired))
    expect(late.outcomes).toEqual(["out_of_order"])
  })
})

describe("an accuracy that plain JavaScript left out", () => {
  it.each([undefined, null, Number.NaN, 0, -1])(
    "%s counts as unknown: 50 m, and never leaves the state undecided without end",
    (accuracyM) => {
      const circle = { lat: 52, lon: 5, radiusM: 200 }
      const question: RuleEvaluation.Question = {
        type: "enter",
        circle,
        dwellMinutes: null,
        settleS: null,
        silenceS: null,
        window: { from: null, until: null },
        firesFrom: null
      }
      const [first, second] = [time(0), time(5 * MINUTE)]
      const away = { capturedAt: first, lat: 52.1, lon: 5, accuracyM }
      const seeded = RuleEvaluation.step(question, RuleEvaluation.unseeded("b"), away, first)
      const fired = RuleEvaluation.step(question, seeded.state, { ...away, capturedAt: second, lat: 52 }, second)
      expect([seeded.outcome, fired.outcome]).toEqual(["seeded", "fired"])
      const near = { ...away, capturedAt: second, lat: 52 + 170 / 111_267 }
      expect(RuleEvaluation.step(question, seeded.state, near, second).outcome).toBe("boundary")
    }
  )
})

describe("a deleted stretch [retention-choice-4]", () => {
  const waiting = (after: number): RuleEvaluation.RuleMemory => ({
    ...RuleEvaluation.unseeded("1"),
    side: "outside",
    since: time(NOON + HOUR),
    asOf: time(NOON + HOUR),
    unsettled: { at: time(NOON + after), until: time(NOON + DAY), fires: true }
  })

  it.each([
    [-1, true],
    [0, false],
    [MINUTE - 1, false],
    [MINUTE, true]
  ])("with a crossing that waits since %i ms after its beginning: the side is kept: %s", (after, isKept) => {
    const stretch = { from: time(NOON), until: time(NOON + MINUTE) }
    expect(RuleEvaluation.without(stretch, waiting(after)).side).toBe(isKept ? "outside" : null)
  })
})
