// npm run mutate -- PATH: plants small faults in the sources of a folder or a file, one by one, and says which of them
// no test sees. `docs/contributing.md` says how to read the report.
import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { availableParallelism, tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { plant } from "./mutants.mjs"

const USAGE = `Usage: npm run mutate -- PATH … [--tests TEXT] [--sample N] [--seed N] [--jobs N] [--least PERCENT] [--json FILE]

  PATH       folders or files of sources, such as packages/domain/src/rules
  --tests    tests with one of these texts in their path, such as packages/domain/test/simulation; commas between them;
             without it, the tests of the sources' room, here packages/domain/test/rules
  --sample   that many faults, drawn with --seed (1), instead of all
  --jobs     tests of so many faults at once (the processors)
  --least    end with 1 when fewer percent of the faults are seen
  --json     write the report to this file, too
`

/** A fault may end in an endless loop: then its tests are stopped, and it counts as seen. */
const LIMIT_MILLIS = 180_000

const options = () => {
  try {
    return parseArgs({
      allowPositionals: true,
      options: Object.fromEntries(
        ["tests", "sample", "seed", "jobs", "least", "json"].map((name) => [name, { type: "string" }])
      )
    })
  } catch (error) {
    process.stderr.write(`${error.message}\n\n${USAGE}`)
    process.exit(2)
  }
}
const { positionals, values } = options()
const wrong = positionals.find((path) => statSync(path, { throwIfNoEntry: false }) === undefined)
if (positionals.length === 0 || wrong !== undefined) {
  process.stderr.write(wrong === undefined ? USAGE : `There is no ${wrong}\n\n${USAGE}`)
  process.exit(2)
}

const isFolder = (path) => statSync(path).isDirectory()
const within = (path) =>
  isFolder(path) ? readdirSync(path, { recursive: true }).map((name) => join(path, name)) : [path]
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
const children = new Set()
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.on(signal, () => {
    for (const child of children) child.kill("SIGKILL")
    process.exit(130)
  })
}

const config = fileURLToPath(new URL("vitest.config.mjs", import.meta.url))
const vitest = (tests, environment, limit) =>
  new Promise((resolve) => {
    const args = ["node_modules/vitest/vitest.mjs", "run", "--config", config, "--reporter=json", ...tests]
    const env = { ...process.env, CI: "true", MUTATE_FILES: JSON.stringify(firstIds), ...environment }
    const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "pipe"] })
    children.add(child)
    const out = []
    child.stdout.on("data", (chunk) => out.push(chunk))
    child.stderr.resume()
    const timer = limit === undefined ? undefined : setTimeout(() => child.kill("SIGKILL"), limit)
    child.on("close", (code, signal) => {
      clearTimeout(timer)
      children.delete(child)
      resolve({ code, signal, out: Buffer.concat(out).toString() })
    })
  })

const say = (text) => process.stderr.write(`${text}\n`)
const clock = performance.now()
const elapsed = () => `${Math.round((performance.now() - clock) / 1_000)} s`

say(
  `${mutants.length} faults in ${sources.length} files of ${positionals.join(", ")}. Running the tests without a fault …`
)
const notes = join(scratch, "notes")
writeFileSync(notes, "")
const roomOf = (path) => (isFolder(path) ? path.replace(/\/$/, "") : dirname(path)).replace("/src/", "/test/")
const tests = values.tests?.split(",") ?? [...new Set(positionals.map(roomOf))]
const clean = await vitest(tests, { MUTATE_NOTES: notes })
if (clean.code !== 0) {
  process.stderr.write(`The tests fail without a fault; nothing was judged.\n${clean.out.slice(-2_000)}\n`)
  process.exit(1)
}
const durations = new Map(
  JSON.parse(clean.out).testResults.map(({ endTime, name, startTime }) => [name, endTime - startTime])
)
const reach = readFileSync(notes, "utf8")
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => JSON.parse(line))
/** The tests that reach the place of a fault, the shortest first. A constant may be read by all of them. */
const testsOf = ({ id, isStatic }) =>
  reach
    .filter(({ reached }) => isStatic || reached.includes(id))
    .map(({ file }) => file)
    .sort((a, b) => (durations.get(a) ?? 0) - (durations.get(b) ?? 0))

/** The generator of the draw: small, and the same everywhere. */
const drawn = (all, count, seed) => {
  let state = seed >>> 0
  const next = () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32
  const left = [...all]
  const chosen = []
  while (chosen.length < count && left.length > 0) chosen.push(...left.splice(Math.floor(next() * left.length), 1))
  return chosen.sort((a, b) => a.id - b.id)
}
const tried = values.sample === undefined ? mutants : drawn(mutants, Number(values.sample), Number(values.seed ?? 1))

/** Few files at once, because most faults are seen by the first. */
const FIRST = 6
const seenBy = async (mutant) => {
  const tests = testsOf(mutant)
  for (const some of [tests.slice(0, FIRST), tests.slice(FIRST)]) {
    if (some.length === 0) continue
    const { code, out } = await vitest([...some, "--bail=1"], { MUTANT: String(mutant.id) }, LIMIT_MILLIS)
    if (code !== 0) return failed(out) ?? "stopped"
  }
  return tests.length === 0 ? null : undefined
}
const failed = (out) => {
  try {
    const { testResults } = JSON.parse(out)
    const one = testResults.find(({ status }) => status === "failed")
    return one?.assertionResults.find(({ status }) => status === "failed")?.fullName ?? one?.name
  } catch {
    return undefined
  }
}

const results = []
const queue = [...tried]
const work = async () => {
  for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
    results.push({ ...mutant, test: await seenBy(mutant) })
    if (results.length % 20 === 0) {
      const seen = results.filter(({ test }) => typeof test === "string").length
      say(`${results.length} of ${tried.length} faults, ${seen} seen, ${elapsed()}`)
    }
  }
}
await Promise.all(Array.from({ length: Number(values.jobs ?? availableParallelism()) }, work))

results.sort((a, b) => a.id - b.id)
const seen = results.filter(({ test }) => typeof test === "string")
for (const { from, kind, line, path, test, to } of results.filter((one) => !seen.includes(one))) {
  console.log(`${path}:${line} ${kind}${test === null ? ", reached by no test" : ""}\n  - ${from}\n  + ${to}`)
}
const share = (100 * seen.length) / Math.max(results.length, 1)
console.log(`${seen.length} of ${results.length} faults seen (${share.toFixed(1)} %), in ${elapsed()}`)
if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(results, null, 2))
process.exitCode = share < Number(values.least ?? 0) ? 1 : 0
