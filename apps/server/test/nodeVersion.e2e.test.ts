import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { satisfies } from "semver"
import { describe, expect, it } from "vitest"

const ROOT = join(import.meta.dirname, "../../..")

/** Runs Node with a changed `process.version`. */
const nodeOf = (version: string, file: string) =>
  spawnSync(
    process.execPath,
    [
      "--import",
      `data:text/javascript,Object.defineProperty(process,"version",{value:"v${version}"})`,
      join(ROOT, file)
    ],
    { encoding: "utf8", env: { PORT: "not a port" } }
  )

describe("a Node that is too old", () => {
  it.each(["apps/server/bundle/main.js", "apps/worker/bundle/main.js", "apps/server/bundle.mjs"])(
    "%s says so in one sentence and ends with 78, before it loads anything",
    (file) => {
      for (const version of ["16.20.2", "18.20.8", "20.18.9"]) {
        const { status, stderr, stdout } = nodeOf(version, file)
        expect([status, stdout]).toEqual([78, ""])
        expect(stderr).toBe(
          `This is Node.js v${version}. The service needs Node.js 20.19 or newer: https://nodejs.org\n`
        )
      }
    }
  )

  it("20.19.0, 22 and 24 are not: the server goes on to its settings", () => {
    for (const version of ["20.19.0", "22.0.0", "24.11.1"]) {
      expect(nodeOf(version, "apps/server/bundle/main.js").stderr).toMatch(/^ {2}PORT must be/m)
    }
  })

  it("is one that npm refuses, too: with an error, before it installs anything", () => {
    expect(readFileSync(join(ROOT, ".npmrc"), "utf8")).toMatch(/^engine-strict=true$/m)
  })

  it("20.19.0 is one that every package accepts, except those that npm may leave out", () => {
    const { packages } = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")) as {
      readonly packages: Readonly<Record<string, { readonly engines?: { node?: string }; readonly optional?: boolean }>>
    }
    const refusing = Object.entries(packages).filter(
      ([, { engines, optional }]) => optional !== true && !satisfies("20.19.0", engines?.node ?? "*")
    )
    expect(Object.keys(packages).length).toBeGreaterThan(300)
    expect(refusing.map(([path]) => path)).toEqual([])
  })

  it("is one that package.json refuses, too", () => {
    const { engines } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { engines: { node: string } }
    const source = readFileSync(join(ROOT, "apps/worker/src/process/node-version.mjs"), "utf8")
    expect(engines.node).toBe(`>=${/REQUIRED = "([\d.]+)"/.exec(source)?.[1]}`)
  })
})
