import { build } from "esbuild"
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

const PROCESS = join(import.meta.dirname, "../../dist/process")
const moduleOf = (path: string): string => JSON.stringify(pathToFileURL(path).href)

let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "place-access-"))
  writeFileSync(
    join(folder, "origin.ts"),
    `interface Nothing {}\n\nexport const fail = (_: Nothing): never => {\n  throw new TypeError("it broke")\n}\n`
  )
  await build({
    entryPoints: [join(folder, "origin.ts")],
    outfile: join(folder, "bundle/built.js"),
    format: "esm",
    minifyWhitespace: true,
    sourcemap: true,
    sourcesContent: false
  })
})
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))

/** Runs a program, which can call `fail` of the built module, and returns its output on both streams. */
const written = (program: string): string => {
  const { stderr, stdout } = spawnSync(
    process.execPath,
    [
      "--input-type=module",
      "--eval",
      `import * as StackTraces from ${moduleOf(join(PROCESS, "StackTraces.js"))}
       import * as Logging from ${moduleOf(join(PROCESS, "Logging.js"))}
       import { Effect, LogLevel } from "effect"
       import { fail } from ${moduleOf(join(folder, "bundle/built.js"))}
       ${program}`
    ],
    { cwd: PROCESS, encoding: "utf8", timeout: 15_000 }
  )
  return stdout + stderr
}

const CATCH = "try { fail({}) } catch (error) { console.log(StackTraces.written(error.stack)) }"

const logged = (format: string, effect: string): string =>
  written(`Effect.runSync(Effect.provide(${effect}, Logging.layer({ format: "${format}", level: LogLevel.Info })))`)

const ORIGIN = /at \w+ \(file:[^)]*\/origin\.ts:4:\d+\)/

describe("stack traces", () => {
  it("name the line that was written, not the one that was built", () => {
    const [title, first] = written(CATCH).split("\n")
    expect(title).toBe("TypeError: it broke")
    expect(first).toMatch(/^ {4}at \w+ \(file:.*\/origin\.ts:4:\d+\)$/)
  })

  it.each(["json", "pretty"])("do so in a log of format %s", (format) => {
    const cause = logged(
      format,
      `Effect.sync(() => fail({})).pipe(Effect.catchAllCause((cause) => Effect.logError("no", cause)))`
    )
    expect(cause).toMatch(ORIGIN)
    expect(cause).not.toContain("built.js:")
  })

  it("do so in the last words of a program", () => {
    const output = written("StackTraces.install(); fail({})")
    expect(output).toMatch(ORIGIN)
    expect(output).not.toMatch(/at \w+ \(file:[^)]*built\.js/)
  })

  // Node makes a stack trace for each connection that ends with an error. If each trace read a source map, these errors
  // would cost too much time.
  it("are made without reading a map", () => {
    expect(written("StackTraces.install(); try { fail({}) } catch (error) { console.log(error.stack) }")).toContain(
      "/built.js:1:"
    )
  })

  it("are V8's own for what has no map", () => {
    const program = 'const error = new Error("plain"); console.log(StackTraces.written(error.stack) === error.stack)'
    expect(written(program)).toBe("true\n")
  })

  it("are those of what was built when the map cannot be read", () => {
    writeFileSync(join(folder, "bundle/built.js.map"), "{")
    expect(written(CATCH)).toMatch(/^TypeError: it broke\n {4}at \w+ \(file:.*\/built\.js:1:\d+\)/)
  })

  it("have a title also where the error cannot say its own", () => {
    const program = `StackTraces.install(); const error = new Error(); Object.defineProperty(error, "message", { get() { throw 1 } })
      console.log(StackTraces.written(error.stack))`
    expect(written(program)).toMatch(/^Error\n {4}at /)
  })

  it("of an error that is frozen are as they were made, and the program ends as it would", () => {
    const program = `StackTraces.install(); try { fail({}) } catch (error) { throw Object.freeze(error) }`
    expect(written(program)).toMatch(/TypeError: it broke\n {4}at /)
  })

  // A search that read the rest of the text again for each "file://" would take hours for this text.
  it("are looked for once in a text, also when many of its parts begin like one", () => {
    const program = `const text = "file://".repeat(1_000_000); console.log(StackTraces.written(text) === text)`
    expect(written(program)).toBe("true\n")
  })
})
