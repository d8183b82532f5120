import { describe, expect, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"

const BUNDLE = join(import.meta.dirname, "../bundle")

/**
 * The files that `main.js` loads at every start: the program, which it imports after it has checked Node's version, and
 * the program's imports.
 */
const loaded = (): ReadonlyArray<string> => {
  const [, program = ""] = /import\("\.\/(main-[^"]+)"\)/.exec(read("main.js")) ?? []
  const found = new Set([program])
  for (const file of found) {
    for (const [, imported = ""] of read(file).matchAll(/from"\.\/([^"]+)"/g)) found.add(imported)
  }
  return [...found]
}

const read = (file: string): string => readFileSync(join(BUNDLE, file), "utf8")

/** The source files of the loaded bundles, read from their source maps. */
const sources = (): ReadonlyArray<string> =>
  loaded().flatMap((file) => (JSON.parse(read(`${file}.map`)) as { readonly sources: ReadonlyArray<string> }).sources)

describe("what a worker loads when it starts", () => {
  it.each([
    ["the mail library, which waits for SMTP_URL", /\/node_modules\/nodemailer\//],
    ["the exporter of telemetry, which waits to be switched on", /\/node_modules\/@effect\/opentelemetry\//]
  ])("has nothing of %s", (_, unwanted) => {
    expect(sources().some((source) => source.includes("/node_modules/undici/"))).toBe(true)
    expect(sources().filter((source) => unwanted.test(source))).toEqual([])
  })
})
