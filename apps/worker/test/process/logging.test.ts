import { Cause, Console, Effect, LogLevel } from "effect"
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

it("a log for people has the time, the level, the message, the cause and the annotations, and no id of a fiber", () => {
  const log = Effect.logError("the outbox waits", Cause.fail("no database")).pipe(
    Effect.annotateLogs({ request_id: "req_1", attempt: 2 })
  )
  Effect.runSync(Effect.provide(log, Logging.layer({ format: "pretty", level: LogLevel.Info })))
  expect(written.stdout).toMatch(/^\[\d\d:\d\d:\d\d\.\d{3}\] ERROR: the outbox waits\n {2}Error: no database\n/)
  expect(written.stdout).toMatch(/\n {2}request_id: req_1\n/)
  expect(written.stdout).toMatch(/\n {2}attempt: 2\n/)
  expect(written.stdout).not.toContain("(#")
})

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
