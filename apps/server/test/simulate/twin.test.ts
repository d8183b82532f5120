import { Effect, Either } from "effect"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest"
import { parse } from "../../src/simulate/options.js"
import * as Twin from "../../src/simulate/Twin.js"

let folder = ""
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "place-access-twin-"))
})
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
const { argv } = process
afterEach(() => {
  process.argv = argv
})

/** Whether the process `pid` exists; for a negative number, whether the group of processes exists. */
const exists = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

it("the other process of --twice gets no Control-C of the terminal, and ends with the search", async () => {
  const [script, file] = [join(folder, "child.mjs"), join(folder, "pid")]
  await writeFile(
    script,
    `import { writeFileSync } from "node:fs"
writeFileSync(${JSON.stringify(file)}, String(process.pid))
console.log("a".repeat(64))
setTimeout(() => undefined, 60_000)`
  )
  process.argv = [argv[0] ?? "", script]
  const command = Either.getOrThrow(parse(["--seed", "5", "--twice"]))
  if (command._tag === "Help") throw new Error("It is no run")
  const pid = await Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const twin = yield* Twin.start(command.options, 5)
        expect(yield* twin.hash(0)).toBe("a".repeat(64))
        const pid = Number(yield* Effect.promise(() => readFile(file, "utf8")))
        // The second process must lead a group of processes of its own. A terminal sends Control-C to one group, so
        // Control-C reaches only the command, which then ends the second process.
        expect(exists(-pid)).toBe(true)
        return pid
      })
    )
  )
  await vi.waitFor(() => expect(exists(pid)).toBe(false), 10_000)
})
