// `npm run mutate -- PATH` plants small faults in the sources of a folder or a file, one by one, and lists the faults
// that no test sees. `docs/contributing.md` says how to read the report.
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { availableParallelism, tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import { parseArgs } from "node:util"
import { explain } from "./explained.mjs"
import { plant } from "./mutants.mjs"
import { judge } from "./judge.mjs"

const USAGE = `Usage: npm run mutate -- PATH … [--decisions] [--tests TEXT] [--sample N] [--seed N] [--jobs N] [--least PERCENT] [--json FILE]

  PATH         folders or files of sources, such as packages/domain/src/rules
  --decisions  of folders, only the files with decisions, whose names begin with a capital letter
  --tests      runs only test files with one of these texts in their path, such as packages/domain/test/simulation;
               commas between the texts. Without it: the tests of the room of the sources, such as
               packages/domain/test/rules, and for the faults that these do not see, the tests of the other rooms of
               the package, except the simulation
  --sample     plants that many faults, drawn with --seed (default 1), instead of all
  --jobs       the number of faults that are tried at the same time (default: the number of processors)
  --least      ends with 1 when fewer percent of the faults are seen
  --json       write the report to this file, too
`

const fail = (text) => {
  process.stderr.write(`${text}\n`)
  process.exit(2)
}
const options = () => {
  try {
    const texts = ["tests", "sample", "seed", "jobs", "least", "json"].map((name) => [name, { type: "string" }])
    return parseArgs({
      allowPositionals: true,
      options: { ...Object.fromEntries(texts), decisions: { type: "boolean" } }
    })
  } catch (error) {
    return fail(`${error.message}\n\n${USAGE}`)
  }
}
const { positionals, values } = options()
const wrong = positionals.find((path) => statSync(path, { throwIfNoEntry: false }) === undefined)
if (positionals.length === 0) fail(USAGE)
if (wrong !== undefined) fail(`There is no ${wrong}\n\n${USAGE}`)

const isFolder = (path) => statSync(path).isDirectory()
const isDecision = (path) => /^[A-Z]/.test(basename(path))
const within = (path) =>
  isFolder(path)
    ? readdirSync(path, { recursive: true })
        .map((name) => join(path, name))
        .filter((name) => values.decisions !== true || isDecision(name))
    : [path]
const sources = [...new Set(positionals.flatMap(within))]
  .filter((path) => path.endsWith(".ts") && !path.endsWith("index.ts"))
  .sort()
const mutants = []
const firstIds = {}
for (const path of sources) {
  firstIds[path] = mutants.length
  mutants.push(...plant(path, readFileSync(path, "utf8"), mutants.length).mutants)
}

const scratch = mkdtempSync(join(tmpdir(), "mutate-"))
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }))
const environment = { MUTATE_FILES: JSON.stringify(firstIds) }
const jobs = Number(values.jobs ?? availableParallelism())

const say = (text) => process.stderr.write(`${text}\n`)
const clock = performance.now()
const elapsed = () => `${Math.round((performance.now() - clock) / 1_000)} s`

/**
 * Draws a sample of the faults that could be planted in the sources. The random generator is written out here, so that
 * a seed draws the same sample on every machine.
 */
const drawn = (all, count, seed) => {
  let state = seed >>> 0
  const next = () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32
  const left = [...all]
  const chosen = []
  while (chosen.length < count && left.length > 0) chosen.push(...left.splice(Math.floor(next() * left.length), 1))
  return chosen.sort((a, b) => a.id - b.id)
}
const tried = values.sample === undefined ? mutants : drawn(mutants, Number(values.sample), Number(values.seed ?? 1))

say(`${tried.length} faults in ${sources.length} files of ${positionals.join(", ")}`)
/** The folder of a room's tests, such as packages/domain/test/rules/. */
const roomOf = (path) => `${(isFolder(path) ? path : dirname(path)).replace(/\/$/, "").replace("/src", "/test")}/`
const rooms = [...new Set(positionals.map(roomOf))]
/**
 * In the packages of `rooms`, the test folders of all rooms that are not in `rooms`. Tests of whole simulated runs are
 * left out; `--tests` can name them.
 */
const others = () =>
  [...new Set(rooms.map((room) => dirname(room)))]
    .flatMap((parent) =>
      readdirSync(parent, { withFileTypes: true }).map((one) => ({ one, path: `${parent}/${one.name}/` }))
    )
    .filter(
      ({ one, path }) => one.isDirectory() && !rooms.includes(path) && !["simulation", "testing"].includes(one.name)
    )
    .map(({ path }) => path)
const rounds = values.tests === undefined ? [() => rooms, others] : [() => values.tests.split(",")]
/**
 * For each fault the name of a test that sees it, null when no test reaches it, undefined when tests reach it and none
 * sees it.
 */
const verdicts = new Map()
for (const tests of rounds) {
  const open = tried.filter(({ id }) => typeof verdicts.get(id) !== "string")
  const folders = open.length === 0 ? [] : tests()
  if (folders.length === 0) continue
  say(`Running the tests of ${folders.length > 3 ? "the other rooms" : folders.join(" ")} without a fault …`)
  const found = await judge({ environment, folder: scratch, jobs, mutants: open, say, tests: folders })
  if (typeof found === "string") fail(`The tests fail without a fault; nothing was judged.\n${found}`)
  for (const [id, test] of found) if (test !== null || !verdicts.has(id)) verdicts.set(id, test)
  say(`${[...verdicts.values()].filter((test) => typeof test === "string").length} seen, ${elapsed()}`)
}

const results = tried.map((mutant) => ({ ...mutant, test: verdicts.get(mutant.id) }))
const seen = results.filter(({ test }) => typeof test === "string")
const { explained, stale, unexplained } = explain(results, values.sample === undefined)
for (const { from, kind, line, path, test, to } of unexplained) {
  console.log(`${path}:${line} ${kind}${test === null ? ", reached by no test" : ""}\n  - ${from}\n  + ${to}`)
}
for (const { from, path } of stale) console.log(`${path}: the explanation of "${from}" explains nothing`)
const total = results.length - explained.length
const share = (100 * seen.length) / Math.max(total, 1)
console.log(
  `${seen.length} of ${total} faults seen (${share.toFixed(1)} %), ${explained.length} more change nothing, in ${elapsed()}`
)
if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(results, null, 2))
process.exitCode = share < Number(values.least ?? 0) ? 1 : 0
