import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"
import { describe, expect, it } from "vitest"

const ROOT = join(import.meta.dirname, "../../..")
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8")

const PAGES = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "*.md"], {
  cwd: ROOT,
  encoding: "utf8"
})
  .split("\n")
  .filter((path) => path !== "" && existsSync(join(ROOT, path)))

/** Whether people write the page. The other pages are lists that are generated from titles and rules. */
const isWritten = (path: string): boolean => !/^docs\/coverage\.md$|^packages\/domain\/docs\/oracles\.md$/.test(path)

/** The lines that are neither code nor part of a table. */
const prose = (path: string): ReadonlyArray<string> =>
  read(path)
    .replace(/^( *)```[\s\S]*?^\1```$|<img[^>]*>/gm, "")
    .split("\n")
    .filter((line) => !/^\s*\||^<!--/.test(line))

/** The anchors that GitHub makes from headings. */
const anchors = (path: string): ReadonlyArray<string> =>
  prose(path)
    .filter((line) => /^#{1,6} /.test(line))
    .map((line) =>
      line
        .replace(/^#+ /, "")
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, "")
        .replaceAll(" ", "-")
    )

const explicitAnchors = (path: string): ReadonlyArray<string> =>
  Array.from(read(path).matchAll(/<a (?:id|name)="([^"]+)"/g), ([, id = ""]) => id)

interface Link {
  readonly from: string
  readonly to: string
}

const links = (from: string): ReadonlyArray<Link> =>
  Array.from(
    prose(from)
      .concat(read(from).match(/^\s*\|.*$/gm) ?? [])
      .concat(read(from).match(/<img[^>]*>/g) ?? [])
      .join("\n")
      .matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)|<img src="([^"]+)"/g),
    ([, href, image]) => ({ from, to: href ?? image ?? "" })
  )

const isDead = ({ from, to }: Link): boolean => {
  const [file = "", anchor] = to.split("#")
  const target = file === "" ? from : normalize(join(dirname(from), file))
  if (!existsSync(join(ROOT, target))) return true
  return anchor !== undefined && ![...anchors(target), ...explicitAnchors(target)].includes(anchor)
}

/**
 * The short form in which a page names a file: `domain/src/tokens` is in `packages/domain`, and
 * `server/cli/command.test.ts` in the tests of `apps/server`.
 */
const SHORT = /^(domain|adapters-http|adapters-pg|adapters-webhook|server|worker)\/(src\/|testing\/)?([\w./-]+)$/

const namedFiles = (from: string): ReadonlyArray<Link> =>
  Array.from(read(from).matchAll(/`([\w./-]+\/[\w./-]+)`/g), ([, to = ""]) => ({ from, to })).flatMap(({ to }) => {
    const [, name = "", part = "test/", rest = ""] = SHORT.exec(to) ?? []
    if (name !== "")
      return [{ from, to: join(name === "server" || name === "worker" ? "apps" : "packages", name, part, rest) }]
    return /^(?:packages|apps|docs|\.ci|\.github)\//.test(to) ? [{ from, to }] : []
  })

const paragraphs = (path: string): ReadonlyArray<string> =>
  read(path)
    .split(/\n\s*\n|\n(?=[-|] )/)
    .map((text) => text.replace(/\s+/g, " ").trim())
    .filter((text) => text.length > 60)

