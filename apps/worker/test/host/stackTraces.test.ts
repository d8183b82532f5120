import { build } from "esbuild"
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

const MODULE = pathToFileURL(join(import.meta.dirname, "../../dist/host/StackTraces.js")).href

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
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** What a program writes that installs the traces and then does this, with `fail` of the built module. */
const written = (program: string): string =>
  execFileSync(
    process.execPath,
    [
      "--input-type=module",
      "--eval",
      `import { install } from ${JSON.stringify(MODULE)}
       import { fail } from ${JSON.stringify(pathToFileURL(join(folder, "bundle/built.js")).href)}
       install()
       ${program}`
    ],
    { encoding: "utf8" }
  )

const CATCH = "try { fail({}) } catch (error) { console.log(error.stack) }"

describe("stack traces", () => {
  it("name the line that was written, not the one that was built", () => {
    const [title, first] = written(CATCH).split("\n")
    expect(title).toBe("TypeError: it broke")
    expect(first).toMatch(/^ {4}at \w+ \(file:.*\/origin\.ts:4:\d+\)$/)
  })

  it("are V8's own for what has no map", () => {
    expect(written('console.log(new Error("plain").stack)')).toMatch(/^Error: plain\n {4}at file:.*\n? *at /)
  })

  it("are those of what was built when the map cannot be read", () => {
    writeFileSync(join(folder, "bundle/built.js.map"), "{")
    expect(written(CATCH)).toMatch(/^TypeError: it broke\n {4}at \w+ \(file:.*\/built\.js:1:\d+\)/)
  })

  it("have a title also where the error cannot say its own", () => {
    const program = `const error = new Error(); Object.defineProperty(error, "message", { get() { throw 1 } }); console.log(error.stack)`
    expect(written(program)).toMatch(/^Error\n {4}at /)
  })
})
