import { execFile } from "node:child_process"
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterEach, beforeEach, describe, expect, it } from "vitest"

const SCRIPT = join(import.meta.dirname, "../../../../.ci/set-version.mjs")
const setVersion = (version: string) => promisify(execFile)(process.execPath, [SCRIPT, version], { cwd: folder })

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "place-access-version-"))
  await mkdir(join(folder, "docs"))
  await mkdir(join(folder, "packages/one"), { recursive: true })
  const one = { version: "0.0.0", dependencies: { "@place-access/two": "0.0.0", effect: "3.0.0" } }
  await json("package.json", { version: "0.0.0", workspaces: ["packages/one"] })
  await json("packages/one/package.json", one)
  await json("package-lock.json", { version: "0.0.0", packages: { "": { version: "0.0.0" }, "packages/one": one } })
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const json = (path: string, value: unknown) => writeFile(join(folder, path), JSON.stringify(value))
const read = (path: string) => readFile(join(folder, path), "utf8")

describe("the script that sets the version", () => {
  it("sets the version of the packages and of their dependencies on each other", async () => {
    await setVersion("0.2.0")
    const one = { version: "0.2.0", dependencies: { "@place-access/two": "0.2.0", effect: "3.0.0" } }
    expect(JSON.parse(await read("packages/one/package.json"))).toEqual(one)
    expect(JSON.parse(await read("package-lock.json"))).toEqual({
      version: "0.2.0",
      packages: { "": { version: "0.2.0" }, "packages/one": one }
    })
  })

  it("names the tarballs of the new version in the documents, and leaves what was in the changelog", async () => {
    const text = (version: string) =>
      `npm install ./place-access-listen-${version}.tgz ./place-access-adapters-http-${version}.tgz\n` +
      `tar -xzf place-access-${version}.tar.gz\nln -sfn place-access-${version} current\nadded in 0.1.0, effect@3.1.2\n` +
      `the folder \`place-access-${version}\`, "place-access-${version}/bin", or place-access-${version}.\n`
    for (const name of ["install.md", "CHANGELOG.md"]) await writeFile(join(folder, "docs", name), text("0.0.0"))
    for (const version of ["0.2.0-rc.1", "0.2.0"]) {
      await setVersion(version)
      expect(await read("docs/install.md")).toBe(text(version))
    }
    expect(await read("docs/CHANGELOG.md")).toBe(text("0.0.0"))
  })
})
