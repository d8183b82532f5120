import { Console, Effect, LogLevel } from "effect"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import * as Logging from "../../src/process/Logging.js"

/** The texts that reach each stream. */
const written: { stdout: string; stderr: string } = { stdout: "", stderr: "" }
beforeEach(() => {
  Object.assign(written, { stdout: "", stderr: "" })
  vi.spyOn(console, "log").mockImplementation((text: string) => void (written.stdout += `${text}\n`))
  vi.spyOn(console, "error").mockImplementation((text: string) => void (written.stderr += `${text}\n`))
})
afterEach(() => vi.restoreAllMocks())

const program = Effect.zipRight(Effect.logWarning("the database is away"), Console.log("the answer"))

describe.each(["json", "pretty"] as const)("a log of format %s", (format) => {
  const settings = { format, level: LogLevel.Info }

  it("goes to standard output", () => {
    Effect.runSync(Effect.provide(program, Logging.layer(settings)))
    expect(written.stdout).toMatch(/the database is away[^]*the answer/)
    expect(written.stderr).toBe("")
  })

  it("goes to standard error when a program reads the output of the command", () => {
    Effect.runSync(Effect.provide(program, Logging.layer(settings, "stderr")))
    expect(written.stdout).toBe("the answer\n")
    expect(written.stderr).toContain("the database is away")
  })
})
