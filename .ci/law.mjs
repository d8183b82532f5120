// Reads what code and tests cite: docs/specification.md and packages/domain/docs/decisions/*.md. citations.mjs uses
// this module to check that every citation names an existing rule or decision; coverage.mjs uses it to check that every
// rule has a test.
import { execFileSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"

export const SPECIFICATION = "docs/specification.md"
export const DECISIONS = "packages/domain/docs/decisions"

/** The id of a section or rule of the specification: 4, 4.6, 4.6.4, 8-cooldown, 6.3.5-tier. */
const RULE = String.raw`\d+(?:\.\d+)*(?:-[a-z]+)*`
/** The id of a decision (L6, §4, visits-7), or of a part with an anchor of its own (M3-offered, access-log-2-batch). */
const DECISION = String.raw`(?:§\d+|(?:[A-Z]\d+|[a-z]+(?:-[a-z]+)*-\d+)(?:-[a-z]+)*)`
/** The space between two words of a citation, also across the end of a comment's line. */
const GAP = String.raw`\s+(?:(?:\*|\/\/)\s+)?`
const NEXT = String.raw`(?:,${GAP}|${GAP}(?:and|or|to)${GAP}|,${GAP}and${GAP}|[-–])`

const SPEC_CITATION = new RegExp(`\\bSpec${GAP}(§${RULE}(?:${NEXT}§${RULE})*)`, "g")
const DECISION_CITATION = new RegExp(`\\b(?:[Dd]ecision|[Aa]mendment)s?${GAP}(${DECISION}(?:${NEXT}${DECISION})*)`, "g")
/** The tags at the end of a test's title: `[§4.6.4]`, `[§8-cooldown, L6]`. */
const TAG = String.raw`(?:§${RULE}|(?:[A-Z]\d+|[a-z]+(?:-[a-z]+)*-\d+)(?:-[a-z]+)*|decisions §\d+)`
const TAGGED_TITLE = new RegExp(`(["'\`])((?:(?!\\1)[^\\\\\\n]|\\\\.)*) \\[(${TAG}(?:, ${TAG})*)\\]\\1`, "g")

const lineAt = (text, index) => text.slice(0, index).split("\n").length

/** Every source file and document: the tracked files and the new ones. */
export const files = () =>
  execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { encoding: "utf8" })
    .split("\n")
    .filter((path) => /\.(?:ts|mjs|md)$/.test(path) && existsSync(path))
    .sort()
    .map((path) => ({ path, text: readFileSync(path, "utf8") }))

/** The test titles of a file that end with tags, each with its tags. */
export const taggedTitles = ({ path, text }) =>
  Array.from(text.matchAll(TAGGED_TITLE), ({ 2: title, 3: tags, index }) => ({
    path,
    line: lineAt(text, index),
    title,
    before: text.slice(Math.max(0, index - 40), index),
    tags: tags.split(", ").map((tag) => tag.replace("decisions ", "decision "))
  }))

/** The citations in a text: rules as `§4.6.4`, decisions as `L6`, `visits-7` or `decision §4`. */
export const citations = ({ path, text }) => {
  const of = (pattern, split, name) =>
    Array.from(text.matchAll(pattern)).flatMap(({ 1: list, index }) =>
      (list.match(new RegExp(split, "g")) ?? []).map((id) => ({ path, line: lineAt(text, index), id: name(id) }))
    )
  return [
    ...of(SPEC_CITATION, `§${RULE}`, (id) => id),
    ...of(DECISION_CITATION, DECISION, (id) => (id.startsWith("§") ? `decision ${id}` : id)),
    ...taggedTitles({ path, text }).flatMap(({ line, tags }) => tags.map((id) => ({ path, line, id })))
  ]
}

const ANCHOR = /<a id="([^"]+)"><\/a>/g
const plain = (text) =>
  text
    .replaceAll(ANCHOR, "")
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/\s+/g, " ")
    .trim()

/** The text of a rule: from its anchor to the next anchor, or to the end of the row, list item or paragraph. */
const ruleText = (text, from) => {
  const rest = text.slice(from)
  const end = rest.search(/\n\n|\n(?:[-|]|\d+\.) |<a id=/)
  const found = end === -1 ? rest : rest.slice(0, end)
  // A rule may contain list items. A list item without an anchor is part of the rule's text.
  return found.replace(/\n\s+-\s*$/, "").replaceAll(/\n\s+- /g, " ")
}

const cells = (row) =>
  plain(row)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim())
    .filter((cell) => cell !== "")
    .join("; ")

/**
 * The specification as rows in order: headings (4, 4.6) and rules (4.6.4, 8-cooldown). A heading without rules below it
 * counts as a rule. `No test` in a rule's text says why no test can show it.
 */
export const specification = () => {
  const text = readFileSync(SPECIFICATION, "utf8")
  const marks = [
    ...Array.from(text.matchAll(/^#{2,3} (\d+(?:\.\d+)?)\.? (.+)$/gm), (found) => ({ heading: true, found })),
    ...Array.from(text.matchAll(/<a id="s([^"]+)"><\/a>/g), (found) => ({ heading: false, found }))
  ].sort((one, other) => one.found.index - other.found.index)
  return marks.map(({ found, heading }, position) => {
    const next = marks[position + 1]
    const words = heading ? found[2] : ruleText(text, found.index + found[0].length)
    return {
      id: `§${found[1]}`,
      heading,
      isRule: !heading || (found[1].includes(".") && (next === undefined || next.heading)),
      words: heading ? words.trim() : cells(words),
      noTest: !heading && words.includes("No test:")
    }
  })
}

/** The decisions of each file, in order. */
export const decisions = () =>
  readdirSync(DECISIONS)
    .filter((name) => name.endsWith(".md") && name !== "README.md")
    .flatMap((name) => {
      const text = readFileSync(`${DECISIONS}/${name}`, "utf8")
      return text
        .split(/^(?=### )/m)
        .slice(1)
        .map((section) => {
          const [, anchor, id, title] = /^### <a id="([^"]+)"><\/a>(\S+)\. (.+)$/m.exec(section) ?? []
          const parts = Array.from(section.matchAll(ANCHOR), ({ 0: mark, 1: part, index }) => ({
            part,
            words: cells(ruleText(section, index + mark.length))
          })).filter(({ part }) => part !== anchor)
          return {
            file: name,
            anchor,
            parts: parts.map(({ part, words }) => ({ id: `${id}${part.slice(anchor?.length)}`, words })),
            stray: parts.map(({ part }) => part).filter((part) => !part.startsWith(`${anchor}-`)),
            id: id?.startsWith("§") ? `decision ${id}` : id,
            title: title ?? section.split("\n")[0],
            date: /^\*(20\d\d-\d\d-\d\d)(?:, amended 20\d\d-\d\d-\d\d)?\*$/m.exec(section)?.[1],
            reason: section.includes("\n**Reason.** "),
            rejected: section.includes("\n**Rejected.** "),
            noTest: section.includes("\n**No test.** ")
          }
        })
    })
