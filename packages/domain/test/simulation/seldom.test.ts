import { Simulation } from "@place-access/domain/testing"
import { describe, expect, it } from "vitest"
import { DAY, HOUR, MINUTE, SECOND } from "../../testing/simulation/plan/edges.js"
import { call, consent, fix, INSIDE, rule } from "../../testing/simulation/plan/pieces/story.js"
import type { Ask, PlanStep } from "../../testing/simulation/plan/Plan.js"

/** Situations that random plans reach seldom. The oracles judge each run. */

const wait = (ms: number): PlanStep => ({ do: "wait", ms })
const ask = (question: Ask): PlanStep => ({ ...call(0, "me"), ask: question }) as PlanStep
const OUT = fix(0)
const IN = fix(0, { edgeM: INSIDE })
/** The phone sends a reading at home, with a clock that is ahead. */
const ahead = (ms: number): PlanStep => fix(0, { edgeM: INSIDE, ageMs: -ms })
/** The calls that would show a quarantined reading, or lack an accepted one. */
const QUESTIONS: ReadonlyArray<PlanStep> = [
  call(0, "latest"),
  ask({ about: "current place", maxAgeS: 900 }),
  ask({ about: "range", agoMs: 2 * DAY }),
  ask({ about: "days", agoMs: 2 * DAY }),
  { do: "read own history", person: 0 }
]

const runs = (steps: ReadonlyArray<PlanStep>): ReadonlyArray<Simulation.PlanResult> =>
  [1, 2, 3].map((seed) => {
    const result = Simulation.runPlanSync({
      seed,
      scheduling: "random",
      workers: 1,
      faults: {},
      people: 1,
      apps: 1,
      hasSandbox: false,
      steps: [consent(), rule(0), rule(0, { type: "exit" }), ...steps]
    })
    expect([result.stopped, result.violations]).toEqual([null, []])
    return result
  })

/** How many readings the person finds in each view of the own history. */
const readingsIn = ({ entries }: Simulation.PlanResult): ReadonlyArray<number> =>
  entries.flatMap((entry) =>
    entry.kind === "done" && entry.name === "readOwnHistory" && entry.outcome._tag === "ok"
      ? [entry.outcome.value.readings.length]
      : []
  )

describe("a reading from the future", () => {
  it.each([2 * HOUR, 12 * HOUR, DAY - 1, DAY, DAY + 1])(
    "is accepted by the next upload after its time when it was at most a day ahead: %i ms [fixes-4]",
    (ms) => {
      for (const run of runs([OUT, wait(MINUTE), ahead(ms), ...QUESTIONS, wait(ms + MINUTE), OUT, ...QUESTIONS])) {
        expect(readingsIn(run)).toEqual([1, ms > DAY ? 2 : 3])
      }
    }
  )

  it.each([
    ["received in the stretch", 30 * MINUTE, 3 * MINUTE],
    ["with a stated time in the stretch", 30 * MINUTE, 31 * MINUTE],
    ["received before the stretch and with a stated time after it", HOUR, 20 * MINUTE]
  ])("is deleted with a stretch of the history: %s [retention-choice-5]", (_, ms, waitMs) => {
    const erase: PlanStep = { do: "erase", person: 0, around: "now", beforeMs: 10 * MINUTE, afterMs: 0 }
    const steps = [OUT, wait(20 * MINUTE), ahead(ms), wait(waitMs), erase, ...QUESTIONS, wait(HOUR), OUT, ...QUESTIONS]
    for (const run of runs(steps)) expect(readingsIn(run)).toEqual([1, 2])
  })

  it("is accepted during a pause, and no app learns it from the pause [fixes-4]", () => {
    const pause: PlanStep = { do: "pause", connection: 0, length: "day" }
    const resume: PlanStep = { do: "resume", connection: 0 }
    const later = [wait(31 * MINUTE), OUT, ...QUESTIONS, resume, ...QUESTIONS, wait(MINUTE), IN, ...QUESTIONS]
    for (const begun of [
      [ahead(30 * MINUTE), wait(SECOND), pause],
      [pause, ahead(30 * MINUTE)]
    ]) {
      for (const run of runs([OUT, wait(MINUTE), ...begun, ...later])) expect(readingsIn(run)).toEqual([3, 3, 4])
    }
  })
})

it.each([0, MINUTE])(
  "a clock that is set back 20 minutes after the notice of the end of sensitive scopes sends no second notice: %i ms",
  (ms) => {
    const notice = (offsetMs: number): PlanStep => ({ do: "until", moment: "seven days left", of: 0, offsetMs })
    const end: PlanStep = { do: "until", moment: "sensitive ends", of: 0, offsetMs: 15 * MINUTE }
    const back: PlanStep = { do: "jump", ms: -20 * MINUTE }
    const steps = [OUT, notice(15 * MINUTE), wait(ms), back, call(0, "latest"), wait(HOUR), end, call(0, "latest")]
    for (const { entries } of runs(steps)) {
      const events = entries.flatMap((entry) =>
        entry.kind === "posted" && entry.body["type"] === "sensitive.expiring" ? [entry.body["event_id"]] : []
      )
      // One event says that 14 days are left, the other that seven days are left.
      expect(new Set(events).size).toBe(2)
    }
  }
)
