import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { FROM_SOURCE, IS_BUILT } from "../../../../packages/domain/test/support/nodeArgs.js"

const ROOT = join(import.meta.dirname, "../../../..")

/** A program whose timers run a hundred times as fast, so that twenty seconds pass in a fifth of a second. */
const script = (main: string): string => `
  const slow = globalThis.setTimeout
  globalThis.setTimeout = (done, millis) => slow(done, millis / 100)
  const { Program } = await import("@place-access/worker")
  const { Effect } = await import("effect")
  Program.run(${main})
  process.stdout.write("it runs")`

/** Runs the program, asks it to stop, and returns how it ended. */
const stopped = async (main: string) => {
  const args = [...(IS_BUILT ? [] : FROM_SOURCE), "--input-type=module", "-e", script(main)]
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ["ignore", "pipe", "pipe"] })
  onTestFinished(() => void child.kill("SIGKILL"))
  let stderr = ""
  child.stderr.on("data", (text) => (stderr += String(text)))
  const ended = once(child, "exit")
  await Promise.race([once(child.stdout, "data"), ended])
  child.kill("SIGTERM")
  const [code, signal] = await ended
  return { code, signal, stderr }
}

describe("a program that is told to stop", () => {
  it("ends with 0 once it has finished what it had begun", async () => {
    const { code, stderr } = await stopped("Effect.onInterrupt(Effect.never, () => Effect.sleep('1 second'))")
    expect(code).toBe(0)
    expect(stderr).not.toContain("did not stop")
  })

  it("and never finishes, ends after twenty seconds all the same, and says so", async () => {
    const { code, signal, stderr } = await stopped("Effect.uninterruptible(Effect.never)")
    expect({ code, signal }).toEqual({ code: 1, signal: null })
    expect(stderr).toContain("did not stop within 20 s")
  })
})
