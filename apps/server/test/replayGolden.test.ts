import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { haveTraces, traces, TRACES_NEEDED } from "../../../packages/domain/test/support/traces.js"
import { Timestamp } from "@place-access/domain/shared"
import { figuresOf, figuresText } from "../src/replay/figures.js"
import { digest, jsonLines } from "../src/replay/lines.js"
import type { Log } from "../src/replay/Log.js"
import { circlesOf, named } from "../src/replay/run.js"
import { CIRCLES, generatedLogs } from "./support/generatedLogs.js"

/**
 * The golden corpus: files with the results of replayed logs. A change of rules or visits changes these files, so a
 * reviewer sees the change before a user does. `npx vitest run apps/server/test/replayGolden.test.ts -u` writes the
 * files anew.
 */

const TERMS = { dwellMinutes: 10, settleS: null, silenceS: null }
const SETTLED = { dwellMinutes: 10, settleS: 120, silenceS: null }

describe("the golden corpus of generated logs [replay-1]", () => {
  it.effect.each(generatedLogs.map((log) => [log.name, log] as const))("%s", ([name, log]) =>
    Effect.gen(function* () {
      const [at0, at120] = [yield* named(log, CIRCLES, TERMS), yield* named(log, CIRCLES, SETTLED)]
      const lines = ["settle_s: none", ...jsonLines(at0), "settle_s: 120", ...jsonLines(at120)]
      const file = `golden/${name.replaceAll(/[^a-z]+/g, "-")}.txt`
      yield* Effect.promise(() => expect(`${lines.join("\n")}\n`).toMatchFileSnapshot(file))
    })
  )
})

/**
 * The recorded logs, with numbers as names. They do not belong to this repository, which has only counts and hashes of
 * their results.
 */
const recorded = (): ReadonlyArray<Log> =>
  traces().map(({ fixes }, index) => ({
    name: `log ${index + 1}`,
    visits: [],
    readings: fixes
      .map((fix) => ({
        receivedAt: Timestamp.make(fix.receivedAt > 0 ? fix.receivedAt : fix.capturedAt),
        reading: { capturedAt: Timestamp.make(fix.capturedAt), lat: fix.lat, lon: fix.lon, accuracyM: fix.accuracy }
      }))
      .sort((a, b) => a.receivedAt - b.receivedAt || a.reading.capturedAt - b.reading.capturedAt)
  }))

const replayed = (log: Log) =>
  Effect.map(
    Effect.flatMap(circlesOf(log, 150), (circles) => named(log, circles, TERMS)),
    digest
  )

describe.skipIf(!haveTraces)(`the golden corpus of recorded logs [replay-1]${TRACES_NEEDED}`, () => {
  it.effect("each log gives what it gave before", () =>
    Effect.gen(function* () {
      const logs = recorded()
      const lines = yield* Effect.forEach(logs, (log) => replayed(log))
      yield* Effect.promise(() => expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("golden/recorded.txt"))
    })
  )

  it.effect("crossings, dwells and visits are as true as before", () =>
    Effect.gen(function* () {
      const logs = yield* Effect.forEach(recorded(), (log) =>
        Effect.map(circlesOf(log, 150), (circles) => ({ log, circles }))
      )
      const [unsettled, settled] = [yield* figuresOf(logs, TERMS), yield* figuresOf(logs, SETTLED)]
      const text = `settle_s: none\n${figuresText(unsettled)}\n\nsettle_s: 120\n${figuresText(settled)}\n`
      yield* Effect.promise(() => expect(text).toMatchFileSnapshot("golden/figures.txt"))
    })
  )
})
