// Judges faults by some tests: in few processes where that is possible, and in one for each fault where it is not.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { judgeRepeated, linesOf } from "./repeated.mjs"
import { after, vitest } from "./vitest.mjs"

/** The time for a fault's tests. A fault may loop without an end: its tests are then stopped, and it counts as seen. */
const LIMIT_MILLIS = 180_000
/** This number of test files runs first, because they see most faults. */
const FIRST = 6

/** The test files with their tests, and the faults that each of them reaches. */
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

/** Judges one fault in a process of its own. Gives the test that sees it; null when none reaches it. */
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
 * `tests`: folders of tests; `mutants`: the faults to judge. Gives for each id the name of the test that sees it, null
 * when no test reaches it, undefined when none sees it; or else the output of tests that fail without a fault.
 */
export const judge = async ({ environment, folder, jobs, mutants, say, tests }) => {
  const notes = join(folder, "notes")
  writeFileSync(notes, "")
  const clean = await vitest(tests, { ...environment, MUTATE_NOTES: notes })
  if (clean.code !== 0) return clean.out.slice(-2_000)
  const lines = linesOf(notes)
  const files = filesOf(clean.out, lines)
  const loaded = new Set(lines.flatMap((line) => line.loaded))
  /** Whether a fault runs while its file is loaded: it cannot be switched on later. */
  const isEarly = ({ id, isStatic }) => isStatic || loaded.has(id)

  const running = mutants.filter((mutant) => !isEarly(mutant)).map(({ id }) => id)
  const repeated = await judgeRepeated({ environment, files, folder, ids: running, jobs, say })

  /** A constant may be read by every test that reaches a place of its file. */
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
