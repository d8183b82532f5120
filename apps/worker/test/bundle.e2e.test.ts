import { describe, expect, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"

const BUNDLE = join(import.meta.dirname, "../bundle")

/** The sources of a file that `npm run build` made, by its map. */
const sourcesOf = (file: string): ReadonlyArray<string> => {
  const { sources } = JSON.parse(readFileSync(join(BUNDLE, `${file}.map`), "utf8")) as {
    readonly sources: ReadonlyArray<string>
  }
  return sources
}

describe("the file that a worker is started from", () => {
  it.each([
    ["the mail library, which waits for SMTP_URL", /\/node_modules\/nodemailer\//],
    ["the exporter of telemetry, which waits to be switched on", /\/node_modules\/@effect\/opentelemetry\//],
    [
      "undici that nobody here uses",
      /\/node_modules\/undici\/lib\/(mock|cache|interceptor|web\/(websocket|eventsource|cache|cookies))\//
    ]
  ])("has nothing of %s", (_, unwanted) => {
    const sources = sourcesOf("main.js")
    expect(sources.some((source) => source.includes("/node_modules/undici/"))).toBe(true)
    expect(sources.filter((source) => unwanted.test(source))).toEqual([])
  })
})