describe("every document", () => {
  it("leads to files and headings that exist", () => {
    expect(PAGES.length).toBeGreaterThan(20)
    expect(PAGES.flatMap(links).filter(isDead)).toEqual([])
  })

  it("names files that exist", () => {
    const named = PAGES.flatMap(namedFiles)
    expect(named.length).toBeGreaterThan(150)
    expect(
      named.filter(({ to }) => !/^docs\/api|-bundle$|[<*…]|\/\.{3}/.test(to) && !existsSync(join(ROOT, to)))
    ).toEqual([])
  })

  it("names the tarballs of this version", () => {
    const { version } = JSON.parse(read("package.json")) as { readonly version: string }
    const named = PAGES.filter((path) => path !== "docs/CHANGELOG.md").flatMap(
      (path) => read(path).match(/\bplace-access(?:-[a-z]+)*-\d+\.\d+\.\d+(?:-\w+(?:\.\d+)*)?/g) ?? []
    )
    expect(named.length).toBeGreaterThan(8)
    expect(named.filter((name) => !name.endsWith(`-${version}`))).toEqual([])
  })

  it.each(PAGES.filter(isWritten))("%s: a bullet has at most three lines", (path) => {
    expect(bullets(prose(path)).filter((bullet) => bullet.length > 3)).toEqual([])
  })

  it.each(["One fix on its way", "One question on its way", "One token on its way"])(
    "docs/architecture.md: a stranger follows “%s” through at most twenty files",
    (title) => {
      const [, section = ""] = read("docs/architecture.md").split(`\n## ${title}\n`)
      const [own = ""] = section.split("\n## ")
      const files = Array.from(own.matchAll(/\]\((\.\.\/(?:packages|apps)\/[^)]+\.ts)\)/g), ([, to]) => to)
      expect(new Set(files).size).toBe(files.length)
      expect(files.length).toBeGreaterThan(15)
      expect(files.length).toBeLessThanOrEqual(20)
    }
  )

  it("is in docs/README.md", () => {
    const listed = links("docs/README.md").map(({ to }) => normalize(join("docs", to.split("#")[0] ?? "")))
    const documents = PAGES.filter((path) => /^(?:docs|packages\/domain\/docs)\/[^/]+\.md$/.test(path))
    expect(documents.filter((path) => path !== "docs/README.md" && !listed.includes(path))).toEqual([])
  })
})

/** Returns the list items: each is a line that begins with a list mark, and the indented lines below it. */
const bullets = (lines: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> => {
  const found: Array<Array<string>> = []
  let isOpen = false
  for (const line of lines) {
    if (/^\s*(?:[-*]|\d+\.) /.test(line)) found.push([line])
    else if (isOpen && /^\s+\S/.test(line)) found.at(-1)?.push(line)
    isOpen = line.trim() !== ""
  }
  return found
}

describe("the README", () => {
  it("says what the embedded database is for, and where to read about PostgreSQL", () => {
    const start = /^## Start$([\s\S]*?)^## /m.exec(read("README.md"))?.[1] ?? ""
    expect(start.replaceAll(/\s+/g, " ")).toContain(
      "The embedded database is for trying the service out, and for small use"
    )
    expect(start).toContain("(docs/operating.md)")
  })

  it("has at most 8,000 bytes", () => {
    expect(Buffer.byteLength(read("README.md"))).toBeLessThanOrEqual(8_000)
  })

  it("shows pictures of at most 150,000 bytes", () => {
    const pictures = links("README.md").filter(({ to }) => to.endsWith(".png"))
    expect(pictures.length).toBeGreaterThan(0)
    for (const { to } of pictures) expect([to, readFileSync(join(ROOT, to)).length < 150_000]).toEqual([to, true])
  })
})

describe("docs/performance.md", () => {
  it("has at most 1,000 words; what was is in docs/performance-log.md", () => {
    expect(read("docs/performance.md").split(/\s+/).length).toBeLessThanOrEqual(1_000)
  })
})

describe("docs/database.md and docs/scaling.md", () => {
  it("share no paragraph", () => {
    const scaling = paragraphs("docs/scaling.md")
    expect(paragraphs("docs/database.md").filter((paragraph) => scaling.includes(paragraph))).toEqual([])
  })
})

describe("docs/security.md", () => {
  it("answers every requirement of ASVS 5.0 V10.4 with met, not met or not applicable, and shows what is met", () => {
    const answers = Array.from(read("docs/security.md").matchAll(/^\| 10\.4\.(\d+) \|.*$/gm))
    expect(answers.map(([, number]) => Number(number))).toEqual(Array.from({ length: 16 }, (_, index) => index + 1))
    const columns = answers.map(([line]) => line.split(" | "))
    expect(columns.filter(([, , , verdict = ""]) => !/^(?:met|not met|not applicable)\b/.test(verdict))).toEqual([])
    expect(
      columns.filter(([, , , verdict, shown]) => verdict?.startsWith("met") && !shown?.includes(".test.ts"))
    ).toEqual([])
  })
})
