import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"

const PAGES = join(import.meta.dirname, "../../src/pages")

/** The sources of all pages. The documentation is prose for programmers and has words of its own. */
const sources = readdirSync(PAGES, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts") && !path.startsWith("docs"))
  .map((path) => ({ path, text: readFileSync(join(PAGES, path), "utf8") }))

/** The texts that name a value, a column, a section or a field. */
const LABELS = [
  /<(?:dt|th|h[1-3]|legend|summary)\b[^>]*>\s*([^<$]+?)\s*</g,
  /data-label="([^"]+)"/g,
  /\b(?:label|name|text): "([^"]+)"/g,
  /<span class="badge[^"]*">([^<$]+)</g
]

const labels = sources.flatMap(({ path, text }) =>
  LABELS.flatMap((pattern) => [...text.matchAll(pattern)].map((match) => `${path}: ${match[1]}`))
)

/** What people did not understand, and what the pages say instead. */
const RETIRED: Readonly<Record<string, string>> = {
  May: "Can",
  Made: "Created",
  Middle: "Centre",
  Taken: "Measured",
  Answer: "Response",
  Words: "Response",
  Goes: "Will be removed",
  Came: "Arrived",
  For: "Purpose, Scopes or Duration",
  Declares: "Requested scopes",
  "There are": "Stored"
}

describe("labels of pages", () => {
  it("are the words that people know [wire-2]", () => {
    expect(labels.length).toBeGreaterThan(300)
    expect(labels.filter((label) => Object.hasOwn(RETIRED, label.replace(/^[^:]+: /, "")))).toEqual([])
  })

  it("and hints begin with a capital letter, and only the first word has one [wire-2]", () => {
    const hints = sources.flatMap(({ path, text }) =>
      [...text.matchAll(/\bhint: (?:html`|")([^"`]*)/g), ...text.matchAll(/class="hint"[^>]*>\s*([^<]*)/g)].map(
        (match) => `${path}: ${match[1]}`
      )
    )
    expect(hints.length).toBeGreaterThan(30)
    expect(hints.filter((hint) => /^[^:]+: [a-z]/.test(hint))).toEqual([])
    const sections = sources.flatMap(({ path, text }) =>
      [...text.matchAll(/<(?:dt|h[1-3]|legend|summary)\b[^>]*>\s*([^<$]+?)\s*</g)].map(
        (match) => `${path}: ${match[1]}`
      )
    )
    expect(sections.filter((section) => /^[^:]+: (?!iPhone)[a-z]/.test(section))).toEqual([])
    const titles = sections.filter((section) => /^[^:]+: \S+(?: [A-Z][a-z]+){2}/.test(section))
    expect(titles).toEqual([])
  })
})
