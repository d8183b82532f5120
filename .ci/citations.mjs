// Checks that every citation names an existing rule or decision. Fails on
// - a `Spec §…`, a `decision …` or a tag of a test's title that names no rule and no decision;
// - a link to a rule or decision that does not exist;
// - a decision that no code and no test cites;
// - a decision without a date, a reason or the rejected alternatives.
//
// `--write` makes the index of decisions.
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { citations, decisions, DECISIONS, files, SPECIFICATION, specification } from "./law.mjs"

const INDEX = `${DECISIONS}/README.md`
/**
 * The least number of citations. Raise it as the code grows; it only guards against a run that finds almost nothing.
 */
const CITATIONS_MIN = 3_500

const rules = specification()
const decided = decisions()
const problems = []

// 1. Checks the specification and the decisions themselves: ids, anchors, dates, reasons.
const ids = [...rules.map(({ id }) => id), ...decided.flatMap(({ id, parts }) => [id, ...parts.map((part) => part.id)])]
const known = new Set(ids)
if (known.size !== ids.length) problems.push("two rules or two decisions have one id")
for (const { file, anchor, id, title, date, reason, rejected, stray } of decided) {
  const place = `${DECISIONS}/${file}: ${id ?? title}`
  if (anchor === undefined) problems.push(`${place}: the heading is no "### <a id=…></a>ID. Title"`)
  else if (anchor !== id.replace("decision §", "section-").toLowerCase())
    problems.push(`${place}: the anchor is ${anchor}`)
  const noun = /^([a-z-]+)-\d+$/.exec(id ?? "")?.[1]
  if (noun !== undefined && file !== `${noun}.md`) problems.push(`${place}: belongs into ${noun}.md`)
  for (const part of stray) problems.push(`${place}: the anchor ${part} does not begin with ${anchor}-`)
  for (const [part, there] of Object.entries({ date: date !== undefined, Reason: reason, Rejected: rejected })) {
    if (!there) problems.push(`${place}: has no ${part}`)
  }
}
const numbered = rules.filter(({ id }) => /^§\d+(?:\.\d+)*$/.test(id)).map(({ id }) => id)
for (const id of numbered.filter((id) => /\.(?:[2-9]|\d\d)$/.test(id))) {
  const before = id.replace(/\d+$/, (last) => String(Number(last) - 1))
  if (!numbered.includes(before)) problems.push(`${SPECIFICATION}: ${id} comes without ${before}`)
}

// 2. Checks the citations in code, tests and documents.
const written = files().filter(({ path }) => path !== "docs/coverage.md")
const cited = written.flatMap(citations)
if (cited.length < CITATIONS_MIN) {
  problems.push(`only ${cited.length} citations, expected at least ${CITATIONS_MIN}: is this a git checkout?`)
}
for (const { path, line, id } of cited) {
  if (!known.has(id)) problems.push(`${path}:${line}: ${id} names no rule and no decision`)
}
const kept = new Set(cited.filter(({ path }) => !path.endsWith(".md")).map(({ id }) => id))
for (const { file, id, parts } of decided) {
  if (![id, ...parts.map((part) => part.id)].some((one) => kept.has(one)))
    problems.push(`${DECISIONS}/${file}: no code and no test cites ${id}`)
}

// 3. Checks links and paths to rules and decisions.
const anchors = new Map()
const anchorsOf = (path) => {
  if (!anchors.has(path)) {
    const found = readFileSync(path, "utf8").matchAll(/<a id="([^"]+)"><\/a>/g)
    anchors.set(path, new Set(Array.from(found, ([, anchor]) => anchor)))
  }
  return anchors.get(path)
}
for (const { path, text } of written) {
  for (const [, name] of text.matchAll(/\bdecisions\/([a-z-]+\.md)\b/g)) {
    if (!existsSync(`${DECISIONS}/${name}`)) problems.push(`${path}: there is no ${DECISIONS}/${name}`)
  }
  if (/\bfindings? [A-Z]\d+/.test(text)) problems.push(`${path}: cites a finding, which stands in no document here`)
  if (!path.endsWith(".md")) continue
  for (const [, target, anchor] of text.matchAll(/\]\(([^):\s#]*)(?:#([^)\s]+))?\)/g)) {
    const file = target === "" ? path : join(dirname(path), target)
    if (file !== SPECIFICATION && !file.startsWith(`${DECISIONS}/`)) continue
    if (!existsSync(file)) problems.push(`${path}: the link to ${target} leads nowhere`)
    else if (anchor !== undefined && !anchorsOf(file).has(anchor))
      problems.push(`${path}: ${target}#${anchor} is not there`)
  }
}

// 4. Writes the index of decisions, or checks that it is up to date.
const byFile = new Map()
for (const one of decided) byFile.set(one.file, [...(byFile.get(one.file) ?? []), one])
const lines = Array.from(byFile, ([file, all]) => {
  const heading = readFileSync(`${DECISIONS}/${file}`, "utf8").split("\n")[0].slice(2)
  const items = all.map(({ anchor, id, title }) => `- [${id?.replace("decision ", "")}](${file}#${anchor}) ${title}`)
  return `### ${heading}\n\n${items.join("\n")}\n`
})
const [head, foot] = ["<!-- made by `npm run citations -- --write` -->", "<!-- end -->"]
const present = readFileSync(INDEX, "utf8")
const [before, after] = [present.slice(0, present.indexOf(head)), present.slice(present.indexOf(foot))]
const wanted = `${before}${head}\n\n${lines.join("\n")}\n${after}`
if (process.argv.includes("--write")) writeFileSync(INDEX, wanted)
else if (present !== wanted) problems.push(`${INDEX}: the index is out of date (npm run citations -- --write)`)

for (const problem of problems) console.log(problem)
console.log(`${cited.length} citations of ${known.size} rules and decisions, ${problems.length} problems`)
process.exit(problems.length === 0 ? 0 : 1)
