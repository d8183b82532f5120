import { Simulation } from "@place-access/domain/testing"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { PhoneVisit, Reading } from "../../../testing/simulation/Operations.js"
import { uploads } from "../../../testing/simulation/oracles/rules/uploads.js"
import { inScene } from "../plants/scene.js"
import { FAR, HOME, HOUR, MINUTE, SECOND } from "./home.js"
import { ok, seen, START, Story } from "./handwritten.js"

const judge = (story: Story) => seen(uploads, story.run())

/** An upload of a phone with these readings and visits, answered with these counts. */
const sent = (
  s: Story,
  fixes: ReadonlyArray<Reading>,
  counts: readonly [accepted: number, duplicates: number, quarantined: number],
  visits: ReadonlyArray<PhoneVisit> = []
): number => {
  const [accepted, duplicates, quarantined] = counts
  return s.op("upload", { userId: "ana", deviceId: "phone", fixes, visits }, ok({ accepted, duplicates, quarantined }))
}

const reading = (aheadMs: number, point = HOME): Reading => ({ ...point, capturedAt: START + aheadMs, accuracyM: 10 })
const visit = (arrival: number | null, departure: number | null): PhoneVisit => ({ ...HOME, arrival, departure })

describe("F1: the counts in the answer to an upload", () => {
  it("five minutes ahead: accepted; a millisecond more: quarantined", () => {
    const s = new Story()
    sent(s, [reading(5 * MINUTE), reading(5 * MINUTE + 1)], [1, 0, 1])
    expect(judge(s)).toEqual({})
  })

  it("a reading that is 90 minutes ahead and accepted is seen, and so is one of the present that is quarantined", () => {
    const s = new Story()
    const ahead = sent(s, [reading(90 * MINUTE)], [1, 0, 0])
    const present = sent(s, [reading(0)], [0, 0, 1])
    expect(judge(s)).toEqual({ F1: [ahead, present] })
  })

  it("the time of receipt lies in the upload: at its edge, both are fine", () => {
    for (const quarantined of [0, 1]) {
      const s = new Story()
      const args = { userId: "ana", deviceId: "phone", fixes: [reading(5 * MINUTE + 1)], visits: [] }
      const begun = s.begin("upload", args)
      s.after(SECOND).end(begun, "upload", ok({ accepted: 1 - quarantined, duplicates: 0, quarantined }))
      expect(judge(s)).toEqual({})
    }
  })

  it("impossible positions and times of before 2010 are quarantined", () => {
    const s = new Story()
    const zero = { lat: 0, lon: 0 }
    sent(s, [reading(0, zero), reading(0, { lat: 91, lon: 0 }), { ...reading(0), capturedAt: 0 }], [0, 0, 3])
    const wrong = sent(s, [reading(0, zero)], [1, 0, 0])
    expect(judge(s)).toEqual({ F1: [wrong] })
  })

  it("every reading is in one count", () => {
    const s = new Story()
    sent(s, [reading(0), reading(0), reading(0, FAR)], [2, 1, 0])
    const short = sent(s, [reading(0), reading(0, FAR)], [0, 1, 0])
    expect(judge(s)).toEqual({ F1: [short] })
  })

  it("a visit that is accepted is in no count; one without a time, or from the future, is quarantined", () => {
    const s = new Story()
    sent(s, [reading(0)], [1, 0, 0], [visit(START - HOUR, START)])
    sent(s, [], [0, 0, 3], [visit(null, null), visit(START + HOUR, null), visit(START, START - 1)])
    const wrong = sent(s, [], [0, 0, 1], [visit(START - HOUR, null)])
    expect(judge(s)).toEqual({ F1: [wrong] })
  })

  it("a reading of a deleted stretch is not kept, and counts as quarantined", () => {
    const s = new Story()
    s.op("eraseHistory", { userId: "ana", from: START, until: START + 1 }, ok(null))
    sent(s, [reading(0)], [0, 0, 1])
    expect(judge(s)).toEqual({})
  })
})

it("a rule may fire for a reading that was from the future, once the service has accepted the reading [fixes-4]", () => {
  const scenario = inScene(({ phone, rule, walk, world }) =>
    Effect.gen(function* () {
      yield* rule()
      yield* walk(FAR)
      yield* phone.fix({ ...HOME, capturedAt: (yield* world.now) + 6 * MINUTE })
      yield* world.advance(7 * MINUTE)
      yield* phone.fix(HOME)
    })
  )
  const { entries, violations } = Simulation.runSync({ seed: 1 }, scenario)
  expect(violations).toEqual([])
  expect(entries.filter(({ kind }) => kind === "posted")).toHaveLength(1)
})
