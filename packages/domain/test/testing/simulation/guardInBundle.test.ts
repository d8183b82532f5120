import { Simulation } from "@place-access/domain/testing"
import { build } from "esbuild"
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

const SEED = 5_000
/** The source of a program that prints the result of each run: its hash, or the error of the guard. */
const PROGRAM = `
  import { DateTime, Effect } from "effect"
  import { Simulation } from "./testing/index.ts"
  const tried = (run) => {
    try { return run().traceHash } catch (error) { return error.name + ": " + error.message }
  }
  const hour = (read) => (world) => Effect.flatMap(world.user("ana"), () => Effect.map(world.advance("1 hour"), read))
  console.log(JSON.stringify({
    swarm: tried(() => Simulation.randomSync({ seed: ${SEED} })),
    random: tried(() => Simulation.runSync({ seed: 1 }, hour(function careless() { return Math.random() }))),
    handedOn: tried(() => Simulation.runSync({ seed: 1 }, hour(function careless() { return DateTime.unsafeNow() }))),
    never: tried(() =>
      Simulation.runSync({ seed: 1 }, (world) => Effect.zipRight(Effect.fork(Effect.never), world.advance("1 hour")))),
    interval: tried(() =>
      Simulation.runSync({ seed: 1 }, hour(function careless() { clearInterval(setInterval(() => 0, 9)) })))
  }))`

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "place-access-"))
})
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))

describe.each([
  ["readable", false],
  ["minified", true]
])("a bundle with all of it in one file, %s", (name, minify) => {
  let output: Readonly<Record<string, string>>
  beforeAll(async () => {
    const outfile = join(folder, `${name}.mjs`)
    await build({
      stdin: { contents: PROGRAM, resolveDir: join(import.meta.dirname, "../../.."), loader: "js" },
      outfile,
      bundle: true,
      minify,
      keepNames: true,
      format: "esm",
      platform: "node",
      conditions: ["@place-access/source"]
    })
    output = JSON.parse(execFileSync(process.execPath, [outfile], { encoding: "utf8" })) as typeof output
  })

  it("runs as it does from its modules, and the guard reports nothing of `effect`'s own", () => {
    expect(output["swarm"]).toBe(Simulation.randomSync({ seed: SEED }).traceHash)
    expect(output["never"]).toMatch(/^[0-9a-f]{64}$/)
  })

  it("a program that reads the host is reported, with who it was", () => {
    expect(output["random"]).toMatch(/^HostRead: .*Math\.random careless /)
    expect(output["interval"]).toMatch(/^HostRead: .*setInterval careless /)
    expect(output["handedOn"]).toMatch(/^HostRead: .*Date\.now .*unsafeNow.* < .*careless/)
  })
})
