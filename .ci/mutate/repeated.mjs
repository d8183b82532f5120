// Judges planted faults (mutants) in a few processes: in each process, runner.mjs runs each test again for every fault
// that the test reaches.
import { appendFileSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { vitest } from "./vitest.mjs"

/** Tests run in groups by their duration; these are the upper limits in milliseconds. Short tests see most faults. */
const BANDS = [20, 200, 2_000, 120_000]

/** Milliseconds for the work of the runner beside a test, such as loading the sources. */
const GRACE_MILLIS = 60_000

/** Parses a file of notes, which has JSON in each line. */
export const linesOf = (file) =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))

/**
 * Runs the tests of the files `share` until no test is left. `tests` has the names of the tests for each file. When a
 * fault makes a test wait without end, the process is killed, and a new process runs the remaining tests without that
 * fault.
 */
const runShare = async (share, folder, name, open, tests, environment) => {
  const notes = join(folder, `${name}.notes`)
  const plan = join(folder, `${name}.plan`)
  writeFileSync(notes, "")
  const stopped = new Map()
  for (;;) {
    const lines = linesOf(notes)
    const done = lines.flatMap((line) => line.done ?? [])
    writeFileSync(plan, JSON.stringify({ done, notes, open: open.filter((id) => !stopped.has(id)), tests }))
    // This line ends the entry of the last fault. Otherwise that fault would be counted as the cause of the next kill,
    // too.
    appendFileSync(notes, "{}\n")
    const { code } = await vitest(share, { ...environment, MUTATE_REPEAT: plan }, () => {
      const last = linesOf(notes).at(-1)
      return Date.now() - statSync(notes).mtimeMs > (last?.limit ?? 0) + GRACE_MILLIS
    })
    const last = linesOf(notes).at(-1)
    if (code !== null) return { lines: linesOf(notes), stopped }
    // The process was killed while no fault was switched on, so no fault is the cause. Each of the remaining faults is
    // judged in a separate process.
    if (last?.begin === undefined) return { lines: [...linesOf(notes), { outside: open }], stopped }
    stopped.set(last.begin, "stopped")
  }
}

/**
 * Judges the faults `ids`. `files` has for each test file its path, the names and milliseconds of its tests, and the
 * ids that it reaches. Returns the test that sees each fault, and the ids that must be judged in a separate process.
 */
export const judgeRepeated = async ({ environment, files, folder, ids, jobs, say }) => {
  const seen = new Map()
  const outside = new Set()
  let from = 0
  for (const [index, to] of BANDS.entries()) {
    const open = ids.filter((id) => !seen.has(id))
    const tests = {}
    for (const { path, reached, tests: all } of files) {
      const names = all.filter(({ millis }) => millis >= from && millis < to).map((one) => one.name)
      if (names.length > 0 && open.some((id) => reached.has(id))) tests[path] = names
    }
    from = to
    const paths = Object.keys(tests)
    const shares = Array.from({ length: jobs }, (_, job) => paths.filter((_path, at) => at % jobs === job))
    const results = await Promise.all(
      shares.map((share, job) =>
        share.length === 0
          ? { lines: [], stopped: new Map() }
          : runShare(share, folder, `${index}-${job}`, open, tests, environment)
      )
    )
    for (const { lines, stopped } of results) {
      for (const line of lines) {
        if (line.seen !== undefined) seen.set(line.seen, line.test)
        for (const id of line.outside ?? []) outside.add(id)
      }
      for (const [id, test] of stopped) seen.set(id, test)
    }
    say(`Tests of less than ${to} ms: ${seen.size} of ${ids.length} faults seen`)
  }
  return { seen, outside }
}
