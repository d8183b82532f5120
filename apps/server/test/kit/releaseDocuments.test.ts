import { execFileSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { stageDocuments } from "../../../../.ci/release-documents.mjs"

const ROOT = join(import.meta.dirname, "../../../..")

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "place-access-documents-"))
  stageDocuments(folder)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const pages = () => ["README.md", ...readdirSync(join(folder, "docs")).map((name) => `docs/${name}`)]
const links = (path: string) =>
  Array.from(
    readFileSync(join(folder, path), "utf8").matchAll(/\]\((?!https?:|mailto:|#)([^)\s#]+)[^)]*\)/g),
    ([, to = ""]) => join(dirname(path), to)
  )

describe("the documents of a release", () => {
  it("link only to files of the release", () => {
    const found = pages().flatMap(links)
    expect(found.length).toBeGreaterThan(20)
    expect(found.filter((path) => !existsSync(join(folder, path)))).toEqual([])
  })

  it("keep the words of a link to a file that only the repository has", () => {
    const text = readFileSync(join(folder, "docs/operating.md"), "utf8")
    expect(text.replace(/\s+/g, " ")).toContain("nothing is deleted (staff-1). Admins")
  })

  it("are all to which the texts of the programs and of the kit lead", () => {
    const files = execFileSync("git", ["ls-files", "apps/*/src/*.ts", "packages/*/src/*.ts", ".deploy"], {
      cwd: ROOT,
      encoding: "utf8"
    })
    const named = files
      .trim()
      .split("\n")
      .flatMap((path) => readFileSync(join(ROOT, path), "utf8").split("\n"))
      .filter((line) => !/^\s*(?:\/\/|\/?\*)/.test(line))
      .flatMap((line) => line.match(/\bdocs\/[\w-]+\.md\b/g) ?? [])
    expect(named.length).toBeGreaterThan(5)
    expect([...new Set(named)].filter((path) => !existsSync(join(folder, path)))).toEqual([])
  })
})
