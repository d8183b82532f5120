import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"

const ROOT = join(import.meta.dirname, "../../..")
const SPECIFICATION = readFileSync(join(ROOT, "docs/specification.md"), "utf8")
/** Made by tools, or of others. */
const FOREIGN: ReadonlySet<string> = new Set(["node_modules", "dist", "bundle", "data"])

const filesBelow = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return FOREIGN.has(entry.name) ? [] : filesBelow(path)
    return /\.(?:ts|md)$/.test(entry.name) ? [path] : []
  })

/** The sections, by their headings, and the numbered rules, by their anchors. */
const sections: ReadonlySet<string> = new Set([
  ...Array.from(SPECIFICATION.matchAll(/^#{2,3} (\d+(?:\.\d+)?)\.? /gm), ([, number = ""]) => number),
  ...Array.from(SPECIFICATION.matchAll(/<a id="s([\d.]+)"><\/a>/g), ([, number = ""]) => number)
])

describe("docs/specification.md", () => {
  it("has every section and rule that code, tests and documents cite", () => {
    const cited = ["packages", "apps", "docs"].flatMap((folder) =>
      filesBelow(join(ROOT, folder)).flatMap((file) =>
        Array.from(readFileSync(file, "utf8").matchAll(/Spec §(\d+(?:\.\d+)*)/g), ([, number = ""]) => ({
          file: file.slice(ROOT.length + 1),
          number
        }))
      )
    )
    expect(cited.length).toBeGreaterThan(500)
    expect(cited.filter(({ number }) => !sections.has(number))).toEqual([])
  })

  it("numbers the rules of a section from 1 on, each with its anchor", () => {
    const anchors = Array.from(SPECIFICATION.matchAll(/^(\d+)\. <a id="s([\d.]+)"><\/a>/gm))
    expect(anchors).toHaveLength(Array.from(SPECIFICATION.matchAll(/^\d+\. /gm)).length)
    for (const [index, [, listed = "", anchor = ""]] of anchors.entries()) {
      const last = anchor.split(".").at(-1)
      expect([anchor, listed]).toEqual([anchor, last])
      if (last === "1") continue
      const section = anchor.slice(0, anchor.lastIndexOf("."))
      expect([anchor, anchors[index - 1]?.[2]]).toEqual([anchor, `${section}.${Number(last) - 1}`])
    }
  })
})
