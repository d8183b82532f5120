import { Simulation } from "@place-access/domain/testing"
import { expect, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import { nodeArgs } from "../../support/nodeArgs.js"
import { busyDay, TROUBLE } from "./busyDay.js"

const inAnotherProcess = async (seed: number): Promise<string> => {
  const program = await nodeArgs(join(import.meta.dirname, "runBusyDay.ts"))
  const node = [...program, String(seed)]
  const { stdout } = await promisify(execFile)(process.execPath, node, { timeout: 500_000 })
  return stdout.trim()
}

it("the same seed gives the same trace, byte for byte, in every process", async () => {
  const here = Simulation.runSync({ seed: 7, scheduling: "random" }, busyDay)
  expect(here.stopped).toBeNull()
  expect(here.quiesced).toBe(true)
  const [there, elsewhere] = await Promise.all([inAnotherProcess(7), inAnotherProcess(8)])
  expect(there).toBe(here.traceHash)
  expect(elsewhere).not.toBe(here.traceHash)
  expect(elsewhere).toMatch(/^[0-9a-f]{64}$/)
}, 120_000)

it("so it does when much goes wrong", () => {
  const run = (seed: number) => Simulation.runSync({ seed, scheduling: "random", faults: TROUBLE }, busyDay)
  const [first, second] = [run(6), run(6)]
  expect(second.jsonl).toBe(first.jsonl)
  expect(first.entries.filter(({ kind }) => kind === "fault").length).toBeGreaterThan(3)
  expect(run(4).traceHash).not.toBe(first.traceHash)
})
