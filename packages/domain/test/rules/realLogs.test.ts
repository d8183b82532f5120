import { Fix } from "@place-access/domain/fixes"
import { describe, expect, it } from "@effect/vitest"
import { type Happening, type Life, outcomeOf, type ReferenceFix } from "../support/referenceRules.js"
import { reading, replayLife } from "../support/replay.js"
import { time } from "../support/rules.js"
import { haveTraces, type Trace, traces, TRACES_NEEDED } from "../support/traces.js"

/** Circles around positions of the phone, so that the phone enters and leaves each circle. */
const circles = ({ fixes }: Trace) => {
  const precise = fixes.filter((fix) => (fix.accuracy ?? 0) <= 100)
  return [0, 0.25, 0.5, 0.75]
    .map((part) => precise[Math.floor(part * precise.length)])
    .filter((fix) => fix !== undefined)
    .flatMap(({ lat, lon }) => [100, 150, 1_000].map((radiusM) => ({ lat, lon, radiusM })))
}

const rulesOf = ({ fixes }: Trace): Life["rules"] => {
  const times = fixes.map((fix) => fix.capturedAt).sort((a, b) => a - b)
  const activeFrom = times[Math.floor(times.length / 4)] ?? 0
  const activeUntil = times[Math.floor(times.length / 2)] ?? 0
  return [
    { about: "zone", type: "enter" },
    { about: "zone", type: "exit" },
    { about: "zone", type: "dwell", dwellMinutes: 5 },
    { about: "zone", type: "dwell", dwellMinutes: 60 },
    { about: "zone", type: "enter", activeFrom, activeUntil }
  ]
}

const possible = (fixes: ReadonlyArray<ReferenceFix>) =>
  fixes.filter((fix) => Fix.judge(reading(fix), time(fix.receivedAt))._tag === "Fix")

/** Puts each fix into its own upload, which arrives at the time at which the phone stored the fix. */
const oneByOne = ({ fixes }: Trace) => possible(fixes).map((fix) => [fix])

/** Uploads of 200 fixes each, as the app Overland sends them. An upload arrives at the newest time of its fixes. */
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

const lived = (
  circle: Life["circle"],
  rules: Life["rules"],
  uploads: ReadonlyArray<ReadonlyArray<ReferenceFix>>
): Life => ({
  circle,
  rules,
  happenings: [
    ...rules.map((_, rule): Happening => ({ _tag: "Created", rule, at: 0 })),
    ...uploads.map((fixes): Happening => ({ _tag: "Upload", device: 0, fixes }))
  ]
})

describe.skipIf(!haveTraces)(`rules on real logs against a second writing of Spec §4.6${TRACES_NEEDED}`, () => {
  it.each(haveTraces ? traces().map((trace) => [trace.name, trace] as const) : [])(
    "%s: fires when the second writing does, one by one and in batches [rules-11]",
    (_, trace) => {
      let fired = 0
      for (const circle of circles(trace)) {
        for (const uploads of [oneByOne(trace), inBatches(trace)]) {
          const life = lived(circle, rulesOf(trace), uploads)
          const outcomes = replayLife(life)
          expect(outcomes).toEqual(outcomeOf(life))
          fired += outcomes.flatMap(({ firings }) => firings).length
        }
      }
      // The shortest log has fewer than 100 fixes, and the person crosses no boundary in it.
      expect(fired > 0 || trace.fixes.length < 100).toBe(true)
    }
  )
})
