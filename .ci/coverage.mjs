// Lists which test proves which rule. The rows are the rules of docs/specification.md and the decisions. A test names
// the rules that it proves in brackets at the end of its title: `[§4.6.4]`, `[§8-cooldown, L6]`. The tags of a describe
// count for every test in it.
//   npm run coverage                 writes docs/coverage.md
//   npm run coverage -- --check      fails when a row has no test, or docs/coverage.md is out of date
//   npm run coverage -- §4.6.4 L6    prints the titles behind these rows
import { readFileSync, writeFileSync } from "node:fs"
import { decisions, DECISIONS, files, SPECIFICATION, specification, taggedTitles } from "./law.mjs"

const PAGE = "docs/coverage.md"
const INTRODUCTION = `# Which test says which row

Each rule of the [specification](specification.md) and each
[decision](../packages/domain/docs/decisions/README.md), with the test files that prove it. A test names
the rule in its title: \`[§4.6.4]\`, \`[§8-cooldown, L6]\`. \`npm run coverage -- §4.6.4\` prints the titles.

\`npm run coverage\` makes this page. The build fails when a row has no test, unless the rule itself says
why no test can show it.
`

const tests = files().filter(({ path }) => /\/(?:test|testing|examples)\/.*\.ts$/.test(path))
const titles = tests.flatMap(taggedTitles)
const problems = []

// A file with a test that is skipped, not written yet or expected to fail must not name rules: such a test proves
// nothing.
for (const { path, text } of tests.filter((file) => taggedTitles(file).length > 0)) {
  const idle = /\b(?:it|test|describe)\.(?:skip|todo|fails)\b/.exec(text)
  if (idle !== null) problems.push(`${path}: ${idle[0]} in a file whose titles name rules`)
}

const provedBy = new Map()
for (const { path, line, title, tags } of titles) {
  for (const tag of tags) provedBy.set(tag, [...(provedBy.get(tag) ?? []), { path, line, title }])
}

/**
 * The rows of docs/coverage.md: the rules and decisions in the order of their documents, each with its name, its words
 * and a link to it.
 */
const rows = [
  ...specification().map(({ id, heading, isRule, words, noTest }) => ({
    id,
    words,
    link: `specification.md${heading ? "" : `#s${id.slice(1)}`}`,
    group: heading ? `${id} ${words}` : undefined,
    isRequired: isRule && !noTest,
    noTest,
    parts: []
  })),
  ...decisions().flatMap(({ file, anchor, id, title, parts, noTest }, index, all) => {
    const page = `../${DECISIONS}/${file}`
    return [
      {
        id,
        words: title,
        link: `${page}#${anchor}`,
        group: all[index - 1]?.file === file ? undefined : `Decisions: ${file.replace(".md", "")}`,
        isRequired: !noTest,
        noTest,
        parts
      },
      ...parts.map((part) => ({ ...part, link: `${page}#${part.id.toLowerCase()}`, isRequired: true, parts: [] }))
    ]
  })
].map((row) => ({ ...row, name: row.id.replace("decision ", "decisions "), proof: provedBy.get(row.id) ?? [] }))

for (const { name, words, isRequired, noTest, parts, proof } of rows) {
  // A test for a part of a decision counts for the whole decision.
  const isProved = proof.length > 0 || parts.some((part) => provedBy.has(part.id))
  if (isRequired && !isProved) problems.push(`no test says [${name}]: ${words}`)
  if (noTest && isProved) problems.push(`${name} says that no test can show it, and ${proof[0].path} does`)
}

const asked = process.argv.slice(2).filter((argument) => !argument.startsWith("--"))
for (const { name, words, proof } of rows.filter(({ id, name }) => asked.includes(id) || asked.includes(name))) {
  console.log(`${name} ${words}`)
  for (const { path, line, title } of proof) console.log(`  ${path}:${line} ${title}`)
}
if (asked.length > 0) process.exit(0)

/** The first words of a rule, enough to recognise it. */
const short = (words) => (words.length <= 60 ? words : `${words.slice(0, 60).replace(/\s+\S*$/, "")} …`)

/** The test files in a short form, by folder: `domain/rules: behaviours, RuleEvaluation`. */
const places = (proof) => {
  const folders = new Map()
  for (const path of new Set(proof.map(({ path }) => path))) {
    const [, folder, file] = /^(?:packages\/)?(.*)\/([^/]+?)(?:\.test)?\.ts$/.exec(
      path.replace(/\/(?:test|testing)\//, "/")
    )
    folders.set(folder, [...(folders.get(folder) ?? []), file])
  }
  return Array.from(folders, ([folder, names]) => `${folder}: ${names.join(", ")}`).join("; ")
}

const lines = rows.flatMap(({ group, isRequired, link, name, noTest, parts, proof, words }) => {
  const where =
    proof.length > 0 ? places(proof) : noTest ? "no test, it says why" : parts.length > 0 ? "by its parts" : undefined
  const heading = group === undefined ? [] : ["", `## ${group}`, ""]
  if (!isRequired && where === undefined) return heading
  const told = group?.startsWith("§") || words === "" ? "" : ` ${short(words)}`
  return [...heading, `- [${name}](${link})${told} · ${where}`]
})
// Removes headings without a rule below them.
const page = `${INTRODUCTION}${lines.join("\n")}\n`
  .replaceAll(/\n## [^\n]*\n(?=\n*(?:## |$))/g, "")
  .replaceAll(/\n{3,}/g, "\n\n")

if (!process.argv.includes("--check")) writeFileSync(PAGE, page)
else if (readFileSync(PAGE, "utf8") !== page) problems.push(`${PAGE} is out of date (npm run coverage)`)

for (const problem of problems) console.log(problem)
console.log(
  `${rows.length} rows of ${SPECIFICATION} and ${DECISIONS}, ${titles.length} titles, ${problems.length} problems`
)
process.exit(problems.length === 0 ? 0 : 1)
