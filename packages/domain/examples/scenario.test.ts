import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "vitest"
import * as OwnLimitStore from "./limitStore.js"
import { careless, hunt, run, runOver } from "./scenario.js"

it("the evening ends well: the seventh attempt is answered 23 h 35 min 30 s after the first, and no invariant is broken", () => {
  const result = run(1)
  expect(result).toMatchObject({ stopped: null, quiesced: true, violations: [] })
  expect(result.marks["the seventh attempt"]).toBe(1)
  const posted = result.entries.filter((entry) => entry.kind === "posted")
  const [first, last] = [posted[0]!, posted.at(-1)!]
  expect(last.reply).toBe(200)
  // The time is at least the sum of the six waits. Each wait begins at the end of an attempt, and the attempt that hung
  // ended after five seconds.
  expect(last.t - first.t).toBeGreaterThanOrEqual((23 * 3600 + 35 * 60 + 30) * 1000)
})

it("a store that does not compare versions is found out, by an oracle of the embedder too, and its seed repeats the run exactly", () => {
  const found = hunt(20, careless)
  expect(found?.violations.map(({ invariant }) => invariant)).toContain("told-once")
  const again = run(found!.seed, careless)
  expect(again.traceHash).toBe(found!.traceHash)
  expect(again.violations).toEqual(found!.violations)
})

it("the evening ends well over a store of the embedder, too", async () => {
  const folder = mkdtempSync(join(tmpdir(), "evening-"))
  const result = await runOver(1, OwnLimitStore.layer(join(folder, "limits")))
  expect(result).toMatchObject({ stopped: null, quiesced: true, violations: [] })
  expect(readFileSync(join(folder, "limits"), "utf8")).toContain('"circles":[{')
  rmSync(folder, { recursive: true })
})
