import { Fix } from "@place-access/domain/fixes"
import type { RuleEvaluation } from "@place-access/domain/rules"
import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { questions, uploads } from "../support/histories.js"
import { type ReferenceFix, referenceFirings } from "../support/referenceRules.js"
import { reading, replay, toReference } from "../support/replay.js"
import { CIRCLE, time } from "../support/rules.js"
import { haveTraces, type Trace, traces, TRACES_NEEDED } from "../support/traces.js"

describe("rule evaluation against a second writing of Spec §4.6", () => {
  it("fires at the same moments over generated lives", () => {
    let fired = 0
    fc.assert(
      fc.property(questions, uploads, (question, lives) => {
        const expected = referenceFirings(lives.flat(), CIRCLE, toReference(question))
        fired += expected.length
        expect(replay(question, lives).firings).toEqual(expected)
      }),
      { numRuns: 10_000 }
    )
    expect(fired).toBeGreaterThan(4_000)
  })
})

/** Centres where the phone was, so that it goes in and out. */
const circles = ({ fixes }: Trace) => {
  const precise = fixes.filter((fix) => (fix.accuracy ?? 0) <= 100)
  return [0, 0.25, 0.5, 0.75]
    .map((part) => precise[Math.floor(part * precise.length)])
    .filter((fix) => fix !== undefined)
    .flatMap(({ lat, lon }) => [100, 150, 1_000].map((radiusM) => ({ lat, lon, radiusM })))
}

const OPEN = { from: null, until: null }
const asked = (circle: RuleEvaluation.Question["circle"], { fixes }: Trace): ReadonlyArray<RuleEvaluation.Question> => {
  const times = fixes.map((fix) => fix.capturedAt).sort((a, b) => a - b)
  const quarter = times[Math.floor(times.length / 4)] ?? 0
  const half = times[Math.floor(times.length / 2)] ?? 0
  return [
    { type: "enter", circle, dwellMinutes: null, window: OPEN },
    { type: "exit", circle, dwellMinutes: null, window: OPEN },
    { type: "dwell", circle, dwellMinutes: 5, window: OPEN },
    { type: "dwell", circle, dwellMinutes: 60, window: OPEN },
    { type: "enter", circle, dwellMinutes: null, window: { from: time(quarter), until: time(half) } }
  ]
}

const possible = (fixes: ReadonlyArray<ReferenceFix>) =>
  fixes.filter((fix) => Fix.judge(reading(fix), time(fix.receivedAt))._tag === "Fix")

/** As the phone stored them: each at its own time. */
const oneByOne = ({ fixes }: Trace) => possible(fixes).map((fix) => [fix])

/** As Overland sends them: 200 at a time, arriving with the newest. */
const inBatches = ({ fixes }: Trace) => {
  const batches: Array<ReadonlyArray<ReferenceFix>> = []
  let last = 0
  for (let index = 0; index < fixes.length; index += 200) {
    const batch = fixes.slice(index, index + 200)
    const newest = Math.max(...batch.flatMap((fix) => [fix.capturedAt, fix.receivedAt]))
    last = newest === last ? last + 1 : newest
    batches.push(possible(batch.map((fix) => ({ ...fix, receivedAt: last }))))
  }
  return batches.filter((batch) => batch.length > 0)
}

describe.skipIf(!haveTraces)(`real logs${TRACES_NEEDED}`, () => {
  it.each(haveTraces ? traces().map((trace) => [trace.name, trace] as const) : [])(
    "%s: fires when the second writing does, one by one and in batches",
    (_, trace) => {
      let fired = 0
      for (const circle of circles(trace)) {
        for (const question of asked(circle, trace)) {
          for (const lives of [oneByOne(trace), inBatches(trace)]) {
            const { firings } = replay(question, lives)
            expect(firings).toEqual(referenceFirings(lives.flat(), circle, toReference(question)))
            fired += firings.length
          }
        }
      }
      // The shortest log has a handful of fixes and no crossing.
      expect(fired > 0 || trace.fixes.length < 100).toBe(true)
    }
  )
})
