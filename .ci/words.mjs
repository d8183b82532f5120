// Checks the rules for words in docs/contributing.md:
// - the length of lines;
// - phrases that readers stumble over, in comments, documents and titles of tests;
// - a description at the head of each room's index;
// - one declaration for each exported type name;
// - names of types that are nouns.
//
// `--count` prints the number of findings in each folder.
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"

const CODE_COLUMNS = 120
const PROSE_COLUMNS = 100

/** Phrases to avoid, each with advice on what to write in its place. */
const RETIRED = [
  [/\bwhoever\b/i, "name who: the caller, the worker, the user"],
  [/\b(so|that) many\b(?! (that|as)\b)/i, 'give the number or the limit: "at most 100 …"'],
  [/(^|[.:;] )so (long|often)\b(?! as\b)/i, 'say how long or how often: "at most 5 s", "every second"'],
  [/\bin vain\b/i, "say what fails"],
  [/\b(is|are|was|were|be|been) told\b/i, "say who tells whom what: answers, sends, shows"],
  [/\blearnt\b/i, "learned"],
  [/\bwhat (comes|came|has come) of\b/i, "the result of, the outcome of"],
  [/\bone's own\b/i, "name whose"],
  [/\bfor ever\b/i, "forever, without a limit, permanently"],
  [/\bof such\b/i, "name the noun again"],
  [/\bhowever often\b/i, "say that it is idempotent, or retried"]
]

/** Names that no type may have. They are no nouns, and a search for one of them finds hundreds of other lines. */
const NO_NOUNS = new Set(["Again", "Asked", "Did", "Held", "Known", "Needs", "Sent", "Told"])
/** Names that no exported type of the sources may have. They are too general: several rooms could declare them. */
const NO_EXPORTS = new Set(["Begun", "Claim", "Letter", "Moments", "Owned", "Read", "Review", "Step"])

const listed = (...patterns) =>
  execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", ...patterns], { encoding: "utf8" })
    .split("\n")
    .filter((path) => path !== "" && existsSync(path))

const findings = []
const find = (path, line, text) => findings.push({ path, line, text })

const width = (line) => [...line].length
/**
 * The line with its strings emptied. A long string stays on one line, so that a search finds the whole string; only the
 * code around it counts.
 */
const withoutStrings = (line) =>
  line.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`?|\/(?:[^/\\\n]|\\.)+\/[a-z]*/g, (text) =>
    text.length < 2 ? text : '""'
  )

const retiredIn = (path, number, prose) => {
  const words = prose.replace(/`[^`]*`/g, "``")
  for (const [turn, instead] of RETIRED) {
    const match = turn.exec(words)
    if (match) find(path, number, `"${match[0].trim()}": ${instead}`)
  }
}

