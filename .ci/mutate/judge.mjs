// Finds out which planted faults the tests see. A few processes judge most faults (repeated.mjs); a fault that these
// processes cannot judge gets a separate process.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { judgeRepeated, linesOf } from "./repeated.mjs"
import { after, vitest } from "./vitest.mjs"

/**
 * The time limit of a run of tests with one planted fault. A fault may cause an endless loop: the run is then stopped,
 * and the fault counts as seen.
 */
const LIMIT_MILLIS = 180_000
/** The number of test files that run first for a fault. They are the fastest files, and see most faults. */
const FIRST = 6

/** The test files, fastest first, with their passed tests and the faults that each file reaches. */
const filesOf = (report, notes) => {
  const reach = new Map(notes.map(({ file, reached }) => [file, new Set(reached)]))
  return JSON.parse(report)
    .testResults.map(({ assertionResults, endTime, name, startTime }) => ({
      path: name,
      millis: endTime - startTime,
      reached: reach.get(name) ?? new Set(),
      tests: assertionResults
        .filter(({ status }) => status === "passed")
        .map(({ duration, fullName }) => ({ name: fullName.trim(), millis: duration ?? 0 }))
    }))
    .sort((a, b) => a.millis - b.millis)
}

const failedTest = (out) => {
  try {
    const one = JSON.parse(out).testResults.find(({ status }) => status === "failed")
    return one?.assertionResults.find(({ status }) => status === "failed")?.fullName ?? one?.name
  } catch {
    return undefined
  }
}

/**
 * Judges one planted fault in a separate process. Returns the name of the test that sees the fault, undefined when no
 * test sees the fault, null when there are no test files.
 */
const alone = async ({ id }, paths, environment) => {
  for (const some of [paths.slice(0, FIRST), paths.slice(FIRST)]) {
    if (some.length === 0) continue
    const chosen = { ...environment, MUTANT: String(id) }
    const { code, out } = await vitest([...some, "--bail=1"], chosen, after(LIMIT_MILLIS))
    if (code !== 0) return failedTest(out) ?? "stopped"
  }
  return paths.length === 0 ? null : undefined
}

/**
 * Judges the faults `mutants` by the tests in the folders `tests`. Returns for each id the name of the test that sees
 * the fault, null when no test reaches it, undefined when no test sees it. If tests fail without a fault, it returns
 * their output instead.
 */
export const judge = async ({ environment, folder, jobs, mutants, say, tests }) => {
  const notes = join(folder, "notes")
  writeFileSync(notes, "")
  const clean = await vitest(tests, { ...environment, MUTATE_NOTES: notes })
  if (clean.code !== 0) return clean.out.slice(-2_000)
  const lines = linesOf(notes)
  const files = filesOf(clean.out, lines)
  const loaded = new Set(lines.flatMap((line) => line.loaded))
  /**
   * Whether the code of a mutant (a planted fault) runs while its file is loaded. Such a fault cannot be switched on
   * later.
   */
  const isEarly = ({ id, isStatic }) => isStatic || loaded.has(id)

  const running = mutants.filter((mutant) => !isEarly(mutant)).map(({ id }) => id)
  const repeated = await judgeRepeated({ environment, files, folder, ids: running, jobs, say })

  /**
   * The other faults of the same file, without those that run while the file is loaded. A test that reaches one of
   * these faults may also see an early fault of the file (`isEarly`), such as a fault in a constant.
   */
  const siblings = ({ path }) => mutants.filter((other) => !isEarly(other) && other.path === path)
  const pathsOf = (mutant) => {
    const ids = isEarly(mutant) ? siblings(mutant).map(({ id }) => id) : [mutant.id]
    return files.filter(({ reached }) => ids.length === 0 || ids.some((id) => reached.has(id))).map(({ path }) => path)
  }
  const verdicts = new Map()
  const queue = []
  for (const mutant of mutants) {
    const test = repeated.seen.get(mutant.id)
    if (test !== undefined) verdicts.set(mutant.id, test)
    else if (isEarly(mutant) || repeated.outside.has(mutant.id)) queue.push(mutant)
    else verdicts.set(mutant.id, pathsOf(mutant).length === 0 ? null : undefined)
  }
  if (queue.length > 0) say(`${queue.length} faults need processes of their own`)
  const work = async () => {
    for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
      verdicts.set(mutant.id, await alone(mutant, pathsOf(mutant), environment))
      if (queue.length % 20 === 0) say(`${queue.length} left`)
    }
  }
  await Promise.all(Array.from({ length: jobs }, work))
  return verdicts
}
