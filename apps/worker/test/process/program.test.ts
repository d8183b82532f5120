import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { FROM_SOURCE, IS_BUILT } from "../../../../packages/domain/test/support/nodeArgs.js"

const ROOT = join(import.meta.dirname, "../../../..")

const SAYS_READY = "process.stdout.write('ready')"

/**
 * A program whose timers run a hundred times as fast, so that twenty seconds pass in a fifth of a second. It says when
 * it is ready for a signal, unless `main` does.
 */
const script = (main: string): string => `
  const slow = globalThis.setTimeout
  globalThis.setTimeout = (done, millis) => slow(done, millis / 100)
  const { Program } = await import("@place-access/worker")
  const { Effect } = await import("effect")
  Program.run(${main})
  ${main.includes(SAYS_READY) ? "" : SAYS_READY}`

/** Runs the program, asks it to stop, and returns how it ended. `main` has the arguments of `Program.run`. */
const stopped = async (main: string, by: NodeJS.Signals = "SIGTERM") => {
  const args = [...(IS_BUILT ? [] : FROM_SOURCE), "--input-type=module", "-e", script(main)]
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ["ignore", "pipe", "pipe"] })
  onTestFinished(() => void child.kill("SIGKILL"))
  let stderr = ""
  child.stderr.on("data", (text) => (stderr += String(text)))
  const ended = once(child, "exit")
  await Promise.race([once(child.stdout, "data"), ended])
  child.kill(by)
  const [code, signal] = await ended
  return { code, signal, stderr }
}

describe("a program that gets a signal to stop", () => {
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

/** Work that cannot be interrupted, and that is done 10 ms after the signal. */
const FINISHES_AFTER_SIGNAL = `Effect.uninterruptible(Effect.async((resume) => {
  process.once('SIGTERM', () => setTimeout(() => resume(Effect.void), 1_000))
}))`

/**
 * Work that replaces the listeners of SIGINT in its first step, and that is done 10 ms after the signal. A signal that
 * came while the listeners were replaced would be lost.
 */
const HANDLES_CONTROL_C = `Effect.async((resume) => {
  process.removeAllListeners('SIGINT')
  process.once('SIGINT', () => setTimeout(() => resume(Effect.void), 1_000))
  ${SAYS_READY}
})`

describe("a command that a signal ends", () => {
  const stderr = "The command was stopped. It may not have done all its work.\n"

  it.each([
    ["SIGTERM", 143],
    ["SIGINT", 130]
  ] as const)("does not end with 0, and says so: %s", async (signal, code) => {
    const ended = await stopped("Effect.never, { mustFinish: true }", signal)
    expect(ended).toEqual({ code, signal: null, stderr })
  })

  it("does not end with 0 after it finished the step that it had begun, because more steps may have been to come", async () => {
    const ended = await stopped(`${FINISHES_AFTER_SIGNAL}, { mustFinish: true }`)
    expect(ended).toEqual({ code: 143, signal: null, stderr })
  })

  it("ends with 0 when the command itself handles the signal, as a search of the simulation does", async () => {
    const { code, stderr } = await stopped(`${HANDLES_CONTROL_C}, { mustFinish: true }`, "SIGINT")
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
  })

  it("ends like after Control-C when a question of the command is broken off", async () => {
    const { code } = await stopped("Effect.interrupt, { mustFinish: true }")
    expect(code).toBe(130)
  })
})