/** The title of a test: the first string of a line that begins with the string or with a call that declares tests. */
const titleOf = (line) =>
  /^\s*(?:(?:it|test|describe)\b[\w.]*(?:\(.*?\))?\()?\s*(["'`])((?:(?!\1).)*)\1/.exec(line)?.[2]

const commentOf = (line) =>
  /^\s*(?:\/\/+|\/\*\*?|\*)\s?(.*?)(?:\*\/)?$/.exec(line)?.[1] ?? /\s\/\/ (.*)$/.exec(line)?.[1]

/** Whether a file is a migration: migrations in use never change. */
const isFixed = (path) => /\/migrations\/\d/.test(path)

for (const path of listed("*.ts", "*.mjs", "*.cjs").filter((path) => !isFixed(path))) {
  for (const [index, line] of readFileSync(path, "utf8").split("\n").entries()) {
    const comment = commentOf(line)
    const measured = comment === undefined ? withoutStrings(line) : line.replace(/https?:\S+/, "")
    const inText =
      !/[({[;,=>]\s*$/.test(line) &&
      /^\s*[^\s`"'/*]/.test(line) &&
      width(measured) === width(line) &&
      / /.test(line.trim())
    if (width(measured) > CODE_COLUMNS && !(inText && !/[;{}()=]/.test(line))) {
      find(path, index + 1, `${width(line)} columns, at most ${CODE_COLUMNS}`)
    }
    const prose = comment ?? (path.includes("/test/") ? titleOf(line) : undefined)
    if (prose !== undefined) retiredIn(path, index + 1, prose)
  }
}

/** Whether the page is generated and has long lines, one for each rule or decision. */
const isGenerated = (path) => path === "docs/coverage.md"

for (const path of listed("*.md").filter((path) => !isGenerated(path))) {
  let inCode = false
  for (const [index, line] of readFileSync(path, "utf8").split("\n").entries()) {
    if (/^\s*(```|~~~)/.test(line)) inCode = !inCode
    if (inCode) continue
    const prose = line
      .replace(/\]\([^)]*\)/g, "]")
      .replace(/<a id="[^"]*"><\/a>/g, "")
      .replace(/https?:\S+/g, "")
    const isTable = /^\s*\|/.test(line)
    if (!isTable && width(prose) > PROSE_COLUMNS)
      find(path, index + 1, `${width(prose)} columns, at most ${PROSE_COLUMNS}`)
    retiredIn(path, index + 1, prose)
  }
}

// The index of a room opens with a comment of three to ten lines that says what the room is.
for (const path of listed("packages/*/src/*/index.ts", "packages/domain/testing/index.ts")) {
  const head = /^\/\*\*([\s\S]*?)\*\//.exec(readFileSync(path, "utf8"))?.[1]
  const lines = (head ?? "")
    .split("\n")
    .filter((line) => line.replace(/^\s*\*?\s*/, "") !== "" && !/@module/.test(line))
  if (lines.length < 3 || lines.length > 10)
    find(path, 1, `opens with ${lines.length} lines about the room, 3 to 10 are asked for`)
}

// Each exported type name is declared once in the sources.
const declared = new Map()
for (const path of listed("packages/*/src/*.ts", "apps/*/src/*.ts")) {
  for (const [index, line] of readFileSync(path, "utf8").split("\n").entries()) {
    const name = /^export (?:declare )?(?:abstract )?(?:interface|type|class|enum) (\w+)\b(?! *,| *\})/.exec(line)?.[1]
    if (name === undefined) continue
    const first = declared.get(name)
    if (first === undefined) declared.set(name, `${path}:${index + 1}`)
    else find(path, index + 1, `type ${name} is declared at ${first} too: one of them wants its noun in the name`)
  }
}

const nameOfType = (line) =>
  /^\s*(export )?(?:declare )?(?:abstract )?(?:interface|type|class|enum) (\w+)\b(?! *,| *\})/.exec(line)
for (const path of listed("*.ts")) {
  const isSource = /^(packages|apps)\/[^/]+\/(?:src|testing)\//.test(path)
  for (const [index, line] of readFileSync(path, "utf8").split("\n").entries()) {
    const [, isExported, name] = nameOfType(line) ?? []
    if (NO_NOUNS.has(name) || (isSource && isExported !== undefined && NO_EXPORTS.has(name)))
      find(path, index + 1, `type ${name}: name the noun that the type is, such as SentRequest or ClaimedDelivery`)
  }
}

if (process.argv.includes("--count")) {
  const counts = new Map()
  for (const { path } of findings) {
    const folder = path.split("/").slice(0, 4).join("/")
    counts.set(folder, (counts.get(folder) ?? 0) + 1)
  }
  for (const [folder, count] of [...counts].sort((a, b) => b[1] - a[1])) console.log(String(count).padStart(5), folder)
} else {
  for (const { line, path, text } of findings) console.log(`${path}:${line}: ${text}`)
}
console.log(`${findings.length} findings`)
process.exitCode = findings.length === 0 ? 0 : 1
