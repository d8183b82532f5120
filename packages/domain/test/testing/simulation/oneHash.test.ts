import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { bundleOfHashes, hashesHere } from "./hashes.js"

/** The paths of other versions of Node. `.ci/run` sets OTHER_NODES; without it these tests are skipped. */
const others = (process.env["OTHER_NODES"] ?? "").split(":").filter((path) => path !== "")

let folder: string
let bundle: string
let expected: ReadonlyArray<string>
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "place-access-"))
  bundle = join(folder, "hashes.mjs")
  writeFileSync(bundle, await bundleOfHashes("esm", "node"))
  expected = hashesHere()
})
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))

const hashesOf = (node: string, environment: Readonly<Record<string, string>> = {}): unknown =>
  JSON.parse(execFileSync(node, [bundle], { encoding: "utf8", env: { ...process.env, ...environment } }))

describe("a seed has one hash", () => {
  it.each([
    ["14 hours ahead of UTC, in Turkish", { TZ: "Pacific/Kiritimati", LANG: "tr_TR.UTF-8", LC_ALL: "tr_TR.UTF-8" }],
    ["in a zone with summer time, in Arabic", { TZ: "America/Santiago", LANG: "ar_EG.UTF-8", LC_ALL: "ar_EG.UTF-8" }]
  ])("in a bundle, on a machine that is %s", (_, environment) => {
    expect(hashesOf(process.execPath, environment)).toEqual(expected)
  })

  it.skipIf(others.length === 0)("under other versions of Node (OTHER_NODES)", () => {
    const versions = others.map((node) => execFileSync(node, ["--version"], { encoding: "utf8" }).split(".")[0])
    expect(versions).not.toContain(process.version.split(".")[0])
    for (const node of others) expect([node, hashesOf(node)]).toEqual([node, expected])
  })
})
